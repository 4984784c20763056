package irs990

// foundationGrant passes a grant line of Form 990-PF to the sink: paid during the year, or approved for a
// later year. Its elements are in schema/grantlines_990pf.tsv.
func foundationGrant(part Part) listItem {
	return listItem{
		begin: func(rd *Reader) { rd.grant = Grant{Part: part} },
		end: func(rd *Reader) error {
			g, t := &rd.grant, &rd.ret.Tally
			if part == PFFuture {
				t.PFFuture++
				t.PFFutureSum += g.Cash.Value
				g.Line = t.PFFuture
				return emit(rd.sink.Grant, g)
			}
			t.PFPaid++
			t.PFPaidSum += g.Cash.Value
			g.Line = t.PFPaid
			if g.Cash.Value != 0 {
				t.PFPaidNonzero++
			}
			if g.Person != "" {
				t.PFPaidPerson++
			}
			if rd.abroad {
				t.PFPaidForeign++
			}
			return emit(rd.sink.Grant, g)
		},
	}
}
