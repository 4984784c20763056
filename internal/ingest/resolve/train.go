package resolve

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/calibration"
	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve/model"
	"grantgraph/internal/orgname"
	"grantgraph/internal/parallel"
	"grantgraph/internal/radix"
	"grantgraph/internal/table"
)

// Label is a line whose organization is known because its filer stated the EIN.
type Label struct {
	Recipient Recipient // its filed EIN is ignored
	Name      *orgname.Name
	Funder    ein.EIN
	Truth     ein.EIN

	// The evaluation groups lines by these fields; the model does not use them.
	Year   int16
	Amount int64
}

// Bounds of the training. With fewer than fewLabels labels, the weights for each fifth come from the other four
// fifths, so that no label is wasted. With fewer than leastLabels, the prior is used instead. An estimate from
// unresolved lines needs leastAsked of them.
const (
	leastLabels = 500
	leastAsked  = 2000
	fewLabels   = 20_000
	mostLabels  = 120_000
	folds       = 5
)

// Outside is the assumed share of unresolved lines without an organization in the universe, used if there is no estimate.
const Outside = 0.6

// Prior is the model that ships with the program, fitted on a sample of real Schedule I lines. It is used if a corpus
// has too few labels to train on.
func Prior() *model.Model {
	m, err := model.Prior(features[:])
	if err != nil {
		panic(err) // the file is embedded, and a test reads it
	}
	return m
}

func ReadModel(r io.Reader) (*model.Model, error) { return model.Read(r, features[:]) }

// Train fits a model to lines whose EIN is known, each resolved blindly, and to lines without an organization: lines
// whose EIN is unknown, and other lines with their organization removed from the universe. Without the second kind,
// the model would believe that every line has an answer. outside is the share of lines without an organization among
// those the model will be asked about.
//
// The model depends on the set of labels, not on their order or the number of cores. If the rules leave too few lines
// to learn from, Train returns nil; use Prior then.
func (r *Resolver) Train(labels []Label, outside float64) *model.Model {
	lines := r.trainingLines(sampleLabels(labels))
	if countOpen(lines) < leastLabels {
		return nil
	}
	return r.learn(lines, outside)
}

// TrainSmall is Train without the minimum number of labels, for making the prior and for cross-validation.
func (r *Resolver) TrainSmall(labels []Label, outside float64) *model.Model {
	return r.learn(r.trainingLines(labels), outside)
}

// sampleLabels keeps at most mostLabels labels, chosen by a fixed hash that is unrelated to their order.
func sampleLabels(labels []Label) []Label {
	if len(labels) <= mostLabels {
		return labels
	}
	type ticket struct {
		draw uint64
		at   int32
	}
	tickets := make([]ticket, len(labels))
	for i := range labels {
		l := &labels[i]
		h := hashKey(l.Recipient.Name1) ^ hashKey(l.Recipient.Street+l.Recipient.ZIP+l.Recipient.Name2)*31 ^
			uint64(l.Truth)*0x9e3779b97f4a7c15 ^ uint64(l.Funder)*0xc2b2ae3d27d4eb4f
		tickets[i] = ticket{h, int32(i)}
	}
	slices.SortFunc(tickets, func(a, b ticket) int {
		return cmp.Or(cmp.Compare(a.draw, b.draw), compareLabels(&labels[a.at], &labels[b.at]))
	})
	kept := make([]Label, mostLabels)
	for i := range kept {
		kept[i] = labels[tickets[i].at]
	}
	return kept
}

type trainingLine struct {
	label  *Label
	open   bool   // its organization is in the universe, and no rule finds it
	absent bool   // its organization is missing, and no rule finds another
	masked bool   // its organization is in the universe; with that removed, no rule finds another
	easy   bool   // its organization is in the universe, and a rule finds it
	at     bool   // the register of its state was loaded
	bucket uint32 // assigned by organization, so that one organization is never on both sides
}

// easyWeight is the weight of a line that a rule resolves, relative to one that no rule resolves. Both kinds show
// what organizations are like, but the first kind is many times more frequent. At most about easyLines of them are
// used for each line that no rule resolves.
const (
	easyWeight = 0.3
	easyLines  = 8
)

// maskEvery is N if one in N lines that a rule resolves is also asked with its organization removed. These lines are
// many and similar.
const maskEvery = 4

