package board

import "grantgraph/internal/radix"

// nameCounts counts people and how often their names occur. People are distinguished by first name, last name, middle
// initial, generation and state, so a person on many boards of a state counts once.
type nameCounts struct {
	total       float64
	state       []float64
	first, last []float64
}

// countNames counts the people on the seats, which are sorted by name.
func (b *Builder) countNames() *nameCounts {
	c := &nameCounts{
		state: make([]float64, max(len(b.states.List), 1)),
		first: make([]float64, len(b.first.List)), last: make([]float64, len(b.last.List)),
	}
	counted := make(map[uint64]bool) // people with this name
	for i := range b.seats {
		s := &b.seats[i]
		if i == 0 || s.name != b.seats[i-1].name {
			clear(counted)
		}
		at := b.places[s.org].state
		who := uint64(at)<<16 | uint64(s.middle)<<8 | uint64(s.generation)
		if counted[who] {
			continue
		}
		counted[who] = true
		c.total++
		c.state[at]++
		c.first[s.name>>32]++
		c.last[uint32(s.name)]++
	}
	return c
}

// member is a seat, prepared for comparison.
type member struct {
	node       uint32
	middle     byte
	generation uint8
	at         *site
}

// compare appends the evidence from the seats with one name, for every pair of boards. The seats are grouped by board.
func (c *nameCounts) compare(hits []hit, name uint64, group []member) []hit {
	// The share of people who have the name.
	share := c.first[name>>32] / c.total * c.last[uint32(name)] / c.total
	// If even the best evidence would be too weak, as for every John Smith, skip the comparison.
	fewest := c.total
	for i := range group {
		if s := group[i].at.state; s != 0 {
			fewest = min(fewest, c.state[s])
		}
	}
	if chance(fewest*share*sameMiddle*sameTown) < possibly {
		return hits
	}
	sameBoard := func(x, y member) bool { return x.node == y.node }
	rest := group
	for board := range radix.Runs(group, sameBoard) {
		rest = rest[len(board):]
		for other := range radix.Runs(rest, sameBoard) {
			best := 0.0
			for x := range board {
				for y := range other {
					best = max(best, c.probability(share, &board[x], &other[y]))
				}
			}
			if best >= possibly {
				hits = append(hits, hit{uint64(board[0].node)<<32 | uint64(other[0].node), best})
			}
		}
	}
	return hits
}

// probability is the probability that two seats with the same name belong to one person.
func (c *nameCounts) probability(share float64, x, y *member) float64 {
	if x.generation != 0 && y.generation != 0 && x.generation != y.generation {
		return 0
	}
	others := share * c.total
	switch a, z := x.at, y.at; {
	case a.state == 0 || a.state != z.state:
		others *= otherState
	case a.zip3 != 0 && a.zip3 == z.zip3 || a.city != 0 && a.city == z.city:
		others = share * c.state[a.state] * sameTown
	default:
		others = share * c.state[a.state]
	}
	if x.middle != 0 && y.middle != 0 {
		if x.middle == y.middle {
			others *= sameMiddle
		} else {
			others *= otherMiddle
		}
	}
	return chance(others)
}

// chance is the probability that two people with the same name are one person, given the number of others with that name.
func chance(others float64) float64 { return 1 / (1 + others) }
