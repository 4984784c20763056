package orgname

import (
	"slices"
	"strings"
	"testing"
)

// TestVectors are the cases that define normalization.
func TestVectors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		raw, k1, k2, alias string
		co                 bool
	}{
		{"The Kenan-Flagler Business School Foundation, Inc.", "KENAN FLAGLER BUSINESS SCHOOL FOUNDATION", "same", "", false},
		{"MEMPHIS ATHLETIC MINISTRIES (MAM)", "MEMPHIS ATHLETIC MINISTRIES", "same", "MAM", false},
		{"St. Mary's Church", "ST MARYS CHURCH", "SAINT MARY CHURCH", "", false},
		{"FIRST BAPTIST CHURCH OF MT. PLEASANT", "FIRST BAPTIST CHURCH OF MT PLEASANT", "1 BAPTIST CHURCH MOUNT PLEASANT", "", false},
		{"1ST BAPTIST CHURCH MOUNT PLEASANT", "1ST BAPTIST CHURCH MOUNT PLEASANT", "1 BAPTIST CHURCH MOUNT PLEASANT", "", false},
		{"VICTORIA KEENER C/O PNC BANK NA", "VICTORIA KEENER", "same", "", true},
		{"Y.M.C.A. OF GREATER BOSTON, INC., THE", "YMCA OF GREATER BOSTON", "YMCA GREATER BOSTON", "", false},
		{"AMERICAN LEGION POST NO. 007", "AMERICAN LEGION POST NO 007", "AMERICAN LEGION POST 7", "", false},
		{"American Legion Post Seven", "AMERICAN LEGION POST SEVEN", "AMERICAN LEGION POST 7", "", false},
		{"UNIV OF CALIF DBA UC DAVIS HEALTH", "UNIV OF CALIF", "UNIVERSITY CALIF", "UC DAVIS HEALTH", false},
		{"COOK CO HISTORICAL SOC", "COOK CO HISTORICAL SOC", "COOK COUNTY HISTORICAL SOCIETY", "", false},
		{"WORLD WAR II MUSEUM INC", "WORLD WAR II MUSEUM", "same", "", false},
		{"FUND II FOUNDATION", "FUND II FOUNDATION", "FUND 2 FOUNDATION", "", false},
		{"% JOHN SMITH TREASURER", "", "", "", true},
		{"THE", "THE", "THE", "", false},
		{"Michigan U of", "U MICHIGAN OF", "UNIVERSITY MICHIGAN", "", false},
		{"Michigan U of Sch of Pub Hlt", "U MICHIGAN OF SCH OF PUB HLT", "UNIVERSITY MICHIGAN SCHOOL PUBLIC HEALTH", "", false},
		{"New Mexico U of Hlt Scis Ctr", "U NEW MEXICO OF HLT SCIS CTR", "UNIVERSITY NEW MEXICO HEALTH SCIENCES CENTER", "", false},
		{"Alabama U of at Birmingham", "U ALABAMA OF AT BIRMINGHAM", "UNIVERSITY ALABAMA BIRMINGHAM", "", false},
		{"INDIANA UNIVERSITY OF PENNSYLVANIA", "INDIANA UNIVERSITY OF PENNSYLVANIA", "INDIANA UNIVERSITY PENNSYLVANIA", "", false},
		{"WESTERN UNIVERSITY OF HEALTH SCIENCES", "WESTERN UNIVERSITY OF HEALTH SCIENCES", "WESTERN UNIVERSITY HEALTH SCIENCES", "", false},
		{"Elm Sch of Med at Mt Ash", "ELM SCH OF MED AT MT ASH", "ELM SCHOOL MED MOUNT ASH", "", false},
		{"Elm Med Ctr", "ELM MED CTR", "ELM MEDICAL CENTER", "", false},
		{"Elm St U", "ELM ST U", "ELM STATE UNIVERSITY", "", false},
		{"Leland Elm Jr Univ", "LELAND ELM JR UNIV", "LELAND ELM JUNIOR UNIVERSITY", "", false},
	} {
		n := Parse(c.raw)
		if c.k2 == "same" {
			c.k2 = c.k1
		}
		if n.K1 != c.k1 || n.K2 != c.k2 || strings.Join(n.Aliases, "|") != c.alias || n.CareOf != c.co {
			t.Errorf("Parse(%q)\n got %q %q %q co=%v\nwant %q %q %q co=%v", c.raw, n.K1, n.K2, n.Aliases, n.CareOf, c.k1, c.k2, c.alias, c.co)
		}
		if n.KX != strings.ReplaceAll(c.k2, " ", "") {
			t.Errorf("Parse(%q).KX = %q", c.raw, n.KX)
		}
		if got := Key(c.raw); got != n.KX {
			t.Errorf("Key(%q) = %q, Parse gives %q", c.raw, got, n.KX)
		}
	}
	a, b := Parse("BOYS AND GIRLS CLUB OF LA PLATACOUNTY"), Parse("Boys & Girls Club of La Plata County, Inc")
	if a.KX != "BOYSGIRLSCLUBLAPLATACOUNTY" || b.KX != a.KX || a.K1 == b.K1 {
		t.Errorf("a lost space: %q and %q", a.KX, b.KX)
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                      "",
		"PLAIN 12":              "PLAIN 12",
		"Plain & simple":        "PLAIN & SIMPLE",
		"Smith &amp; Sons":      "SMITH & SONS",
		"St. Mary&#39;s":        "ST. MARY'S",
		"AT&T":                  "AT&T",
		"Société Générale":      "SOCIETE GENERALE",
		"Straße Ærø Œuvre Þór":  "STRASSE AERO OEUVRE THOR",
		"Łódź Ñandú Çelik":      "LODZ NANDU CELIK",
		"Dvořák Žižka":          "DVORAK ZIZKA",
		"Việt Nam":              "VIET NAM",
		"cafe\u0301":            "CAFE",
		"Women’s “Fund” – east": "WOMEN'S \"FUND\" - EAST",
		"ＦＵＬＬ":                  "FULL",
		"tab\there\nand":        "TAB HERE AND",
		"東京":                    "  ",
		"bad\xffbyte":           "BAD BYTE",
		"zero\u200bwidth":       "ZEROWIDTH",
		"Hawaiʻi":               "HAWAI'I",
	} {
		if got := Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAliases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in, k2  string
		aliases []string
	}{
		{"Blue Lantern Trust (The)", "BLUE LANTERN TRUST", nil},
		{"Blue Lantern (Inc.)", "BLUE LANTERN", nil},
		{"Blue Lantern (see attached)", "BLUE LANTERN", nil},
		{"Blue Lantern (Ohio)", "BLUE LANTERN", nil},
		{"Blue Lantern (OH)", "BLUE LANTERN", nil},
		{"Blue Lantern (12)", "BLUE LANTERN", nil},
		{"Blue Lantern (X)", "BLUE LANTERN", nil},
		{"Blue Lantern (formerly Red Lamp)", "BLUE LANTERN", []string{"RED LAMP"}},
		{"Blue Lantern (dba Red Lamp) Society", "BLUE LANTERN SOCIETY", []string{"RED LAMP"}},
		{"Blue Lantern (BL) (Lantern)", "BLUE LANTERN", []string{"BL", "LANTERN"}},
		{"Blue Lantern (never closed", "BLUE LANTERN", []string{"NEVER CLOSED"}},
		{"(Blue Lantern)", "BLUE LANTERN", nil},
		{"Blue Lantern D/B/A Red Lamp", "BLUE LANTERN", []string{"RED LAMP"}},
		{"Blue Lantern d.b.a. Red Lamp", "BLUE LANTERN", []string{"RED LAMP"}},
		{"Blue Lantern a/k/a Red Lamp f/k/a Green Torch", "BLUE LANTERN", []string{"RED LAMP", "GREEN TORCH"}},
		{"Blue Lantern, formerly known as Red Lamp", "BLUE LANTERN", []string{"RED LAMP"}},
		{"Blue Lantern also known as Red Lamp", "BLUE LANTERN", []string{"RED LAMP"}},
		{"Blue Lantern doing business as Red Lamp, Inc.", "BLUE LANTERN", []string{"RED LAMP, INC"}},
		{"DBA Red Lamp", "RED LAMP", nil},
		{"Center for Formerly Incarcerated People", "CENTER FORMERLY INCARCERATED PEOPLE", nil},
		{"Old Elm Trust FBO Blue Lantern", "OLD ELM TRUST", nil},
		{"Old Elm Trust for the benefit of Blue Lantern", "OLD ELM TRUST", nil},
		{"Blue Lantern (FBO Ann Example)", "BLUE LANTERN", nil},
	} {
		n := Parse(c.in)
		if n.K2 != c.k2 || !slices.Equal(n.Aliases, c.aliases) {
			t.Errorf("Parse(%q) = %q %q, want %q %q", c.in, n.K2, n.Aliases, c.k2, c.aliases)
		}
		if want := strings.Contains(strings.ToUpper(c.in), "FBO") || strings.Contains(c.in, "benefit"); n.FBO != want {
			t.Errorf("Parse(%q).FBO = %v", c.in, n.FBO)
		}
	}
}

func TestCareOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in, k2 string
		co     bool
	}{
		{"Blue Lantern c/o Ann Example", "BLUE LANTERN", true},
		{"Blue Lantern C / O Ann Example", "BLUE LANTERN", true},
		{"Blue Lantern % Ann Example", "BLUE LANTERN", true},
		{"Blue Lantern, care of Ann Example", "BLUE LANTERN", true},
		{"Blue Lantern Inc in care of Ann Example", "BLUE LANTERN", true},
		{"Blue Lantern Attn: Ann Example", "BLUE LANTERN", true},
		{"Blue Lantern attention Ann Example", "BLUE LANTERN", true},
		{"Care of Ann Example", "", true},
		{"ATTN ANN EXAMPLE", "", true},
		{"Lantern Hospice Care of Elm County", "LANTERN HOSPICE CARE ELM COUNTY", false},
		{"Attention Deficit Lantern Society", "ATTENTION DEFICIT LANTERN SOCIETY", false},
		{"100% for Lanterns", "100 LANTERNS", false},
		{"Blue Lantern C/O Old Elm (Lamp) DBA Torch", "BLUE LANTERN", true},
	} {
		n := Parse(c.in)
		if n.K2 != c.k2 || n.CareOf != c.co || len(n.Aliases) != 0 {
			t.Errorf("Parse(%q) = %q co=%v aliases=%q, want %q co=%v", c.in, n.K2, n.CareOf, n.Aliases, c.k2, c.co)
		}
	}
	for line, want := range map[string]bool{
		"C/O Elm Bank": true, "c/o": true, "C/OElm Bank": true, " % Elm Bank": true, "Attn: Ann": true, "care of Ann": true,
		"In care of Ann": true, "100 Main St": false, "": false, "Attnmore Rd 5": false, "Caring of": false, "CO": false,
	} {
		if got := IsCareOf(line); got != want {
			t.Errorf("IsCareOf(%q) = %v", line, got)
		}
	}
}

