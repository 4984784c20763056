package classify

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/orgname"

	"grantgraph/internal/grant"
)

func TestPlaceholder(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"SEE Attachment 22", "See Attached list", "ATCH 4", "SEE PART IV", "SCHEDULE ATTACHED", "ATTACHMENT C",
		"Eligible Patients (See Schedule #2)", "VARIOUS NEEDY PATIENTS", "SEE STATEMENT 12", "SEE ATTACHED SCHEDULE", "SEEATTACHED",
		"Refer to attached schedule", "SEE THE ATTACHED", "STMT 4", "STATEMENT NO 7", "EXHIBIT A", "LIST ATTACHED", "SEE", "MISCELLANEOUS",
		"Various - see list", "SUNDRY CHARITIES", "Available upon request", "HIPAA PROTECTED", "withheld per HIPPA", "SEE ADDITIONAL DATA", "see addl data table",
		"SEE APPENDIX 3", "\"SEE LISTING\"", "SEE ATTACHMENT C", "DETAILS ON FILE", "GRANT LISTING ATTACHED", "LIST OF GRANTS",
	} {
		if !Placeholder(orgname.Fold(name)) {
			t.Errorf("%q is a placeholder", name)
		}
	}
	for _, name := range []string{
		"SEEDS OF FAITH INC", "SCHEDULE ONE THEATER", "SEE CHANGE INSTITUTE", "SEE PARTNERS FOR VISION", "EXHIBIT COLUMBUS", "LIST FOUNDATION",
		"VARIETY THE CHILDRENS CHARITY", "MULTIPLE SCLEROSIS FOUNDATION INC", "", "LANTERN HOUSE", "HIPPO SANCTUARY", "STATEMENT ARTS",
		"LAWYER REFERRAL SERVICE", "DETAIL THEATER", "GIFT OF LIFE", "FORM ARTS", "GRANTS PASS", "THE LISTENERS", "SEELEY LAKE", "REQUEST FOR PEACE", "TENNESSEE LISTENS", "THE SEEING EYE",
	} {
		if Placeholder(orgname.Fold(name)) {
			t.Errorf("%q is a name", name)
		}
	}
}

func FuzzPlaceholder(f *testing.F) {
	f.Add("SEE ATTACHED")
	f.Add("LIST\xff 4")
	f.Add("!  LIST ")
	f.Fuzz(func(t *testing.T, name string) {
		folded := orgname.Fold(name)
		got := Placeholder(folded)
		// The cheap test must never decide by itself what the full one would not.
		s := words(folded)
		full := pointer.MatchString(s) || bareHeading.MatchString(s)
		if full && !got {
			t.Errorf("%q slips through", name)
		}
		l := Line{Name1: name}
		if got && !Unidentified(&l, false) {
			t.Errorf("%q is a placeholder and yet identified", name)
		}
	})
}

func BenchmarkPlaceholder(b *testing.B) {
	names := []string{"LANTERN HOUSE", "FIRST CHURCH OF EXAMPLE", "SEEDS OF HOPE", "AMERICAN SOCIETY FOR QUIET"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Placeholder(names[i%len(names)])
	}
}

// madeUp trains a classifier on invented names.
func madeUp() *People {
	r := rand.New(rand.NewPCG(1, 2))
	given := strings.Fields("ANNA BRAM CORA DIRK ELSA FINN GRETA HUGO IRIS JONAS KLARA LARS MILA NILS OLGA PIET ROSA SVEN TESSA WIM")
	family := strings.Fields("ABBENHUIS BOSSCHER CLAASSEN DIJKGRAAF EVERTSEN FOKKINGA GROOTHUIS HENDRIKX IJSSELSTEIN JANSONIUS KUIPERS LEENDERTS MEIJERINK NOORLANDER")
	place := strings.Fields("EXAMPLE SAMPLETON RIVERBEND MILLTOWN EASTLAKE HARBOR PRAIRIE LANTERN QUIET GARDEN")
	kind := strings.Fields("FOUNDATION SOCIETY CHURCH SCHOOL CLUB ASSOCIATION CENTER TRUST MINISTRIES LIBRARY")
	pick := func(l []string) string { return l[r.IntN(len(l))] }
	t := NewTrainer()
	for range 4000 {
		name := pick(given) + " " + pick(family)
		if r.IntN(3) == 0 {
			name = pick(given) + " " + string(rune('A'+r.IntN(26))) + " " + pick(family)
		}
		t.AddPerson(name)
		org := pick(place) + " " + pick(kind)
		if r.IntN(2) == 0 {
			org += " INC"
		}
		if r.IntN(4) == 0 {
			org = pick(family) + " FAMILY " + pick(kind)
		}
		t.AddOrg(org)
	}
	return t.Train()
}

