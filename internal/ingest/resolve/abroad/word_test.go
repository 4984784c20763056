package abroad

import (
	"strings"
	"testing"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name, status string
		person       bool
		want         Kind
	}{
		{"Umbra Relief", "", false, Org},
		{"Umbra Relief", "GOV", false, Gov},
		{"Umbra Relief", "Foreign Government", false, Gov},
		{"Umbra Relief", "foreign gov't", false, Org},
		{"Umbra Relief", "NC", false, Org},
		{"Jo Umbra", "I", false, Person},
		{"Jo Umbra", "Individual", false, Person},
		{"Jo Umbra", "PC", true, Person},
		{"MINISTRY OF HEALTH UMBRA", "NC", false, Gov},
		{"Federal Ministry of Umbra", "", false, Gov},
		{"The Ministry of Health", "", false, Gov},
		{"Umbra Prison Ministry", "", false, Org},
		{"Ministry of Jesus Christ", "", false, Org},
		{"Government of Umbra", "", false, Gov},
		{"Umbra Local Governments for Clean Air", "", false, Org},
		{"Umbra Municipality", "", false, Gov},
		{"Municipality of Umbra", "", false, Gov},
		{"Ministerio de Salud", "", false, Gov},
		{"Ministerio Umbra", "", false, Org},
		{"Ministère du Commerce", "", false, Gov},
		{"Gobierno del Estado de Umbra", "", false, Gov},
		{"Gobierno Umbra SA de CV", "", false, Org},
		{"Ayuntamiento de Umbra", "", false, Gov},
		{"Embassy of Umbra", "", false, Gov},
		{"Royal Umbra Embassy", "", false, Gov},
		{"Embassy Church", "", false, Org},
		{"Department of Umbra Studies", "", false, Gov},
		{"Umbra Department of Studies", "", false, Org},
		{"State of Umbra", "", false, Gov},
		{"CITY OF UMBRA", "", false, Gov},
		{"Friends of the City of Umbra", "", false, Org},
		{"Hope for the City of Umbra", "", false, Org},
		{"Republic of Umbra", "", false, Gov},
		{"", "", false, Org},
	} {
		if got := KindOf(x.name, x.status, x.person); got != x.want {
			t.Errorf("KindOf(%q, %q, %v) = %s, want %s", x.name, x.status, x.person, got, x.want)
		}
	}
}

func TestBare(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"UMBRA":               "UMBRA",
		"UMBRA GMBH":          "UMBRA",
		"UMBRA PTY LTD":       "UMBRA",
		"GMBH":                "GMBH",
		"AC AC":               "AC",
		"UMBRA GMBH LEIPZIG":  "UMBRA GMBH LEIPZIG",
		"STICHTING UMBRA BV":  "STICHTING UMBRA",
		"UMBRA TRUST":         "UMBRA TRUST",
		"UMBRA TRUST LIMITED": "UMBRA TRUST",
		"ASBL UMBRA":          "UMBRA",
		"ASBL":                "ASBL",
		"SA UMBRA":            "SA UMBRA",
		"":                    "",
	} {
		if got := withoutLegalForms(in); got != want {
			t.Errorf("bare(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAbbreviates(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		acronym, name string
		want          bool
	}{
		{"UMF", "UMBRA MEDICAL FUND", true},
		{"UMF", "UMBRA OF THE MEDICAL FUND", true},
		{"UOM", "UMBRA OF MEDICINE", true},
		{"UMREF", "UMBRA MEDICAL AND RESEARCH FUND", true},
		{"UM", "UMBRA MEDICAL FUND", false},   // a word is missing
		{"UMFX", "UMBRA MEDICAL FUND", false}, // a letter is too many
		{"UMB", "UMBRA", false},               // of one word it is only the beginning
		{"CEU", "CENTRO DE ESTUDIOS UMBRA", true},
		{"CDEU", "CENTRO DE ESTUDIOS UMBRA", true},
		{"UHA", "UMBRA HILFE AFRIKA EV", true},
		{"", "UMBRA FUND", false},
		{"AAAAAAAAAAAA", strings.Repeat("A ", 500), true},
	} {
		if got := abbreviates(x.acronym, x.name); got != x.want {
			t.Errorf("abbreviates(%q, %q) = %v", x.acronym, x.name, got)
		}
	}
}

func TestCity(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ city, cc, want string }{
		{"London", "UK", "LONDON"},
		{"LONDON W1T 4XX", "UK", "LONDON"},
		{"London, United Kingdom", "UK", "LONDON"},
		{"LONDON UK", "UK", "LONDON"},
		{"Birmingham B1 3XX", "UK", "BIRMINGHAM"},
		{"Toronto, ON M5X 1X8", "CA", "TORONTO"},
		{"8059 München", "GM", "MUNCHEN"},
		{"Paris Cedex 16", "FR", "PARIS"},
		{"Baden CH-5405", "SZ", "BADEN"},
		{"Nairobi Kenya", "KE", "NAIROBI"},
		{"Ciudad de Mexico", "MX", "CIUDAD DE MEXICO"},
		{"Mexico", "MX", "MEXICO"},
		{"00100", "KE", ""},
		{"", "KE", ""},
		{"   ", "KE", ""},
	} {
		if got := cityOf(x.city, [2]byte{x.cc[0], x.cc[1]}); got != x.want {
			t.Errorf("cityOf(%q, %s) = %q, want %q", x.city, x.cc, got, x.want)
		}
	}
}
