package likeness

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"grantgraph/internal/typo"
)

// small is a list of invented names, and of words that are in real ones.
var small = New([]Name{
	{1, Primary, "ZOVRAM TRADING COMPANY LTD."},
	{1, AKA, "ZOVRAM GENERAL TRADING LLC"},
	{1, "nka", "NEW ZOVRAM OOO"},
	{1, FKA, "QUIMTHAL EXPORT"},
	{1, Weak, "ZTC"},
	{2, Primary, "THE JEZHMARI RELIEF FOUNDATION"},
	{2, Weak, "RELIEF"},
	{3, Primary, "BANK OF KHUZGOTH"},
	{4, Primary, "MILITARY BRANCH 227"},
	{4, AKA, "AL-VRAZNEM BRANCH"},
	{5, Primary, "OBSHCHESTVO S OGRANICHENNOI OTVETSTVENNOSTYU PAZHILO"},
	{6, Primary, "JOINT STOCK COMPANY DVEMOGRAD STEEL PLANT"},
	{7, Primary, "C.A.D. S.A."},
	{8, Primary, "MGI PTE LTD"},
	{9, Primary, "WAYSIDE CORPORATION"},
	{10, Primary, "COALITION OF GOOD"},
	{11, Primary, "T N K THUZFABRICS LIMITED"},
	{12, Primary, "MARTYRS' BRIGADES OF GHAZLUN"},
	{13, Primary, "AND COMPANY"},
	{14, Primary, "شركة"},
	{15, Primary, "NATIONAL CHURCH"},
	{16, Primary, "SZALEMO-PAHR & SONS"},
	{17, Primary, "...."},
})

func find(t *testing.T, name string, id int64) (Hit, bool) {
	t.Helper()
	for _, h := range small.Find(name, Threshold) {
		if h.ID == id {
			return h, true
		}
	}
	return Hit{}, false
}

// TestFinds asks for names that are written differently.
func TestFinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		id    int64
		least float64
		exact bool
	}{
		{"Zovram Trading Company, Ltd", 1, 1, true},
		{"TRADING ZOVRAM", 1, 1, true},
		{"ZOVRAM TRADING GMBH", 1, 1, true},
		{"ZOVRAM", 1, Threshold, false},
		{"ZOVRAN TRADING", 1, .8, false},
		{"ZOVRAMTRADING", 1, .9, false},
		{"ZOVRAM TRDAING LIMTED", 1, .8, false},
		{"OOO NEW ZOVRAM", 1, 1, true},
		{"ZOVRAM TRDNG", 1, .9, false},
		{"UO PAZHILO", 5, .9, false}, // OOO, transliterated
		{"PAZHILO PDJSC", 5, .9, false},
		{"PAZHYLU", 5, .8, false},
		{"DVEMOGRAD STL PLANT", 6, .9, false},
		{"QUIMTHAL EXPORTS", 1, .8, false},
		{"ZTC", 1, .8, true},
		{"JEZHMARI RELEIF FOUNDATION", 2, .85, false},
		{"JEZHMARI FOUNDATION", 2, Threshold, false},
		{"Khouzgoth Bank", 3, .8, false},
		{"HUZGOTH BANK", 3, .8, false},
		{"ALVRAZNEM BRANCH", 4, .9, false},
		{"MILITARY BRANCH 0227", 4, 1, true},
		{"LLC PAZHILO", 5, 1, true},
		{"ПАЖИЛО", 5, 1, true},
		{"STOCK STEEL DVEMOGRAD JOINT PLANT COMPANY", 6, 1, true},
		{"DVEMO GRAD STEEL PLANT", 6, .9, false},
		{"LIMITED THUZFABRICS K N T", 11, 1, true},
		{"MARTYR BRIGADE OF GHAZLUN", 12, .85, false},
		{"And Company", 13, 1, true},
		{"شركة", 14, 1, true},
		{"NATIONAL CHURCH", 15, 1, true},
		{"Szálemo Pahr and Sons", 16, 1, true},
		{"SZALEMO PAHR &amp; SONS", 16, 1, true},
	} {
		h, ok := find(t, c.name, c.id)
		if !ok || h.Score < c.least || h.Exact != c.exact {
			t.Errorf("%s: found %v, %+v", c.name, ok, h)
		}
	}
}