func TestPeople(t *testing.T) {
	t.Parallel()
	p := madeUp()
	for _, name := range []string{"ANNA KUIPERS", "Kuipers, Anna", "HUGO B MEIJERINK", "ELSA UNHEARDOF"} {
		if odds := p.LogOdds(name); odds < 2 {
			t.Errorf("%q has %.1f", name, odds)
		}
	}
	for _, name := range []string{"EXAMPLE SOCIETY", "KUIPERS FAMILY TRUST", "QUIET GARDEN CLUB INC", "PRAIRIE LIBRARY"} {
		if odds := p.LogOdds(name); odds > -2 {
			t.Errorf("%q has %.1f", name, odds)
		}
	}
	for name, want := range map[string]bool{"ANNA KUIPERS": false, "EXAMPLE MINISTRIES": true, "KUIPERS FOUNDATION": true, "EXAMPLE LANTERN": true, "": false} {
		if got := p.HasOrgWord(name); got != want {
			t.Errorf("%q has an organization's word: %v", name, got)
		}
	}
	for _, name := range []string{"", "123", "&&&", strings.Repeat("ANNA ", 1000), strings.Repeat("X", 10000), "\xff\xfe"} {
		if odds := p.LogOdds(name); math.IsNaN(odds) || math.IsInf(odds, 0) {
			t.Errorf("%.20q has %v", name, odds)
		}
	}
	var none *People
	if none.LogOdds("ANNA KUIPERS") != 0 || NewTrainer().Train().LogOdds("ANNA KUIPERS") != 0 {
		t.Error("an untrained classifier has an opinion")
	}
}

func TestTrainingDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	persons := []string{"ANNA KUIPERS", "BRAM KUIPERS", "ANNA B CLAASSEN", "CORA EVERTSEN"}
	orgs := []string{"EXAMPLE SOCIETY", "QUIET GARDEN", "KUIPERS TRUST", "EXAMPLE GARDEN"}
	r := rand.New(rand.NewPCG(1, 1))
	train := func() *People {
		tr := NewTrainer()
		r.Shuffle(len(persons), func(i, j int) { persons[i], persons[j] = persons[j], persons[i] })
		r.Shuffle(len(orgs), func(i, j int) { orgs[i], orgs[j] = orgs[j], orgs[i] })
		for i := range persons {
			tr.AddOrg(orgs[i])
			tr.AddPerson(persons[i])
		}
		return tr.Train()
	}
	first := train()
	for range 5 {
		again := train()
		if !slices.Equal(first.odds, again.odds) || !slices.Equal(first.orgWord, again.orgWord) || first.unseen != again.unseen {
			t.Fatal("order shows")
		}
	}
}

func FuzzPeople(f *testing.F) {
	p := madeUp()
	f.Add("ANNA KUIPERS")
	f.Add("Ünïcode 1st 22 'S")
	f.Fuzz(func(t *testing.T, name string) {
		if odds := p.LogOdds(name); math.IsNaN(odds) || math.IsInf(odds, 0) {
			t.Errorf("%q has %v", name, odds)
		}
		l := Line{Name1: name}
		if in := Individual(&l, p); in && !Unidentified(&l, in) {
			t.Error("an individual is identified")
		}
	})
}

func BenchmarkLogOdds(b *testing.B) {
	p := madeUp()
	b.ReportAllocs()
	for b.Loop() {
		p.LogOdds("HUGO B MEIJERINK FAMILY FOUNDATION")
	}
}

