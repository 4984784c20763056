package orgname

import (
	_ "embed"
	"slices"
	"strings"

	"grantgraph/internal/place"
	"grantgraph/internal/table"
)

// Veto is a set of reasons why two names cannot mean one organization.
type Veto uint8

const (
	Num   Veto = 1 << iota // different numbers: POST 7 and POST 9
	Dir                    // different directions: NORTH and SOUTH
	Aff                    // one is an affiliate of the other: X and FRIENDS OF X
	State                  // each names a different state
	Inst                   // one is an institution, the other a body at it
	Peer                   // each names the other of a pair: YMCA and YWCA, boys and girls
)

// String lists the reasons, for reports and test failures.
func (v Veto) String() string {
	var s []string
	for i, name := range [...]string{"num", "dir", "aff", "state", "inst", "peer"} {
		if v&(1<<i) != 0 {
			s = append(s, name)
		}
	}
	return strings.Join(s, "+")
}

// Traits is what vetoes look at, read once from a name that is to be compared with many others.
type Traits struct {
	k2     string
	nums   [6]uint64 // distinct numbers, sorted; further ones are not told apart
	nnums  uint8
	inst   bool // first or last word is an institution word
	dirs   uint8
	affs   uint32
	states uint64 // bit per state named
	peers  uint32 // two bits for each pair of peers
}

func (n Name) Traits() Traits { return TraitsOf(n.K2) }

func TraitsOf(k2 string) Traits {
	t := Traits{k2: k2}
	for from, first := 0, true; from < len(k2); first = false {
		to := wordEnd(k2, from)
		w := k2[from:to]
		v := vetoWords[w]
		t.affs |= v.aff
		t.inst = t.inst || v.inst && (first || to == len(k2))
		if v.begins {
			if bit, end := stateAt(k2, from, to); bit != 0 {
				t.states |= bit
				if end > to { // NORTH in NORTH DAKOTA is no direction
					v.dir, to = 0, end
				}
			}
		}
		t.dirs |= v.dir
		t.peers |= v.peer
		t.addNumbers(w)
		from = to + 1
	}
	slices.Sort(t.nums[:t.nnums])
	return t
}

// Marks are the traits of a name in four bytes, so that a program can keep them for millions of names: affiliates, directions,
// and whether an institution has the name. A flag marks the few names with further traits, such as a number or a state; those
// names are read again.
type Marks uint32

const (
	markDirs             = 23 // affiliates have the bits below
	markInst       Marks = 1 << 31
	moreThanMarked Marks = 1<<32 - 1
)

func (t *Traits) Marks() Marks {
	if t.nnums != 0 || t.states != 0 || t.peers != 0 {
		return moreThanMarked
	}
	m := Marks(t.affs) | Marks(t.dirs)<<markDirs
	if t.inst {
		m |= markInst
	}
	return m
}

// Traits returns the traits of the K2 key from which the marks were made.
func (m Marks) Traits(k2 string) Traits {
	if m == moreThanMarked {
		return TraitsOf(k2)
	}
	return Traits{k2: k2, affs: uint32(m) & (1<<markDirs - 1), dirs: uint8(m >> markDirs), inst: m&markInst != 0}
}

// Conflicts returns every reason why t and u cannot be one organization.
func (t *Traits) Conflicts(u *Traits) Veto {
	var v Veto
	if t.nnums != u.nnums || t.nums != u.nums {
		v |= Num
	}
	if t.dirs != u.dirs {
		v |= Dir
	}
	if t.affs != u.affs {
		v |= Aff
	}
	if t.states != 0 && u.states != 0 && t.states&u.states == 0 {
		v |= State
	}
	if t.inst && extends(t.k2, u.k2) || u.inst && extends(u.k2, t.k2) {
		v |= Inst
	}
	if t.peers != 0 && u.peers != 0 {
		const first = 0x55555555 // the lower bit of each pair
		pairs := func(bits uint32) uint32 { return (bits | bits>>1) & first }
		if pairs(t.peers)&pairs(u.peers)&^pairs(t.peers&u.peers) != 0 {
			v |= Peer
		}
	}
	return v
}

// ConflictsByInst reports whether Inst is a reason why t and the name with this K2 key and marks cannot be one organization. If
// neither is an institution, it does not read the key.
func (t *Traits) ConflictsByInst(marks Marks, k2 string) bool {
	if t.inst && extends(t.k2, k2) {
		return true
	}
	if marks&markInst == 0 || !extends(k2, t.k2) {
		return false
	}
	return marks.Traits(k2).inst
}

// Attached reports whether one of the two is a body at the other: it has all the words of the other and, besides, that of a
// foundation, of alumni, staff, retirees or parents.
func (t *Traits) Attached(u *Traits) bool {
	return t.affs != u.affs && (within(t.k2, u.k2) || within(u.k2, t.k2))
}

// Around reports whether t is a body around u: its auxiliary, its endowment, its
// alumni, parents or staff, with every word of u and more.
func (t *Traits) Around(u *Traits) bool {
	return t.affs&^u.affs&around != 0 && len(t.k2) > len(u.k2) && within(u.k2, t.k2)
}

// ElsewhereInState reports whether two names of one state name different parts of it: Western Kentucky is not Kentucky.
func (t *Traits) ElsewhereInState(u *Traits) bool {
	return t.dirs != u.dirs && t.states != 0 && t.states == u.states
}