// TestLeavesAlone asks for names that are others: the first four are real
// nonprofits that were once taken for an entry.
func TestLeavesAlone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"CADI", "MGI SERVICES CORPORATION", "WAYSIDE HOUSE", "COALITION FOR THE COMMON GOOD",
		"", " ", "...", "\x00\xff", "THE", "INC", "FOUNDATION", "TRADING COMPANY", "RELIEF FOUNDATION", "RELIEF SOCIETY",
		"FIRST BAPTIST CHURCH", "NATIONAL BAPTIST CHURCH", "MILITARY BRANCH 228", "BANK OF COMMERCE", "JOINT STOCK COMPANY",
		"THE MARTYRS CHURCH",
	} {
		if hits := small.Find(name, Threshold); len(hits) > 0 {
			t.Errorf("%q is taken for %+v", name, hits)
		}
	}
}

// TestExplains looks at what a hit says.
func TestExplains(t *testing.T) {
	t.Parallel()
	h, _ := find(t, "ALVRAZNEM BRANCH", 4)
	if h.Name != "AL-VRAZNEM BRANCH" || h.Kind != AKA || len(h.Aligned) != 2 || h.Aligned[0].Query != "ALVRAZNEM" || h.Aligned[0].List != "VRAZNEM" {
		t.Errorf("%+v", h)
	}
	h, _ = find(t, "ZOVRAMTRADING", 1)
	if !slices.Equal(h.Flags, []string{FlagSpaceless}) && h.Aligned[0].List != "ZOVRAM TRADING" {
		t.Errorf("%+v", h)
	}
	if h, _ = find(t, "ztc", 1); !slices.Equal(h.Flags, []string{FlagWeakAlias}) || h.Kind != Weak || h.Score != weakAlias {
		t.Errorf("%+v", h)
	}
	if h, _ = find(t, "new zovram", 1); h.Kind != AKA || h.Score != 1 {
		t.Errorf("%+v", h)
	}
	hits := small.Find("MILITARY BRANCH 228", 0.3)
	if len(hits) == 0 || !slices.Contains(hits[0].Flags, FlagNumbersDiffer) {
		t.Errorf("%+v", hits)
	}
	if small.Len() != 23 {
		t.Errorf("%d names", small.Len())
	}
	for _, h := range small.Find("NEW ZOVRAM TRADING", 0) {
		if h.Score != round(h.Score) || h.Score < 0 || h.Score > 1 {
			t.Errorf("%+v", h)
		}
	}
}

// TestEmpty asks lists that have nothing.
func TestEmpty(t *testing.T) {
	t.Parallel()
	for _, l := range []*List{New(nil), New([]Name{{1, Primary, ""}, {2, "", "-"}})} {
		if hits := l.Find("ANYTHING AT ALL", 0); hits != nil {
			t.Errorf("%+v", hits)
		}
	}
}

// TestBounds asks for what is no name, and for the beginning of one.
func TestBounds(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		strings.Repeat("A", 1<<20), strings.Repeat("A ", 1<<20), strings.Repeat("é", 1<<20), strings.Repeat("&amp;", 1<<18),
		strings.Repeat("1.", 1<<20), strings.Repeat("ﬀ", 1<<18), strings.Repeat("Щ", 1<<20), strings.Repeat("\xff", 1<<20),
	} {
		small.Find(name, 0)
		New([]Name{{1, Primary, name}}).Find(name, Threshold)
	}
	long := "ZOVRAM TRADING COMPANY " + strings.Repeat("LTD ", 1000)
	if hits := small.Find(long, Threshold); len(hits) == 0 {
		t.Error("a long name is not found by its beginning")
	}
}

// TestConcurrent asks one list from many sides.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	names := []string{"ZOVRAN TRADING", "KHOUZGOTH BANK", "DVEMOGRAD STEEL", "NOTHING", "MARTYR BRIGADE OF GHAZLUN"}
	want := make([][]Hit, len(names))
	for i, n := range names {
		want[i] = small.Find(n, 0.5)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for k := range 200 {
				if i := k % len(names); !reflect.DeepEqual(small.Find(names[i], 0.5), want[i]) {
					t.Errorf("%s: another answer", names[i])
				}
			}
		})
	}
	wg.Wait()
}

