package orgname

import "testing"

func TestStreetKey(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"224 Broadway":                  "224 BROADWAY",
		"224 W. Broadway Ave., Suite 5": "224 BROADWAY",
		"224 BROADWAY STE 500":          "224 BROADWAY",
		"224 Broadway #5":               "224 BROADWAY",
		"Suite 500, 224 Broadway":       "224 BROADWAY",
		"224 Broadway 5th Floor":        "224 BROADWAY",
		"224 Broadway, Fl 5":            "224 BROADWAY",
		"Building 7 224 Broadway":       "224 BROADWAY",
		"P.O. Box 12":                   "POB12",
		"PO BOX 12":                     "POB12",
		"P O Box 12":                    "POB12",
		"POB 12":                        "POB12",
		"POBOX 12":                      "POB12",
		"Box 12":                        "POB12",
		"Post Office Box 12":            "POB12",
		"PO Box No. 12":                 "POB12",
		"PO Box A":                      "POBA",
		"224 Broadway PO Box 12":        "POB12",
		"100 Box Elder Rd":              "100 BOX",
		"One Liberty Plaza":             "1 LIBERTY",
		"One Elm Street, Suite 200":     "1 ELM",
		"350 Fifth Avenue":              "350 5TH",
		"350 5th Ave":                   "350 5TH",
		"1600 N 17th St NW":             "1600 17TH",
		"100 Saint Elm St":              "100 ELM",
		"100 St. Elm Street":            "100 ELM",
		"1200 Avenue of the Elms":       "1200 ELMS",
		"100 North St":                  "100 N",
		"100 N Street":                  "100 N",
		"100 Plaza":                     "100 PLAZA",
		"4500 Highway 61":               "4500 61",
		"45-12 21st St":                 "4512 21ST",
		"0045 Elm St":                   "45 ELM",
		"12A Elm St":                    "12A ELM",
		"Elm Road 25":                   "25 ELM",
		"(rear) 10 Elm St":              "10 ELM",
		"Elm Street":                    "",
		"17th and Elm":                  "",
		"One":                           "",
		"224":                           "",
		"":                              "",
		"C/O Elm Bank":                  "",
		"Peñón 5":                       "5 PENON",
	} {
		if got := StreetKey(in); got != want {
			t.Errorf("StreetKey(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCity(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Chicago":          "CHICAGO",
		"CHICAGO":          "CHICAGO",
		"St. Louis":        "SAINT LOUIS",
		"ST LOUIS":         "SAINT LOUIS",
		"Ft. Worth":        "FORT WORTH",
		"Mt Vernon":        "MOUNT VERNON",
		"City of Industry": "INDUSTRY",
		"CITY OF":          "CITY OF",
		"  Elm   City ":    "ELM CITY",
		"Coeur d'Alene":    "COEUR DALENE",
		"Cañon City":       "CANON CITY",
		"Winston-Salem":    "WINSTON SALEM",
		"":                 "",
	} {
		if got := City(in); got != want {
			t.Errorf("City(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzStreetKey(f *testing.F) {
	for _, s := range []string{"224 Broadway #5", "PO Box 12", "One Elm Plaza", "45-12 21st St", "Fl", "BOX", "1 # 2", "((("} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key := StreetKey(s)
		for i := 0; i < len(key); i++ {
			if c := key[i]; c != ' ' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
				t.Fatalf("StreetKey(%q) = %q", s, key)
			}
		}
		City(s)
		IsCareOf(s)
	})
}

func BenchmarkStreetKey(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		StreetKey("1600 N Elm Avenue NW, Suite 210")
	}
}

func BenchmarkCity(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		City("ST LOUIS")
	}
}
