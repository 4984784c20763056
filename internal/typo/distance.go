package typo

// A slip is a letter too many, a letter too few, a wrong letter, or two neighbors
// swapped. Three functions count slips, because callers differ in what they need:
//   - Distance counts all of them, for a few short words.
//   - Within gives up after a limit. It computes only a band of the table and does
//     not allocate, for millions of pairs of words.
//   - OneSlip compares the two ends of the words and needs no table.
//
// Walker has a fourth way in its walk over a vocabulary: it computes one row per letter
// of a branch, which all words of the branch share.

// Distance is the number of slips that turn a into b.
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(last[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// widest is the largest limit for which Within has room on the stack.
const widest = 3

// Within is the number of slips that turn a into b, or limit+1 if there are more than limit.
func Within(a, b string, limit int) int {
	if max(len(a)-len(b), len(b)-len(a)) > limit {
		return limit + 1
	}
	a, b = trimCommon(a, b)
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	if limit > widest {
		return min(Distance(a, b), limit+1)
	}
	// Three rows of a band that is 2*limit+1 wide.
	const far = 100
	var rows [3][2*widest + 3]int8
	before, last, row := &rows[0], &rows[1], &rows[2]
	width := 2*limit + 1
	for k := range rows[0] {
		before[k], last[k] = far, far
	}
	for k := limit; k < width; k++ { // row 0: column k-limit
		last[k+1] = int8(k - limit)
	}
	for i := 1; i <= len(a); i++ {
		least := int8(far)
		for k := range row {
			row[k] = far
		}
		for k := 0; k < width; k++ {
			j := i + k - limit
			if j < 0 || j > len(b) {
				continue
			}
			v := int8(far)
			if j == 0 {
				v = int8(min(i, far))
			} else {
				v = last[k+1]
				if a[i-1] != b[j-1] {
					v++
				}
				v = min(v, last[k+2]+1, row[k]+1)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					v = min(v, before[k+1]+1)
				}
			}
			row[k+1] = min(v, far)
			least = min(least, v)
		}
		if least > int8(limit) {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(int(last[len(b)-len(a)+limit+1]), limit+1)
}

// OneSlip reports whether exactly one slip turns a into b. Equal words are not one slip apart.
func OneSlip(a, b string) bool {
	if len(a)-len(b) > 1 || len(b)-len(a) > 1 {
		return false
	}
	a, b = trimCommon(a, b)
	switch {
	case len(a) <= 1 && len(b) <= 1:
		return len(a)+len(b) > 0
	case len(a) == 2 && len(b) == 2:
		return a[0] == b[1] && a[1] == b[0]
	}
	return false
}

// trimCommon removes the beginning and then the end that a and b share.
func trimCommon(a, b string) (string, string) {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	a, b = a[i:], b[i:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}