// odd makes invented words, so that lists of any size can be made.
func odd(r *rand.Rand) string {
	heads := strings.Fields("ZOV QUIM VRAZ THUZ JEZH KHOV BRUZ DVEM GHAZ LURZ MJOR PAZH RHUK SZAL TJEV")
	mids := strings.Fields("AVU EMO ILO OQA UZI EBA ARY YDO OGU IZHE UNNA EPHI AKKE")
	tails := strings.Fields("ROV NEM THAL KUSH DZI MAR GOTH VEK LUN SID PAHR")
	return heads[r.IntN(len(heads))] + mids[r.IntN(len(mids))] + tails[r.IntN(len(tails))]
}

// invented makes a list of n names of one to six words.
func invented(r *rand.Rand, n int) []Name {
	plain := strings.Fields("TRADING COMPANY LIMITED BANK RELIEF FOUNDATION STEEL SHIPPING THE OF AND AL GENERAL SERVICES 12 227 INSTITUTE BRANCH PARTY NEW S A JOINT STOCK LLC OOO")
	names := make([]Name, n)
	for i := range names {
		words := []string{odd(r)}
		for range r.IntN(6) {
			if r.IntN(3) == 0 {
				words = append(words, odd(r))
			} else {
				words = append(words, plain[r.IntN(len(plain))])
			}
		}
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		if r.IntN(10) == 0 && len(words) > 1 {
			words = words[1:]
		}
		names[i] = Name{int64(i/2 + 1), []Kind{Primary, AKA, FKA, Weak}[r.IntN(4)], strings.Join(words, " ")}
	}
	return names
}

// garble writes a name differently, in one of many ways.
func garble(s string, r *rand.Rand) string {
	b := []byte(s)
	for range r.IntN(4) {
		if len(b) < 2 {
			break
		}
		i := r.IntN(len(b) - 1)
		switch r.IntN(6) {
		case 0:
			b = slices.Delete(b, i, i+1)
		case 1:
			b = slices.Insert(b, i, byte('A'+r.IntN(26)))
		case 2:
			b[i] = byte('A' + r.IntN(26))
		case 3:
			b[i], b[i+1] = b[i+1], b[i]
		case 4:
			b = slices.Insert(b, i, ' ')
		case 5:
			w := strings.Fields(string(b))
			r.Shuffle(len(w), func(i, j int) { w[i], w[j] = w[j], w[i] })
			b = []byte(strings.Join(w[:max(1, len(w)-r.IntN(2))], " "))
		}
	}
	return string(b)
}

// TestFindIsScan holds Find against the plain scan of the list.
func TestFindIsScan(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	names := invented(r, 3000)
	l := New(names)
	for range 1500 {
		sameAsScan(t, l, garble(names[r.IntN(len(names))].Text, r))
	}
}

func sameAsScan(t *testing.T, l *List, name string) {
	t.Helper()
	if got, want := l.Find(name, Threshold), l.Scan(name, Threshold); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: found\n%s, the scan\n%s", name, lines(got), lines(want))
	}
}

func lines(hits []Hit) string {
	var b strings.Builder
	for _, h := range hits {
		fmt.Fprintf(&b, "%+v\n", h)
	}
	return b.String()
}

// TestOrderDoesNotMatter shuffles the words of names: the score is that of the
// name as it was.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	names := invented(r, 500)
	l := New(names)
	for _, n := range names {
		w := strings.Fields(n.Text)
		r.Shuffle(len(w), func(i, j int) { w[i], w[j] = w[j], w[i] })
		best := 0.0
		for _, h := range l.Find(strings.Join(w, " "), 0) {
			if h.ID == n.ID {
				best = h.Score
			}
		}
		if least := map[bool]float64{true: weakAlias, false: 1}[n.Kind == Weak]; best < least {
			t.Errorf("%s as %s scores %v", n.Text, strings.Join(w, " "), best)
		}
	}
}

