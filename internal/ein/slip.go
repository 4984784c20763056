package ein

// OneSlip reports whether a typist who meant one number could have typed the
// other with one slip: a digit wrong, two neighbours swapped, a digit left out
// and the number filled up to nine by a leading zero or by some last digit, or
// a digit struck twice and the last one pushed out.
func OneSlip(typed, meant EIN) bool {
	if typed == meant || typed == None || meant == None {
		return false
	}
	var x, y [9]byte
	typed.put(&x)
	meant.put(&y)
	i, j := 0, 8 // the first and the last digit that differ
	for x[i] == y[i] {
		i++
	}
	for x[j] == y[j] {
		j--
	}
	wrong := i == j
	swapped := i+1 == j && x[i] == y[j] && x[j] == y[i]
	left := string(x[i:8]) == string(y[i+1:])                 // filled up at the end
	right := x[0] == '0' && string(x[1:j+1]) == string(y[:j]) // filled up in front
	twice := i > 0 && x[i] == x[i-1] && string(x[i+1:]) == string(y[i:8])
	return wrong || swapped || left || right || twice
}