func TestGoverned(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Trustees of Elm College":                            "ELM COLLEGE",
		"The Board of Trustees of the University of Elm":     "THE UNIVERSITY OF ELM",
		"President and Fellows of Elm College":               "ELM COLLEGE",
		"Rector and Visitors of the University of Elm, Inc.": "THE UNIVERSITY OF ELM, INC",
		"Trustees":                          "",
		"Trustees of":                       "",
		"Trustees of the Library":           "",
		"Board of Education of Elm City":    "",
		"President Elm's Cottage":           "",
		"Elm College Trustees of Oak Grove": "",
	} {
		got := ""
		if n := Parse(in); len(n.Aliases) > 0 {
			got = n.Aliases[0]
		}
		if got != want {
			t.Errorf("Parse(%q) also gives %q, want %q", in, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                   "",
		"...":                                "",
		"The The Inc":                        "THE",
		"Inc":                                "INC",
		"Lantern Co Ltd Inc":                 "LANTERN",
		"The Lantern Company, The":           "LANTERN",
		"Lantern L.L.C.":                     "LANTERN",
		"Lantern L L C":                      "LANTERN",
		"U S Lantern Soc":                    "US LANTERN SOCIETY",
		"United States Lantern Soc":          "US LANTERN SOCIETY",
		"U.S. Lantern Soc.":                  "US LANTERN SOCIETY",
		"Children s Lantern":                 "CHILDREN LANTERN",
		"Children's Lantern":                 "CHILDREN LANTERN",
		"Int'l Lantern Assn":                 "INTERNATIONAL LANTERN ASSOCIATION",
		"Int L Lantern Assoc":                "INTERNATIONAL LANTERN ASSOCIATION",
		"B & GC of Elm":                      "BOYS GIRLS CLUB ELM",
		"Boys and Girls Clubs of Elm":        "BOYS GIRLS CLUB ELM",
		"BGC of Elm":                         "BOYS GIRLS CLUB ELM",
		"Boys + Girls Club @ Elm":            "BOYS GIRLS CLUB ELM",
		"Boys & Girls of Elm":                "BOYS GIRLS CLUB ELM",
		"Boys & Girls Home of Elm":           "BOYS GIRLS HOME ELM",
		"Singing Girls of Elm":               "SINGING GIRLS ELM",
		"Lantern Elm, a Chapter of Lanterns": "LANTERN ELM",
		"Elm Chapter of Lanterns":            "ELM CHAPTER LANTERNS",
		"Young Men's Christian Assn of Elm":  "YMCA ELM",
		"Young Womens Christian Association": "YWCA",
		"Young Christian Association of Elm": "YOUNG CHRISTIAN ASSOCIATION ELM",
		"Elm Institution":                    "ELM INSTITUTE",
		"Lantern Charitable Tr":              "LANTERN CHARITABLE TRUST",
		"Lantern Rehab Incoporated":          "LANTERN REHABILITATION",
		"Ste. Anne Parish":                   "SAINT ANNE PARISH",
		"St.Mary Parish":                     "SAINT MARY PARISH",
		"St Louis Lantern":                   "SAINT LOUI LANTERN",
		"Saint Ross Lantern":                 "SAINT ROSS LANTERN",
		"12 St Lantern":                      "12 ST LANTERN",
		"Elm St":                             "ELM ST",
		"Ft Elm Mt Oak":                      "FORT ELM MOUNT OAK",
		"Lodge No 12":                        "LODGE 12",
		"Lodge Number Twelve":                "LODGE 12",
		"Lodge XII":                          "LODGE XII",
		"Chapter V":                          "CHAPTER 5",
		"Lantern V":                          "LANTERN V",
		"Lantern Phase X":                    "LANTERN PHASE 10",
		"Lantern III":                        "LANTERN 3",
		"Seven Lanterns":                     "SEVEN LANTERNS",
		"Second Lantern":                     "2 LANTERN",
		"21st Century Lantern":               "21 CENTURY LANTERN",
		"Dist 9 Ward Three":                  "DISTRICT 9 WARD 3",
		"No Hungry Lantern":                  "NO HUNGRY LANTERN",
		"4-H Club":                           "4 H CLUB",
		"PS 004":                             "PS 4",
		"Lantern 000":                        "LANTERN 0",
		"A.B.C. Lantern":                     "ABC LANTERN",
		"W. K. Elm Fdn":                      "WK ELM FOUNDATION",
		"W.K. Elm Fnd":                       "WK ELM FND",
		"Lantern.org":                        "LANTERNORG",
		"No.7 Lantern":                       "7 LANTERN",
		"O'Elm & Sons":                       "OELM SONS",
		"Elm/Oak Lantern":                    "ELM OAK LANTERN",
		"First Meth Church":                  "1 METHODIST CHURCH",
		"Women's Vol. Svcs":                  "WOMEN VOLUNTEER SERVICES",
		"Smith &amp; Sons Fdn":               "SMITH SONS FOUNDATION",
		"Of The":                             "OF",
	} {
		if got := Parse(in).K2; got != want {
			t.Errorf("Parse(%q).K2 = %q, want %q", in, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name1, name2, city, state string
		k2, tail                  string
		co                        bool
	}{
		{"Blue Lantern", "Foundation", "", "", "BLUE LANTERN FOUNDATION", "", false},
		{"Blue Lantern", "c/o Ann Example", "", "", "BLUE LANTERN", "", true},
		{"Blue Lantern - Elm City, OH", "", "Elm City", "OH", "BLUE LANTERN", "", false},
		{"Blue Lantern - Elm City, OH", "", "ELM CITY", "Ohio", "BLUE LANTERN", "", false},
		{"Blue Lantern of Elm City, OH", "", "Elm City", "OH", "BLUE LANTERN ELM CITY", "", false},
		{"Blue Lantern, St. Elm, MO", "", "Saint Elm", "MO", "BLUE LANTERN", "", false},
		{"Blue Lantern, Elm City, OH", "", "Oakville", "OH", "BLUE LANTERN ELM CITY OH", "", false},
		{"Blue Lantern, Elm City, OH", "", "Elm City", "IN", "BLUE LANTERN ELM CITY OH", "", false},
		{"Blue Lantern, Elm City, OH", "", "Elm City", "", "BLUE LANTERN", "OH", false},
		{"Blue Lantern, Elm City, OH", "", "", "", "BLUE LANTERN ELM CITY", "OH", false},
		{"Blue Lantern Elm City OH", "", "", "", "BLUE LANTERN ELM CITY OH", "", false},
		{"Lantern Practice, PA", "", "", "", "LANTERN PRACTICE PA", "", false},
		{"Elm City, OH", "", "Elm City", "OH", "ELM CITY OH", "", false},
		{"Blue Lantern (Elm City)", "", "Elm City", "OH", "BLUE LANTERN", "", false},
	} {
		n := ParseLine(c.name1, c.name2, c.city, c.state)
		if n.K2 != c.k2 || n.State != c.tail || n.CareOf != c.co || len(n.Aliases) != 0 {
			t.Errorf("ParseLine(%q, %q, %q, %q) = %+v, want %q %q %v", c.name1, c.name2, c.city, c.state, n, c.k2, c.tail, c.co)
		}
	}
}

func TestBagAndAcronym(t *testing.T) {
	t.Parallel()
	n := Parse("Lantern Society of the Blue Lantern Society")
	if got := n.KB(); got != "BLUE LANTERN SOCIETY" {
		t.Errorf("KB = %q", got)
	}
	if got := n.KA(); got != "LSBLS" {
		t.Errorf("KA = %q", got)
	}
	if got := Parse("Blue Lantern").KA(); got != "" {
		t.Errorf("KA of two words = %q", got)
	}
	if got := (Name{}).KB(); got != "" {
		t.Errorf("KB of nothing = %q", got)
	}
}