// TestNearby holds the index against a comparison with every text.
func TestNearby(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	n := newNearby(joinedReach)
	var texts []string
	for i := range 2000 {
		s := odd(r)
		for range i % 4 {
			s += odd(r)
		}
		if i%500 == 0 { // pieces of it are longer than what is hashed of one
			s = strings.Repeat(s, 40)[:400]
		}
		texts = append(texts, s)
		n.add(s, int32(i))
	}
	n.seal()
	for range 2000 {
		asked := garble(texts[r.IntN(len(texts))], r)
		found := map[int32]bool{}
		n.find(asked, func(id int32) { found[id] = true })
		for i, s := range texts {
			limit := joinedSlips(max(len(s), len(asked)))
			if typo.Within(asked, s, limit) <= limit && !found[int32(i)] {
				t.Errorf("%s is not found as %s", s, asked)
			}
		}
	}
}

// TestNearbyOfFewLetters does the same with texts of few letters, in which pieces
// that were moved or swapped look like others.
func TestNearbyOfFewLetters(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	slip := func(s []byte, letters int) []byte {
		at := r.IntN(len(s))
		switch r.IntN(4) {
		case 0:
			return slices.Insert(s, at, byte('A'+r.IntN(letters)))
		case 1:
			return slices.Delete(s, at, at+1)
		case 2:
			s[at] = byte('A' + r.IntN(letters))
		default:
			if at > 0 {
				s[at-1], s[at] = s[at], s[at-1]
			}
		}
		return s
	}
	for range 20000 {
		letters := 2 + r.IntN(4)
		text := make([]byte, 4+r.IntN(40))
		for i := range text {
			text[i] = byte('A' + r.IntN(letters))
		}
		asked := slices.Clone(text)
		for range 1 + r.IntN(maxSlips) {
			asked = slip(asked, letters)
		}
		n := newNearby(joinedReach)
		n.add(string(text), 0)
		n.seal()
		found := false
		n.find(string(asked), func(int32) { found = true })
		limit := joinedSlips(max(len(text), len(asked)))
		if d := typo.Within(string(asked), string(text), limit); d <= limit && !found {
			t.Fatalf("%s is not found as %s, %d slips from it", text, asked, d)
		}
	}
}

// TestApart holds the comparison of names without spaces against their distance.
func TestApart(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	near := 0
	for range 20000 {
		a := odd(r) + odd(r)[:r.IntN(6)] + strings.Repeat("7", r.IntN(2))
		b := strings.ReplaceAll(garble(a, r), " ", "Ж")
		want := typo.Within(a, b, joinedSlips(max(len(a), len(b))))
		if want > joinedSlips(max(len(a), len(b))) {
			want = -1
		} else {
			near++
		}
		x, y := newRun(a), newRun(b)
		if got := apart(&x, &y); got != want {
			t.Fatalf("%s and %s: %d apart, want %d", a, b, got, want)
		}
	}
	if near < 5000 {
		t.Errorf("only %d are near", near)
	}
}

// TestWords looks at how names are taken apart.
func TestWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"The People's Bank & Trust Co., Ltd.": "PEOPLES BANK TRUST",
		"U.S. S.A. DE C.V.":                   "US",
		"A. B. C. TRADING":                    "ABC TRADING",
		"ALALAM.IR":                           "ALALAM IR",
		"BRANCH NO. 007":                      "BRANCH NO 7",
		"PRIVATE JOINT STOCK COMPANY X2":      "X2",
		"JOINT COMMITTEE":                     "JOINT COMMITTEE",
		"LIMITED LIABILITY COMPANY":           "LIMITED LIABILITY COMPANY",
		"Łódź Intl Centre":                    "LODZ INTERNATIONAL CENTER",
		"3.5 PERCENT":                         "3 5 PERCENT",
		"東京":                                  "東京",
		"":                                    "",
	} {
		if got := strings.Join(Words(name), " "); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// TestWeights looks at what words weigh.
func TestWeights(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]float64{
		"FOUNDATION": {leastWeight, 0.3}, "CHURCH": {leastWeight, 0.3}, "COALITION": {0.4, 0.6}, "ZOVRAMGRAD": {1, 1}, "227": {numberWeight, numberWeight},
	} {
		if w := newWord(text, 0); w.weight < want[0] || w.weight > want[1] {
			t.Errorf("%s weighs %v", text, w.weight)
		}
	}
	if w := newWord("ZOVRAMGRAD", 0.05); w.weight >= 0.6 {
		t.Errorf("a word of every twentieth entry weighs %v", w.weight)
	}
	if _, err := unpack([]byte("no")); err == nil {
		t.Error("a damaged table is read")
	}
}