// trainingLines picks the lines to learn from, in a fixed order: lines that no rule resolves, and lines that no rule
// would resolve if their organization were unknown.
func (r *Resolver) trainingLines(labels []Label) (list []trainingLine) {
	rules := New(r.u, Options{Human: r.opt.Human, Assisted: r.opt.Assisted, Off: r.opt.Off})
	all := make([]trainingLine, len(labels))
	onAllCores(len(labels), func(from, to int) {
		for i := from; i < to; i++ {
			l := &labels[i]
			if !r.usable(l) {
				continue
			}
			h := hashKey(l.Truth.String())
			state := lineState(&l.Recipient, l.Name)
			t := trainingLine{label: l, bucket: uint32(h>>20) % 100, at: state == 0 || r.u.covered[state]}
			known := r.Knows(l.Truth, l.Funder)
			silent := rules.ResolveBlind(&l.Recipient, l.Name, l.Funder, ein.None).EIN == ein.None
			t.open, t.absent = silent && known, silent && !known
			t.easy = known && !silent
			if known && (silent || (hashKey(l.Name.KX)+h)%maskEvery == 0) {
				t.masked = rules.ResolveBlind(&l.Recipient, l.Name, l.Funder, l.Truth).EIN == ein.None
			}
			all[i] = t
		}
	})
	open, easy := countOpen(all), 0
	for i := range all {
		easy += int(oneIf(all[i].easy))
	}
	every := uint64(easy/(easyLines*(open+1)) + 1)
	for i := range all {
		t := &all[i]
		t.easy = t.easy && open < fewLabels && hashKey(t.label.Name.KX)%every == 0
		if t.open || t.absent || t.masked || t.easy {
			list = append(list, *t)
		}
	}
	slices.SortFunc(list, func(a, b trainingLine) int { return compareLabels(a.label, b.label) })
	return list
}

// countOpen counts the lines whose answer only the model can find.
func countOpen(list []trainingLine) (n int) {
	for i := range list {
		n += int(oneIf(list[i].open))
	}
	return n
}

// learn fits, calibrates and tests the model. The probabilities apply to states whose register was loaded; Coverage
// adjusts them for other states.
func (r *Resolver) learn(list []trainingLine, outside float64) *model.Model {
	present := countOpen(list)
	var m *model.Model
	var calibrate, test []model.Point
	metrics := model.Metrics{Labels: present}
	blocked, top := 0, 0
	take := func(m *model.Model, in func(*trainingLine) bool) []model.Point {
		points, b, t := r.scorePoints(m, list, func(l *trainingLine) bool { return l.at && in(l) }, outside)
		blocked, top = blocked+b, top+t
		return points
	}
	all := r.measureAll(list)
	if present < fewLabels {
		m = fit(list, all, func(*trainingLine) bool { return true }, outside)
		for fold := range uint32(folds) {
			out := fit(list, all, func(l *trainingLine) bool { return l.bucket%folds != fold }, outside)
			calibrate = append(calibrate, take(out, func(l *trainingLine) bool { return l.bucket%folds == fold })...)
		}
		test = calibrate
		metrics.Fitted = present
	} else {
		m = fit(list, all, func(l *trainingLine) bool { return l.bucket < 60 }, outside)
		calibrate = take(m, func(l *trainingLine) bool { return l.bucket >= 60 && l.bucket < 80 })
		blocked, top = 0, 0
		test = take(m, func(l *trainingLine) bool { return l.bucket >= 80 })
		for i := range list {
			metrics.Fitted += int(oneIf(list[i].open && list[i].bucket < 60))
		}
	}
	m.Calibrate(calibrate)
	m.Outside = outside
	metrics.Calibrated, metrics.Tested = countKnown(calibrate), countKnown(test)
	metrics.Blocking = ratio(blocked, metrics.Tested)
	metrics.Top = ratio(top, metrics.Tested)
	assess(m, test, &metrics)
	m.Metrics = metrics
	return m
}

// countKnown counts the points of lines whose organization is in the universe.
func countKnown(points []model.Point) (n int) {
	for i := range points {
		n += int(oneIf(points[i].Known))
	}
	return n
}

// assess computes the metrics that depend on the probabilities.
func assess(m *model.Model, points []model.Point, to *model.Metrics) {
	var accepted, right, present, loss float64
	var bins calibration.Bins
	for _, p := range points {
		prob := m.Prob(p.Score, 0)
		y := oneIf(p.Right)
		loss -= p.Weight * (y*math.Log(prob) + (1-y)*math.Log(1-prob))
		present += oneIf(p.Known)
		to.Masked += int(oneIf(!p.Known))
		bins.Add(prob, p.Weight, p.Right)
		if prob >= model.Accept {
			to.Accepted++
			accepted += p.Weight
			right += p.Weight * y
		}
	}
	to.ECE, to.LogLoss = bins.ExpectedError(), loss/max(bins.Weight, 1)
	if accepted > 0 {
		to.Precision = right / accepted
	}
	if present > 0 {
		to.Recall = right / present
	}
}

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// strong is the similarity from which every wrong candidate is kept. Of the others, one in sparse is kept, with a
// higher weight.
const (
	strong = 0.85
	sparse = 6
)