func TestIndividual(t *testing.T) {
	t.Parallel()
	p := madeUp()
	for name, c := range map[string]struct {
		line Line
		want bool
	}{
		"element for persons":                {Line{Person: "ANNA KUIPERS"}, true},
		"organization in that element":       {Line{Person: "KUIPERS FAMILY TRUST"}, false},
		"charity in that element, by status": {Line{Person: "UNHEARD THING", Status: "501(C)(3)"}, false},
		"person in spite of the status":      {Line{Person: "ANNA KUIPERS", Status: "PC"}, true},
		"organization there, but status I":   {Line{Person: "EXAMPLE SCHOOL SCHOLARSHIP RECIP", Status: "I"}, true},
		"organization there, status I":       {Line{Person: "KUIPERS FAMILY TRUST", Status: "I", Purpose: "YOUTH PROGRAMS"}, false},
		"organization there, by OF":          {Line{Person: "UNHEARD VENTURE OF KUIPERSTOWN"}, false},
		"organization there, for students":   {Line{Person: "KUIPERS FAMILY TRUST", Status: "I", Purpose: "SCHOLARSHIPS"}, true},
		"person at an organization":          {Line{Person: "ANNA KUIPERS - KUIPERS FAMILY TRUST", Status: "I"}, true},
		"status I":                           {Line{Name1: "EXAMPLE SOCIETY", Status: "I"}, true},
		"status spelled out":                 {Line{Name1: "EXAMPLE", Status: "N/A - Individual"}, true},
		"status of a supporting org":         {Line{Name1: "EXAMPLE SOCIETY", Status: "SO I"}, false},
		"scholars":                           {Line{Name1: "SCHOLARSHIP RECIPIENTS"}, true},
		"needy individuals":                  {Line{Name1: "Various needy individuals (25)"}, true},
		"families first":                     {Line{Name1: "FAMILIES FIRST"}, false},
		"students for a cause":               {Line{Name1: "STUDENTS FOR PEACE"}, false},
		"pointer, in spite of status I":      {Line{Name1: "SEE ATTACHMENT C", Status: "I", PF: true}, false},
		"pointer in the element for persons": {Line{Person: "SEE ATTACHED", Status: "I"}, false},
		"grants, in spite of status I":       {Line{Name1: "GRANTS", Status: "I"}, false},
		"see, in the city of statement":      {Line{Name1: "SEE", City: "STATEMENT", Status: "I"}, false},
		"schedule, in the city of attached":  {Line{Person: "SCHEDULE", City: "ATTACHED"}, false},
		"various, in spite of status I":      {Line{Name1: "VARIOUS", Status: "INDIVIDUAL"}, false},
		"nothing, in spite of status I":      {Line{Name1: "--", Status: "I"}, false},
		"a name that is withheld, status I":  {Line{Name1: "ANONYMOUS", Status: "I"}, true},
		"a patient who is withheld":          {Line{Name1: "PROTECTED BY HIPAA", Status: "I"}, true},
		"withheld, by whom nobody knows":     {Line{Name1: "ANONYMOUS"}, false},
		"noncharity with a person's name":    {Line{Name1: "ANNA KUIPERS", Status: "NC", PF: true}, true},
		"noncharity, element for persons":    {Line{Person: "ANNA KUIPERS", Status: "NC", PF: true}, true},
		"noncharity, surname first":          {Line{Name1: "KUIPERS, ANNA B", Status: "NC", PF: true}, true},
		"noncharity abroad":                  {Line{Name1: "UNHEARD STICHTING", Status: "NC", PF: true}, false},
		"noncharity, a firm of such a name":  {Line{Name1: "ANNA KUIPERS LLP", Status: "NC", PF: true}, false},
		"noncharity, one hyphenated word":    {Line{Name1: "ANNA-KUIPERS", Status: "NC", PF: true}, false},
		"noncharity, partners":               {Line{Name1: "KUIPERS & CLAASSEN", Status: "NC", PF: true}, false},
		"noncharity that is a business":      {Line{Name1: "EXAMPLE GARDEN LLC", Status: "NC", PF: true}, false},
		"only stop words":                    {Line{Name1: "THE AND OF"}, false},
		"person, PF without a status":        {Line{Name1: "ANNA KUIPERS", PF: true}, true},
		"person, scholarship":                {Line{Name1: "ELSA UNHEARDOF", Purpose: "SCHOLARSHIP"}, true},
		"person, care of a bank":             {Line{Name1: "ELSA UNHEARDOF", Street: "C/O BANK, 1 MAIN ST"}, true},
		"person by name alone":               {Line{Name1: "ANNA KUIPERS", Purpose: "GENERAL", Status: "OTHER"}, true},
		"public charity with such a name":    {Line{Name1: "ANNA KUIPERS", Status: "PC"}, false},
		"family foundation":                  {Line{Name1: "ANNA KUIPERS FOUNDATION", PF: true}, false},
		"nothing":                            {Line{}, false},
	} {
		if got := Individual(&c.line, p); got != c.want {
			t.Errorf("%s: %v (%.1f)", name, got, p.LogOdds(fullName(&c.line)+c.line.Person))
		}
	}
}

