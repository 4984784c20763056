package award

// Len is the number of rows.
func (s *State) Len() int { return len(s.sums.list) }

// Plus is both flows together.
func (f Flow) Plus(o Flow) Flow { return Flow{f.Rows + o.Rows, f.Amount.Plus(o.Amount)} }