// measuredLine holds the candidates of one training line, with its organization and without.
type measuredLine struct{ open, without model.Rows }

// measureAll measures every line once for all fits.
func (r *Resolver) measureAll(list []trainingLine) []measuredLine {
	all := make([]measuredLine, len(list))
	onAllCores(len(list), func(from, to int) {
		for i := from; i < to; i++ {
			l := &list[i]
			if l.open || l.easy {
				r.addExamples(&all[i].open, l, ein.None)
			}
			if l.absent || l.masked {
				r.addExamples(&all[i].without, l, l.label.Truth)
			}
		}
	})
	return all
}

// fit learns weights from some of the lines. It ignores missing organizations in states without a register.
func fit(list []trainingLine, all []measuredLine, in func(*trainingLine) bool, outside float64) *model.Model {
	size, present, without := 0, 0, 0
	lost := func(l *trainingLine) bool { return l.masked || l.absent && l.at }
	for i := range list {
		if l := &list[i]; in(l) {
			size += all[i].open.Len() + all[i].without.Len()
			present += int(oneIf(l.open))
			without += int(oneIf(lost(l)))
		}
	}
	rows := model.NewRows(nFeatures, size)
	for i := range list {
		l := &list[i]
		if !in(l) {
			continue
		}
		weight := 1.0
		if l.easy {
			weight = easyWeight
		}
		rows.Append(&all[i].open, weight)
		if lost(l) {
			rows.Append(&all[i].without, outside/(1-outside)*float64(present)/float64(without))
		}
	}
	return model.Fit(features[:], rows)
}

// without is the weight of a line as an example without an organization.
func (l *trainingLine) without(absent, masked float64) float64 {
	switch {
	case l.absent:
		return absent
	case l.masked:
		return masked
	}
	return 0
}

// outsideWeights are the weights of lines without an organization, so that these lines have their share of all chosen lines.
// Lines that truly have none come first; if they are too few, lines whose organization was removed fill up the share.
func outsideWeights(list []trainingLine, in func(*trainingLine) bool, outside float64) (absent, masked float64) {
	present, lost, hidden := 0, 0, 0
	for i := range list {
		if l := &list[i]; in(l) {
			present += int(oneIf(l.open))
			lost += int(oneIf(l.absent))
			hidden += int(oneIf(l.masked))
		}
	}
	share := outside / (1 - outside) * float64(present)
	absent = 1
	if float64(lost) > share || hidden == 0 && lost > 0 {
		return share / float64(lost), 0
	}
	if hidden > 0 {
		masked = (share - float64(lost)) / float64(hidden)
	}
	return absent, masked
}

func (r *Resolver) addExamples(to *model.Rows, l *trainingLine, absent ein.EIN) {
	to.Width = nFeatures
	r.measureLabel(l.label, absent, func(s *search) {
		d := &r.u.index
		for i := range s.found {
			name := s.found[i].name
			right := r.u.orgs[d.orgOf(name)].EIN == l.label.Truth
			weight := 1.0
			if !right && s.rows[i][fSimilar] < strong {
				// A fixed choice that is unrelated to the features.
				if (uint64(name)*0x9e3779b97f4a7c15>>32+uint64(l.bucket))%sparse != 0 {
					continue
				}
				weight = sparse
			}
			to.Add(s.rows[i][:], right, weight)
		}
	})
}

// measureLabel measures the candidates of a label, ignoring the statements of its own funder.
func (r *Resolver) measureLabel(l *Label, absent ein.EIN, fn func(*search)) {
	q := r.blindQuery(l, absent)
	s := r.u.searches.get()
	known := r.einCounts(q)
	r.candidates(q, s, known)
	r.measure(q, s, known)
	fn(s)
	r.u.searches.pool.Put(s)
}

func (r *Resolver) blindQuery(l *Label, absent ein.EIN) *query {
	line := l.Recipient
	line.Filed = ein.None
	q := &query{t: &line, n: l.Name, barred: l.Funder, funder: l.Funder, without: l.Funder, absent: absent}
	q.prepare()
	r.prepareStreet(q)
	return q
}

