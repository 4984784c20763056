package ingest

import (
	"context"
	"maps"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/ingest/derive/board"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/orgname"
	"grantgraph/internal/parallel"
	"grantgraph/internal/place"
	"grantgraph/internal/radix"
)

// Private foundations file no Schedule R, and nearly all of them write NONE where the form asks for relationships. Still, a
// trust that holds a foundation's money is related to it, and so are two foundations of one founder. We treat two organizations
// as related if their names share words and they also share an address or officers. Usually, neither sign is enough alone.

// Limits for treating two organizations as related.
const (
	rarePhrase    = 12        // most organizations whose names may share the same words
	ownedFrom     = 1_000_000 // amount in dollars from which boards are compared even if the names differ
	ownedSeats    = 3         // officers that such boards must share, and at least half of the smaller board
	officersYears = 3         // latest fiscal years whose officers are looked at
)

// RelatedReport counts the rows that pay a related organization, by the evidence for it.
type RelatedReport struct {
	Filed    Count `json:"filed"`    // the line or Schedule R says so, or the recipient is the funder itself
	Name     Count `json:"name"`     // name and place
	Officers Count `json:"officers"` // officers, mostly with the name
}

type pair struct {
	from, to int // into corpus.rows
	funder   ein.EIN
	paid     ein.EIN
	kinship  classify.Kinship
	phrase   string // the distinctive words of the name, if rare words relate the recipient to the funder
}

// findKin marks the rows whose funder and recipient are related by their names
// and places, or by their names and officers. The rows are sorted.
func (b *builder) findKin(ctx context.Context, c *corpus) error {
	r := &b.report.Related
	parts := make([]kinFinder, len(c.stretches()))
	err := b.eachStretch(ctx, c, func(i, from, to int) {
		k := kinFinder{corpus: c}
		for from < to {
			from = k.lookAt(from)
		}
		parts[i] = k
	})
	if err != nil {
		return err
	}
	var open []pair
	for i := range parts {
		open = append(open, parts[i].open...)
		r.Filed.join(parts[i].Filed)
		r.Name.join(parts[i].Name)
	}
	if len(open) == 0 {
		return nil
	}
	bearers := c.bearers(open)
	boards, err := b.boards(ctx, c, open)
	if err != nil {
		return err
	}
	for i := range open {
		p := &open[i]
		x, y := boards[p.funder], boards[p.paid]
		shared := len(radix.Intersect(nil, x, y))
		switch {
		case p.kinship != classify.Strangers && shared > 0, shared >= ownedSeats && 2*shared >= min(len(x), len(y)):
			c.relate(p, &r.Officers)
		case p.phrase != "" && bearers[p.phrase] <= rarePhrase:
			c.relate(p, &r.Name)
		}
	}
	return nil
}

// kinFinder looks for related pairs in a stretch of the rows.
type kinFinder struct {
	*corpus
	RelatedReport
	open []pair // pairs that names and places do not decide

	funder    ein.EIN // of the current rows
	name      string  // long form
	telling   []string
	signature uint64
}

func (k *kinFinder) turnTo(e ein.EIN) {
	fl := k.filers[e]
	k.funder, k.name = e, orgname.Parse(fl.name).K2
	k.telling = classify.Telling(k.name, fl.city)
	k.signature = classify.Signature(k.telling)
}

// lookAt looks at the pair whose rows begin at from, and returns where they end.
func (k *kinFinder) lookAt(from int) int {
	c, first := k.corpus, k.rows[from]
	e, id := c.filingOf(first).ein, c.recipients.id[first]
	if e != k.funder {
		k.turnTo(e)
	}
	p := pair{from: from, funder: e, paid: c.recipients.ein[first]}
	var total int64
	alike := false
	for p.to = from; p.to < len(c.rows); p.to++ {
		row := c.rows[p.to]
		if c.recipients.id[row] != id || c.filingOf(row).ein != e {
			break
		}
		total += c.lines.amount[row]
		s := c.lines.telling[c.lines.recipientNo[row]]
		alike = alike || s != 0 && (s&^k.signature == 0 || k.signature&^s == 0)
		if c.recipients.class[row]&related != 0 {
			k.Filed.add(c.lines.amount[row])
		}
	}
	if c.recipients.class[first]&(individual|unidentified) != 0 || k.signature == 0 {
		return p.to
	}
	near := false
	if t := c.recipientOf(first); alike || classify.Initials(k.name, nameWords(&t)) {
		p.kinship, near = c.kinship(&p, k.name, k.telling)
	}
	switch {
	case p.kinship != classify.Strangers && near:
		c.relate(&p, &k.Name)
		return p.to
	case p.kinship >= classify.Supporters:
		t := c.recipientOf(first)
		if words := classify.Telling(nameWords(&t), t.City); len(words) >= 2 {
			p.phrase = strings.Join(words, " ")
		}
	}
	if p.phrase != "" || p.paid != ein.None && c.filers[p.paid] != nil && (p.kinship != classify.Strangers || total >= ownedFrom) {
		k.open = append(k.open, p)
	}
	return p.to
}

// relate marks the rows of a pair as related, except rows that were already marked.
func (c *corpus) relate(p *pair, by *Count) {
	for _, row := range c.rows[p.from:p.to] {
		if c.recipients.class[row]&related == 0 {
			c.recipients.class[row] |= related
			by.add(c.lines.amount[row])
		}
	}
}