// FuzzFind asks a list for anything, and makes a list of it.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"ZOVRAM TRADING", "\xff\xfe", "A.B.C. &amp; Ü", "شركة 12", strings.Repeat("X Y", 99), "&#0;&#x110000;", "K.D.P.", "ＦＵＬＬ"} {
		f.Add(s, "ZOVRAM")
	}
	f.Fuzz(func(t *testing.T, name, listed string) {
		l := New([]Name{{1, Primary, listed}, {1, Weak, name}, {2, AKA, name + " " + listed}, {3, Primary, "ZOVRAM TRADING"}})
		for _, asked := range []string{name, listed, listed + name} {
			sameAsScan(t, l, asked)
			for _, h := range l.Find(asked, 0) {
				if h.Score < 0 || h.Score > 1 {
					t.Errorf("%+v", h)
				}
			}
		}
		if len(Words(name)) > 0 {
			if hits := l.Find(name+" "+listed, 1); len(hits) == 0 && len(name)+len(listed) < 200 {
				t.Errorf("%q %q is not found as itself", name, listed)
			}
		}
	})
}

// TestContained holds that a name which contains a listed name is found, whatever else it says,
// and that common words are no such name.
func TestContained(t *testing.T) {
	t.Parallel()
	l := New([]Name{{1, Primary, "HAMAS"}, {2, Primary, "HIZBALLAH"}, {2, AKA, "LEBANESE HIZBALLAH"}, {2, AKA, "HEZBOLLAH"}, {3, Primary, "AL-SHABAAB"},
		{4, AKA, "ISIS"}, {5, AKA, "ISIS-GREATER SAHARA"}, {6, AKA, "ISIS-KHORASAN"}, {7, Primary, "ISIS-SINAI PROVINCE"}, {8, Primary, "ISIS-BANGLADESH"},
		{9, Primary, "ISIS-PHILIPPINES"}, {10, Primary, "ISIS-SOMALIA"}, {11, Primary, "ISIS-LIBYA"}, {20, Primary, "ISIS-CAUCASUS"}, {21, Primary, "ISIS-SAUDI ARABIA"}, {12, Primary, "INTERPAL"},
		{13, Primary, "GAZPROMBANK JOINT STOCK COMPANY"}, {14, Primary, "GLOBAL RELIEF FOUNDATION, INC."}, {15, Primary, "LIMITED LIABILITY COMPANY ELEMENT"},
		{16, Primary, "EMMA LLC"}, {17, AKA, "THE BASE"}, {18, Weak, "THE YOUTH"},
		{22, AKA, "PFLP"}, {23, AKA, "XQK"}, {24, AKA, "XQK LLC"}, {25, Weak, "QXJ"}, {26, AKA, "TAWHID"}})
	for name, want := range map[string]int64{
		"Hamas Relief Fund": 1, "Hizballah Relief Foundation": 2, "Hezbollah Charity Fund": 2, "Hizbullah Youth Center": 2, "Al-Shabaab Youth Support Fund": 3,
		"Shabab Relief Fund": 3, "ISIS Relief Foundation": 4, "American Friends of Interpal": 12, "Gazprombank Charity Foundation": 13,
		"ХАМАС Фонд": 1, "Фонд помощи Хезболла": 2, "Tawheed Relief Fund": 26, "PFLP Relief Fund": 22, "Friends of XQK": 23, "Friends of QXJ": 0,
		"Element of Hope Ministries": 0, "Emma Willard School": 0, "Base Camp Youth Center": 0, "American Relief Fund": 0, "Friends of Youth": 0,
		"Global Vision Foundation": 0, "Sisters of Mercy": 0,
	} {
		hits := l.Find(name, Threshold)
		if want == 0 && len(hits) > 0 || want > 0 && (len(hits) == 0 || hits[0].ID != want || !slices.Contains(hits[0].Flags, FlagContained)) {
			t.Errorf("%s: %+v, want %d", name, hits, want)
		}
	}
}
