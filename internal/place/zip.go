package place

// ZIP5 reads a ZIP code as filed and returns its five digits. Nine digits are ZIP+4; four or eight have lost a leading zero.
// When the state is known, a ZIP code from a part of the country that does not reach into that state is refused: one of the two
// is wrong, and a wrong place is worse than none.
func ZIP5(zip, state string) (zip5 string, ok bool) {
	var d [9]byte
	n := 0
	for i := 0; i < len(zip); i++ {
		switch c := zip[i]; {
		case c >= '0' && c <= '9':
			if n == len(d) {
				return "", false
			}
			d[n] = c
			n++
		case c == '-' || c == ' ' || c == '.':
		default:
			return "", false
		}
	}
	switch n {
	case 4, 8:
		copy(d[1:], d[:4])
		d[0] = '0'
	case 5, 9:
	default:
		return "", false
	}
	if string(d[:5]) == "00000" {
		return "", false
	}
	if state != "" {
		if r := region(state); r != nil && !Shipped().zip3InState(d[0], d[1], d[2], r) {
			return "", false
		}
	}
	if len(zip) >= 5 && zip[:5] == string(d[:5]) {
		return zip[:5], true // the common case costs no allocation
	}
	return string(d[:5]), true
}

// SettleState is the state of an address as filed. The city and the ZIP code together outvote a state that contradicts
// both: Cambridge 02139 is in Massachusetts, whatever a typist chose from a list.
func SettleState(city, state, zip string) (code string, outvoted bool) {
	code, ok := State(state)
	zip5, known := ZIP5(zip, "")
	if _, agrees := ZIP5(zip, code); !ok || !known || agrees {
		return code, false
	}
	g := Shipped()
	at := g.at[zipNumber(zip5)]
	if at == 0 {
		return code, false
	}
	e := &g.zips[at-1]
	r := &regions[e.state]
	if t, ok := g.townOf(city, r); ok {
		for _, p := range g.parts[e.first : e.first+uint32(e.n)] {
			if p.county == t.county {
				return r.Code, true
			}
		}
	}
	return code, false
}

// zipNumber reads five digits; -1 when s is something else.
func zipNumber(s string) int {
	if len(s) != 5 {
		return -1
	}
	n := 0
	for i := 0; i < 5; i++ {
		c := s[i] - '0'
		if c > 9 {
			return -1
		}
		n = n*10 + int(c)
	}
	return n
}

// zip3InState reports whether a ZIP code that begins with these digits lies in the
// state. It is also true if the table has no ZIP code that begins with them.
func (g *Gazetteer) zip3InState(a, b, c byte, r *Region) bool {
	set := g.zip3[int(a-'0')*100+int(b-'0')*10+int(c-'0')]
	return set == 0 || set&(1<<regionIndex(r)) != 0
}