// kinship compares the names of a pair. A name that begins with the funder's initials is a namesake's. It reports whether a
// shared name is strong evidence: the two share an address, or they share a town and only the word for the legal form differs.
func (c *corpus) kinship(p *pair, name string, funder []string) (best classify.Kinship, near bool) {
	fl := c.filers[p.funder]
	seen := c.lines.recipientNo[c.rows[p.from]]
	for i, row := range c.rows[p.from:p.to] {
		no := c.lines.recipientNo[row]
		if i > 0 && no == seen {
			continue
		}
		seen = no
		t := c.recipientOf(row)
		k := classify.KinshipOf(funder, classify.Telling(nameWords(&t), t.City))
		switch {
		case k == classify.Strangers && classify.Initials(name, nameWords(&t)):
			k = classify.Namesakes
		case k == classify.Strangers:
			continue
		}
		best = max(best, k)
		zip, _ := place.ZIP5(t.ZIP, t.State)
		at := resolve.Location{Street: t.Street, City: t.City, State: t.State, ZIP5: zip}
		for _, own := range fl.addresses {
			street := own.at.ZIP5 != "" && own.at.ZIP5 == at.ZIP5 && sameStreet(own.at.Street, at.Street)
			town := own.at.State != "" && own.at.State == at.State && orgname.City(own.at.City) == orgname.City(at.City)
			// ALDER FOUNDATION TRUST pays ALDER FOUNDATION: only the word for
			// the legal form differs, so sharing a state is enough.
			whole := own.at.State != "" && own.at.State == at.State && vehicleOf(fl.name, t.Name())
			near = near || street || k == classify.Vehicles && (town || whole)
		}
	}
	return best, near
}

// vehicleOf reports whether one name is the other name followed by a word such as TRUST.
func vehicleOf(a, b string) bool {
	x, y := orgname.Parse(a).K2, orgname.Parse(b).K2
	return x != y && x != "" && y != "" && (strings.HasPrefix(x, y+" ") || strings.HasPrefix(y, x+" "))
}

func sameStreet(a, b string) bool {
	key := orgname.StreetKey(a)
	return key != "" && key == orgname.StreetKey(b)
}

// bearers counts the organizations whose names contain all words of a phrase.
func (c *corpus) bearers(open []pair) map[string]int {
	numbers := map[string]int{} // of the phrases
	var phrases [][]string      // the words of each
	byWord := map[string][]int{}
	for i := range open {
		text := open[i].phrase
		if _, ok := numbers[text]; ok || text == "" {
			continue
		}
		words := strings.Fields(text)
		numbers[text] = len(phrases)
		byWord[words[0]] = append(byWord[words[0]], len(phrases))
		phrases = append(phrases, words)
	}
	if len(phrases) == 0 {
		return nil
	}
	orgs := c.universe.Len()
	parts := make([][]int, parallel.Parts(orgs, chunkSize))
	parallel.Ranges(orgs, len(parts), func(part, from, to int) {
		counts := make([]int, len(phrases))
		for o := range c.universe.Between(from, to) {
			name := strings.ToUpper(o.Name)
			for w := range strings.FieldsSeq(name) {
				for _, no := range byWord[w] {
					missing := func(x string) bool { return !strings.Contains(name, x) }
					if !slices.ContainsFunc(phrases[no][1:], missing) {
						counts[no]++
					}
				}
			}
		}
		parts[part] = counts
	})
	counts := make(map[string]int, len(numbers))
	for text, no := range numbers {
		for _, part := range parts {
			counts[text] += part[no]
		}
	}
	return counts
}

// boards reads the recent board members of the pairs that are still undecided.
func (b *builder) boards(ctx context.Context, c *corpus, open []pair) (map[ein.EIN][]uint64, error) {
	boards := map[ein.EIN][]uint64{}
	for i := range open {
		if p := &open[i]; p.paid != ein.None && c.filers[p.paid] != nil {
			boards[p.funder], boards[p.paid] = nil, nil
		}
	}
	if len(boards) == 0 {
		return boards, nil
	}
	wanted := slices.Sorted(maps.Keys(boards)) // to be read while the boards are written
	type member struct {
		of  ein.EIN
		key uint64
	}
	err := parallel.Ordered(ctx, b.workers, c.stage.Shards(), func(ctx context.Context, i int) (members []member, err error) {
		for s, err := range stage.Rows[stage.PersonName](ctx, c.stage, i) {
			if err != nil {
				return nil, err
			}
			f := c.chosenFiling(i, s.Seq)
			if f == nil || s.Name == "" || !contains(wanted, f.ein) || f.year <= c.filings[c.filers[f.ein].filing].year-officersYears {
				continue
			}
			if key, ok := board.PersonKey(s.Name); ok {
				members = append(members, member{f.ein, key})
			}
		}
		return members, nil
	}, func(members []member) error {
		for _, m := range members {
			boards[m.of] = append(boards[m.of], m.key)
		}
		return nil
	})
	for of, list := range boards {
		slices.Sort(list)
		boards[of] = slices.Compact(list)
	}
	return boards, err
}

func nameWords(t *resolve.Recipient) string { return t.ParseName().K2 }