func TestUnidentified(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "  ", "123 456", "--", "SEE ATTACHED", "VARIOUS CHARITIES", "Misc. contributions", "OTHER", "Other grants", "OTHER CHARITABLE ORGANIZATIONS",
		"ALL OTHER CONTRIBUTIONS", "MATCHING GIFTS", "EMPLOYEE MATCHING GIFTS", "GRANTS UNDER $5,000", "CONTRIBUTIONS LESS THAN $5,000", "ANONYMOUS", "N/A", "PATIENTS - HIPAA", "SUNDRY"} {
		if !Unidentified(&Line{Name1: name}, false) {
			t.Errorf("%q is somebody", name)
		}
	}
	for _, name := range []string{"LANTERN HOUSE", "OTHER SIDE ACADEMY", "ALCOHOLICS ANONYMOUS", "ALL SAINTS CHURCH", "VARIETY CLUB", "ADDITIONAL NEEDS ALLIANCE",
		"MISCELLANY THEATER", "UNDER 21 SHELTER", "CHARITIES AID OF EXAMPLE", "ALL CHILDRENS HOSPITAL", "НАДЕЖДА"} {
		if Unidentified(&Line{Name1: name}, false) {
			t.Errorf("%q is nobody", name)
		}
	}
	if !Unidentified(&Line{Name1: "LANTERN HOUSE"}, true) {
		t.Error("a person must be unidentified")
	}
	if Unidentified(&Line{Person: "KUIPERS FAMILY TRUST"}, false) {
		t.Error("a name in the element for persons is a name")
	}
}

func TestRelatedText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]bool{
		"": {false, true}, "NONE": {false, true}, "none": {false, true}, "N/A": {false, true}, "*": {false, true}, "NO RELATIONSHIP": {false, true},
		"NOT RELATED": {false, true}, "UNRELATED": {false, true}, "Unrelated party": {false, true}, "NON-RELATED": {false, true}, "no family relation": {false, true},
		"N/A - NOT RELATED": {false, true}, "Not applicable": {false, true}, "INDEPENDENT": {false, true},
		"RELATED": {true, true}, "Affiliate": {true, true}, "AFFILIATED ORGANIZATION": {true, true}, "PARENT": {true, true}, "subsidiary": {true, true},
		"SUPPORTED ORGANIZATION": {true, true}, "Trustee is on board": {true, true}, "DIRECTOR'S ALMA MATER": {true, true}, "BOARD MEMBER": {true, true},
		"FAMILY": {true, true}, "COMMON CONTROL": {true, true}, "SAME MANAGEMENT": {true, true}, "OFFICER": {true, true},
		"ORGANIZER": {false, false}, "GRANTEE": {false, false}, "PUBLIC CHARITY": {false, false}, "ACCOMMODATION": {false, false},
	} {
		if related, known := RelatedText(text); [2]bool{related, known} != want {
			t.Errorf("%q: %v, %v", text, related, known)
		}
	}
}

