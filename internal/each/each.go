// Package each makes one list from another.
package each

// Of is what becomes of each value of a list. It is never nil.
func Of[V, T any](list []V, of func(V) T) []T {
	return Append(make([]T, 0, len(list)), list, of)
}

// Append adds what becomes of each value of a list to another list, which may be nil.
func Append[V, T any](to []T, list []V, of func(V) T) []T {
	for _, v := range list {
		to = append(to, of(v))
	}
	return to
}
