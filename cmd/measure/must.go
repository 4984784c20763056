package main

// A measurement is a script: it opens, reads and asks one thing after the other, and none of it is worth anything
// without the rest. So the first error ends it. Inside a mode check and must raise the error, and the command returns it.

// failure is an error on its way to the command.
type failure struct{ error }

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func must2[T, U any](v T, w U, err error) (T, U) {
	check(err)
	return v, w
}

// caught sets the error that a command returns to the one that check raised. It is deferred.
func caught(err *error) {
	switch f := recover().(type) {
	case nil:
	case failure:
		*err = f.error
	default:
		panic(f)
	}
}
