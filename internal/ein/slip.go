package ein

import "slices"

// OneSlip reports whether a typist who meant one of the two numbers could have
// typed the other with one slip: one digit wrong, two neighbours swapped, one
// digit left out, or one digit struck twice. A number has nine digits, so a
// digit left out is made up for by a leading zero or by some last digit, and a
// digit struck twice pushes the last one out. The relation is symmetric, and
// false for equal numbers and for None.
func OneSlip(a, b EIN) bool {
	if a == b || a == None || b == None || a > 999_999_999 || b > 999_999_999 {
		return false
	}
	var x, y [9]byte
	a.put(&x)
	b.put(&y)
	i, j := 0, 8
	for x[i] == y[i] {
		i++
	}
	for x[j] == y[j] {
		j--
	}
	switch {
	case i == j:
		return true
	case i+1 == j && x[i] == y[j] && x[j] == y[i]:
		return true
	}
	return dropped(&x, &y) || dropped(&y, &x) || doubled(&x, &y) || doubled(&y, &x)
}

// dropped reports whether typed is meant without one digit, shifted right
// behind a zero or shifted left before any last digit.
func dropped(meant, typed *[9]byte) bool {
	// Shifted left: equal up to some i, then typed[k] = meant[k+1].
	i := 0
	for i < 9 && meant[i] == typed[i] {
		i++
	}
	k := i
	for k < 8 && typed[k] == meant[k+1] {
		k++
	}
	if k == 8 {
		return true
	}
	// Shifted right: typed[0] is 0, typed[k+1] = meant[k] up to some i, equal after.
	if typed[0] != '0' {
		return false
	}
	j := 8
	for j >= 0 && meant[j] == typed[j] {
		j--
	}
	for j > 0 && typed[j] == meant[j-1] {
		j--
	}
	return j <= 0
}

// doubled reports whether typed is meant with one digit struck twice and the
// last one pushed out.
func doubled(meant, typed *[9]byte) bool {
	i := 0
	for i < 9 && meant[i] == typed[i] {
		i++
	}
	if i == 0 || i == 9 || typed[i] != meant[i-1] {
		return false
	}
	for i++; i < 9; i++ {
		if typed[i] != meant[i-1] {
			return false
		}
	}
	return true
}

// MaxSlips bounds how many numbers Slips appends.
const MaxSlips = 384

// Slips appends to dst every number that is OneSlip away from e, each once and
// in rising order, so that a typed number can be looked up in a set of known
// ones. It never appends e or None.
func Slips(dst []EIN, e EIN) []EIN {
	if e == None || e > 999_999_999 {
		return dst
	}
	from := len(dst)
	var x [9]byte
	e.put(&x)
	add := func(y *[9]byte) {
		var v EIN
		for _, c := range y {
			v = v*10 + EIN(c-'0')
		}
		if v != None && v != e {
			dst = append(dst, v)
		}
	}
	for i := range x {
		for d := byte('0'); d <= '9'; d++ {
			y := x
			y[i] = d
			add(&y) // one digit wrong

			y = x // meant had d at i, and e left it out; the last digit of e was made up
			copy(y[i+1:], x[i:8])
			y[i] = d
			add(&y)

			if x[0] == '0' { // the same, and e was filled up with a leading zero
				y = x
				copy(y[:i], x[1:i+1])
				y[i] = d
				add(&y)
			}

			y = x // e was typed without its digit i; d was made up at the end
			copy(y[i:], x[i+1:])
			y[8] = d
			add(&y)
		}
		y := x // digit i left out behind a leading zero
		copy(y[1:i+1], x[:i])
		y[0] = '0'
		add(&y)
		if i < 8 {
			y = x
			y[i], y[i+1] = y[i+1], y[i]
			add(&y)

			y = x // digit i struck twice
			copy(y[i+1:], x[i:8])
			add(&y)
			if x[i] == x[i+1] { // e has a digit struck twice; the last was pushed out
				for d := byte('0'); d <= '9'; d++ {
					y = x
					copy(y[i+1:], x[i+2:])
					y[8] = d
					add(&y)
				}
			}
		}
	}
	return compact(dst, from)
}

// compact sorts dst[from:] and drops repeats.
func compact(dst []EIN, from int) []EIN {
	slices.Sort(dst[from:])
	return dst[:from+len(slices.Compact(dst[from:]))]
}