func TestDonorAdvised(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"DONOR ADVISED FUND GRANT": true, "Donor-advised grant for general support": true, "DAF": true, "From a DAF, unrestricted": true, "DONOR ADVISED": true,
		"": false, "DAFFODIL FESTIVAL": false, "ADVISED BY THE DONOR": false, "GENERAL SUPPORT": false,
	} {
		if DonorAdvised(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		facts FunderFacts
		want  Kind
	}{
		"private foundation": {FunderFacts{Name: "KUIPERS FOUNDATION", ReturnType: "990PF", Grantees: 30}, Kind{Kind: grant.PrivateFoundation}},
		"public charity":     {FunderFacts{Name: "EXAMPLE SOCIETY", ReturnType: "990", Grantees: 30}, Kind{Kind: grant.PublicCharity}},
		"sponsor by Schedule D": {FunderFacts{Name: "EXAMPLE REGION FUND", ReturnType: "990", DAFCount: 12, DAFGrants: 60, DAFGrantsYearPaid: 100},
			Kind{grant.Passthrough, true, SignalScheduleD, .99}},
		"university with many funds":  {FunderFacts{Name: "EXAMPLE UNIVERSITY", ReturnType: "990", DAFCount: 300, DAFGrants: 49, DAFGrantsYearPaid: 100}, Kind{grant.PublicCharity, false, SignalScheduleD, .7}},
		"just half":                   {FunderFacts{ReturnType: "990", DAFCount: 2, DAFGrants: 50, DAFGrantsYearPaid: 100}, Kind{grant.Passthrough, true, SignalScheduleD, .99}},
		"half of the lines say so":    {FunderFacts{ReturnType: "990", DAFCount: 2, DAFGrants: 10, DAFGrantsYearPaid: 100, Grants: 9, AdvisedGrants: 5}, Kind{grant.Passthrough, true, SignalScheduleD, .9}},
		"fewer lines say so":          {FunderFacts{ReturnType: "990", DAFCount: 2, DAFGrants: 10, DAFGrantsYearPaid: 100, Grants: 11, AdvisedGrants: 5}, Kind{grant.PublicCharity, false, SignalScheduleD, .7}},
		"lines say so, no Schedule D": {FunderFacts{ReturnType: "990", Grants: 9, AdvisedGrants: 9}, Kind{Kind: grant.PublicCharity}},
		"its name says so":            {FunderFacts{Name: "EXAMPLE BANK DONOR ADVISED FUND INC", ReturnType: "990"}, Kind{grant.Passthrough, true, SignalName, .85}},
		"gift fund":                   {FunderFacts{Name: "EXAMPLE CHARITABLE GIFT FUND", ReturnType: "990"}, Kind{grant.Passthrough, true, SignalName, .85}},
		"funds held, none paid":       {FunderFacts{ReturnType: "990", DAFCount: 90}, Kind{Kind: grant.PublicCharity}},
		"paid that year unknown":      {FunderFacts{ReturnType: "990", DAFCount: 2, DAFGrants: 19}, Kind{grant.PublicCharity, false, SignalScheduleD, .7}},
		"national sponsor":            {FunderFacts{Name: "FIDELITY INVESTMENTS CHARITABLE GIFT FUND", ReturnType: "990"}, Kind{grant.Passthrough, true, SignalName, .85}},
		"its other spelling":          {FunderFacts{Name: "The Schwab Charitable Fund, Inc.", ReturnType: "990"}, Kind{grant.Passthrough, true, SignalName, .85}},
		"community foundation":        {FunderFacts{Name: "EXAMPLE COMMUNITY FOUNDATION INC", ReturnType: "990"}, Kind{grant.PublicCharity, false, SignalName, .6}},
		"strongest signal":            {FunderFacts{Name: "EXAMPLE COMMUNITY FOUNDATION", ReturnType: "990", DAFCount: 300, DAFGrants: 80, DAFGrantsYearPaid: 100}, Kind{grant.Passthrough, true, SignalScheduleD, .99}},
		"fan-out":                     {FunderFacts{Name: "EXAMPLE GIVES", ReturnType: "990", Grantees: 20_000, MedianGrant: 100}, Kind{grant.Passthrough, true, SignalMegaFanout, .8}},
		"fan-out in one year":         {FunderFacts{ReturnType: "990", Grantees: 6000, GranteesBestYear: 5000, MedianGrant: 2499}, Kind{grant.Passthrough, true, SignalMegaFanout, .8}},
		"large grants":                {FunderFacts{ReturnType: "990", Grantees: 30_000, MedianGrant: 2500}, Kind{Kind: grant.PublicCharity}},
		"corporate foundation":        {FunderFacts{Name: "EXAMPLE GIVING FUND", ReturnType: "990PF", Grantees: 50_000, MedianGrant: 50, DAFCount: 3, DAFGrants: 9}, Kind{Kind: grant.PrivateFoundation}},
	} {
		if got := KindOf(c.facts); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if len(sponsors) < 60 {
		t.Errorf("only %d sponsors are listed", len(sponsors))
	}
}

func TestOwnList(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		recipient, funder string
		want              bool
	}{
		{"Example Foundation 2024 Grants", "THE EXAMPLE FOUNDATION", true},
		{"EXAMPLE FOUNDATION - LIST OF GRANTS", "EXAMPLE FOUNDATION", true},
		{"EXAMPLE FOUNDATION", "EXAMPLE FOUNDATION", false},
		{"EXAMPLE FOUNDATION 2", "EXAMPLE FOUNDATION", false},
		{"EXAMPLE FOUNDATION SCHOOL GRANTS", "EXAMPLE FOUNDATION", false},
		{"GRANTS", "", false},
	} {
		if OwnList(c.recipient, c.funder) != c.want || c.want && !Listing(c.recipient) {
			t.Errorf("%s on a return of %s: %v", c.recipient, c.funder, !c.want)
		}
	}
}

