package place

// ZIP returns one ZIP code.
func (g *Gazetteer) ZIP(zip5 string) (ZIP, bool) {
	n := zipNumber(zip5)
	if n < 0 || g.at[n] == 0 {
		return ZIP{}, false
	}
	z := g.export(&g.zips[g.at[n]-1])
	return z, true
}

// HasCensus reports whether the ZIP codes' counties come from the Census
// relationship file rather than from the shipped table.
func (g *Gazetteer) HasCensus() bool { return g.census }

// StatesOfZIP3 lists the states that ZIP codes with this three-digit beginning
// lie in, sorted; nil when the table has none.
func (g *Gazetteer) StatesOfZIP3(zip3 string) []string {
	if len(zip3) != 3 {
		return nil
	}
	n := zipNumber(zip3 + "00")
	if n < 0 {
		return nil
	}
	var states []string
	for i := range regions {
		if g.zip3[n/100]&(1<<i) != 0 {
			states = append(states, regions[i].Code)
		}
	}
	return states
}