// scorePoints scores the best candidate of every chosen line. It counts the lines whose organization is a candidate,
// and the lines whose organization is the best candidate.
func (r *Resolver) scorePoints(m *model.Model, list []trainingLine, in func(*trainingLine) bool, outside float64) (points []model.Point, blocked, top int) {
	var chosen []*trainingLine
	for i := range list {
		if in(&list[i]) {
			chosen = append(chosen, &list[i])
		}
	}
	absent, masked := outsideWeights(list, in, outside)
	type result struct {
		point           [2]model.Point // with its organization, and without
		blocked, topped bool
	}
	results := make([]result, len(chosen))
	asked := &Resolver{u: r.u, opt: Options{Model: m, History: r.opt.History}}
	onAllCores(len(chosen), func(from, to int) {
		for i := from; i < to; i++ {
			l, res := chosen[i], &results[i]
			ask := func(point *model.Point, hidden ein.EIN, weight float64) {
				*point = model.Point{Score: lowest, Weight: weight, Known: hidden == ein.None}
				asked.measureLabel(l.label, hidden, func(s *search) {
					d := &r.u.index
					q := r.blindQuery(l.label, hidden)
					best, second := asked.bestTwo(q, s)
					for k := range s.found {
						res.blocked = res.blocked || r.u.orgs[d.orgOf(s.found[k].name)].EIN == l.label.Truth
					}
					if best < 0 || byChance(&s.rows[best]) || asked.ofRelative(q, s, best) {
						return
					}
					point.Score = combined(s.by[best], second)
					point.Right = r.u.orgs[d.orgOf(s.found[best].name)].EIN == l.label.Truth
					res.topped = res.topped || point.Right
				})
			}
			if l.open {
				ask(&res.point[0], ein.None, 1)
			}
			if w := l.without(absent, masked); w > 0 {
				ask(&res.point[1], l.label.Truth, w)
			}
		}
	})
	for i := range results {
		res := &results[i]
		for _, p := range res.point {
			if p.Weight > 0 {
				points = append(points, p)
			}
		}
		blocked += int(oneIf(res.blocked))
		top += int(oneIf(res.topped))
	}
	return points, blocked, top
}

// onAllCores runs fn over parts of 0 to n-1.
func onAllCores(n int, fn func(from, to int)) {
	parallel.Ranges(n, parallel.Parts(n, 64), func(_, from, to int) { fn(from, to) })
}

func compareLabels(a, b *Label) int {
	x, y := &a.Recipient, &b.Recipient
	return cmp.Or(cmp.Compare(a.Truth, b.Truth), cmp.Compare(a.Funder, b.Funder), strings.Compare(x.Name1, y.Name1), strings.Compare(x.Name2, y.Name2),
		strings.Compare(x.Street, y.Street), strings.Compare(x.City, y.City), strings.Compare(x.State, y.State), strings.Compare(x.ZIP, y.ZIP),
		cmp.Compare(x.TaxStatus, y.TaxStatus))
}

// unrelatedNames is the number of unrelated names for which one filer may use one EIN. From there on, the EIN only
// fills a box: a school district's EIN for each school, or 99-9999999.
const unrelatedNames = 10

// SetAside marks the labels of filers that put one EIN on ten or more unrelated names. Such labels do not tell which
// organization the line means.
func SetAside(labels []Label) (aside []bool, n int) {
	order := make([]int32, len(labels))
	for i := range order {
		order[i] = int32(i)
	}
	who := func(a, b int32) int {
		x, y := &labels[a], &labels[b]
		return cmp.Or(cmp.Compare(x.Funder, y.Funder), cmp.Compare(x.Truth, y.Truth))
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(who(a, b), cmp.Compare(a, b)) })
	aside = make([]bool, len(labels))
	for run := range radix.Runs(order, func(a, b int32) bool { return who(a, b) == 0 }) {
		if len(run) >= unrelatedNames && unrelated(labels, run) {
			for _, i := range run {
				aside[i] = true
			}
			n += len(run)
		}
	}
	return aside, n
}

// unrelated reports whether enough of the names are unrelated to each other.
func unrelated(labels []Label, which []int32) bool {
	var told [unrelatedNames]*orgname.Name
	n := 0
next:
	for _, i := range which {
		name := labels[i].Name
		for _, other := range told[:n] {
			if name.KX == other.KX || sharesWord(name.K2, other.K2, func(w string) bool { return !commonWord(w) && !kindWords[w] }) {
				continue next
			}
		}
		told[n] = name
		if n++; n == unrelatedNames {
			return true
		}
	}
	return false
}

// kindWords name a kind of organization. All schools of a district or all parishes of a diocese share them.
var kindWords = table.SetOf("SCHOOL SCHOOLS HIGH MIDDLE ELEMENTARY PRIMARY PREPARATORY ACADEMY COLLEGE UNIVERSITY CHURCH PARISH CATHOLIC SAINT HOLY " +
	"YOUTH TEEN SENIOR HOUSE HOME FOOD BANK PANTRY MEALS AIR FORCE BASE AFB FORT NAVAL STATION HOSPITAL CLINIC HEALTH COUNTY CITY NORTH SOUTH EAST WEST")