func TestInitials(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		funder, recipient string
		want              bool
	}{
		{"QUIET LANTERNS FOUNDATION", "QLF MUSIC HALL", true},
		{"QUIET LANTERNS FOUNDATION", "QL MUSIC HALL", true},
		{"QUIET LANTERNS FOUNDATION", "QLFX MUSIC HALL", false},
		{"QUIET LANTERNS FOUNDATION", "LF MUSIC HALL", false},
		{"QUIET LANTERNS FOUNDATION", "QL", false},
		{"QUIET LANTERNS FOUNDATION", "Q MUSIC HALL", false},
		{"", "QL MUSIC HALL", false},
	} {
		if got := Initials(c.funder, c.recipient); got != c.want {
			t.Errorf("%s and %s: %v", c.funder, c.recipient, got)
		}
	}
}

func TestKinshipOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		funder, recipient string
		want              Kinship
	}{
		{"KUIPERS FOUNDATION TRUST", "KUIPERS FOUNDATION", Vehicles},
		{"FOUNDATION TO PROMOTE QUIET LANTERNS", "QUIET LANTERNS INSTITUTE", Supporters},
		{"FRIENDS OF RIVERBEND LIBRARY", "RIVERBEND LIBRARY", Supporters},
		{"KUIPERS FOUNDATION", "KUIPERS CONSERVATORY", Namesakes},
		{"KUIPERS FOUNDATION", "CLAASSEN FOUNDATION", Strangers},
		{"COMMUNITY FOUNDATION", "COMMUNITY FUND", Strangers},
		{"EXAMPLE COMMUNITY FOUNDATION", "EXAMPLE SYMPHONY", Strangers}, // the town is EXAMPLE
		{"FOUNDATION TRUST", "FUND", Strangers},
		{"THE OHIO ENDOWMENT", "HISTORICAL SOCIETY OF OHIO", Strangers},
		{"", "", Strangers},
	} {
		f, r := Telling(orgname.Parse(c.funder).K2, "Example"), Telling(orgname.Parse(c.recipient).K2, "Example")
		if got := KinshipOf(f, r); got != c.want {
			t.Errorf("%s and %s: %d, want %d (%q, %q)", c.funder, c.recipient, got, c.want, f, r)
		}
		// The cheap test never misses what the full one finds.
		if a, b := Signature(f), Signature(r); c.want != Strangers && a&^b != 0 && b&^a != 0 {
			t.Errorf("the signatures of %s and %s are apart", c.funder, c.recipient)
		}
	}
}

// TestWordsAsTheyAre holds that what is words already is left alone, and that the
// last of them is found without the others.
func TestWordsAsTheyAre(t *testing.T) {
	t.Parallel()
	plain := func(s string) string {
		return strings.Join(strings.FieldsFunc(strings.ToUpper(s), func(r rune) bool { return !('A' <= r && r <= 'Z' || '0' <= r && r <= '9') }), " ")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		b := make([]byte, r.IntN(12))
		for i := range b {
			b[i] = "ABLIST09 ab  .-'\x7f"[r.IntN(17)]
		}
		s := string(b)
		if r.IntN(3) == 0 {
			s += " List"
		}
		want := plain(s)
		if got := words(s); got != want || words(got) != got {
			t.Fatalf("words(%q) = %q, want %q", s, got, want)
		}
		if Listing(s) != paperWords[lastWord(want)] {
			t.Fatalf("Listing(%q) = %v", s, Listing(s))
		}
	}
}