// AroundPart reports whether t is a body around the institution u, of which u names a part or a campus: "HAWAII
// UNIVERSITY FOUNDATION" is not the university's school of nursing.
func (t *Traits) AroundPart(u *Traits) bool {
	if !u.inst || t.affs&^u.affs == 0 {
		return false
	}
	for from := 0; from < len(t.k2); {
		to := wordEnd(t.k2, from)
		if w := t.k2[from:to]; vetoWords[w].aff == 0 && !hasWord(u.k2, w) {
			return false
		}
		from = to + 1
	}
	return true
}

// within reports whether long has every word of short.
func within(short, long string) bool {
	for from := 0; from < len(short); {
		to := wordEnd(short, from)
		if !hasWord(long, short[from:to]) {
			return false
		}
		from = to + 1
	}
	return true
}

// addNumbers records every run of digits in w, so that PS 12 and PS12 agree.
func (t *Traits) addNumbers(w string) {
	for i := 0; i < len(w); {
		if w[i] > '9' {
			i++
			continue
		}
		n := uint64(0)
		for i < len(w) && w[i] <= '9' {
			n = n*10 + uint64(w[i]-'0') // wraps on absurd lengths, alike on both sides
			i++
		}
		if !slices.Contains(t.nums[:t.nnums], n) && int(t.nnums) < len(t.nums) {
			t.nums[t.nnums] = n
			t.nnums++
		}
	}
}

// extends reports whether long has every word of short and another word that matters. The name of a state does not matter, nor
// do the words for a governing body: the trustees of a college are the college.
func extends(short, long string) bool {
	if len(long) <= len(short) || !within(short, long) {
		return false
	}
	for from := 0; from < len(long); {
		to := wordEnd(long, from)
		w := long[from:to]
		v := vetoWords[w]
		if v.begins {
			if bit, end := stateAt(long, from, to); bit != 0 {
				from = end + 1
				continue
			}
		}
		if words[w].class&(legal|stop) == 0 && !v.governs && !hasWord(short, w) && w[0] > '9' {
			return true
		}
		from = to + 1
	}
	return false
}

func hasWord(s, w string) bool {
	for from := 0; from < len(s); {
		to := wordEnd(s, from)
		if s[from:to] == w {
			return true
		}
		from = to + 1
	}
	return false
}

func wordEnd(s string, from int) int {
	if i := strings.IndexByte(s[from:], ' '); i >= 0 {
		return from + i
	}
	return len(s)
}

type vetoWord struct {
	dir    uint8
	aff    uint32
	peer   uint32
	inst   bool
	begins bool // begins the name of a state
	// governs is set for those who are an institution in law.
	governs bool
}

type stateName struct {
	name string
	bit  uint64
}

// stateNames is sorted by falling length, so that WEST VIRGINIA is tried before VIRGINIA.
var stateNames = func() []stateName {
	var list []stateName
	for i, r := range place.Regions() {
		if r.FIPS == "" {
			continue
		}
		list = append(list, stateName{strings.ReplaceAll(strings.ToUpper(r.Name), " OF ", " "), 1 << i})
	}
	slices.SortStableFunc(list, func(a, b stateName) int { return len(b.name) - len(a.name) })
	return list
}()

// stateAt finds a state's name at k2[from:], whose first word ends at to.
func stateAt(k2 string, from, to int) (bit uint64, end int) {
	rest := k2[from:]
	for i := range stateNames {
		s := &stateNames[i]
		if !strings.HasPrefix(rest, s.name) {
			continue
		}
		end := len(s.name)
		if end < len(rest) && rest[end] != ' ' {
			continue
		}
		if s.name == "KANSAS" && strings.HasPrefix(rest[end:], " CITY") {
			return 0, to // a city in two states
		}
		return s.bit, from + end
	}
	return 0, to
}

// around are the affiliates that filers never mean when they write the name of the institution alone. A foundation, a fund or
// the friends of an institution are often meant.
var around = func() (bits uint32) {
	for w := range strings.FieldsSeq("AUXILIARY ENDOWMENT PTA PTO BOOSTER ALUMNI GUILD UNION STAFF RETIREES FACULTY PARENT PENSION") {
		bits |= vetoWords[w].aff
	}
	return bits
}()

//go:embed vetowords.tsv
var vetoText string

var vetoWords = func() map[string]vetoWord {
	m, rows := make(map[string]vetoWord), map[string]uint{}
	for _, r := range table.Read("vetowords.tsv", vetoText, "trait", "words") {
		trait := r.Text("trait")
		bit := rows[trait]
		rows[trait]++
		var v vetoWord
		switch trait {
		case "direction":
			v.dir = 1 << bit
		case "affiliate":
			v.aff = 1 << bit
		case "peer":
			v.peer = 1 << bit
		case "institution":
			v.inst = true
		case "governs":
			v.governs = true
		default:
			r.Fail("no trait %s", trait)
		}
		for _, w := range r.Fields("words") {
			m[w] = v
		}
	}
	for _, s := range stateNames {
		first, _, _ := strings.Cut(s.name, " ")
		v := m[first]
		v.begins = true
		m[first] = v
	}
	return m
}()
