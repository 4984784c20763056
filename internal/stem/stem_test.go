package stem_test

import (
	"strings"
	"testing"

	"grantgraph/internal/stem"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, same := range []string{
		"HOUSE HOUSES HOUSING HOUSED", "GRANT GRANTS GRANTED GRANTING", "CLASS CLASSES", "CHURCH CHURCHES", "TRAIN TRAINING TRAINED", "CARE CARES",
		"PANTRY PANTRIES", "CHARITY CHARITIES", "CITY CITIES", "LIBRARY LIBRARIES", "MINISTRY MINISTRIES", "FAMILY FAMILIES", "COMMUNITY COMMUNITIES", "LADY LADIES", "BABY BABIES", "UNIVERSITY UNIVERSITIES",
		"VETERAN VETERANS", "SHELTER SHELTERS SHELTERED SHELTERING", "HOSPITAL HOSPITALS", "SCHOLARSHIP SCHOLARSHIPS", "ANIMAL ANIMALS",
		"PLAN PLANS PLANNED PLANNING", "SWIM SWIMMING", "KID KIDS", "ART ARTS", "DOG DOGS", "CAT CATS", "BOY BOYS", "DAY DAYS", "CHILD CHILDREN CHILDRENS", "WOMAN WOMEN WOMENS", "MAN MEN MENS",
		"MUSEUM MUSEUMS", "THEATRE THEATRES", "BANK BANKS BANKING", "FARM FARMS FARMING FARMED", "ARCHIVE ARCHIVES", "WOLF WOLVES", "HORSE HORSES",
	} {
		words := strings.Fields(same)
		for _, w := range words[1:] {
			if stem.Of(w) != stem.Of(words[0]) {
				t.Errorf("%s is %s, %s is %s", w, stem.Of(w), words[0], stem.Of(words[0]))
			}
		}
	}
	for _, apart := range []string{
		"AID AIDS", "ORGAN ORGANIZATION", "UNIVERSE UNIVERSITY", "NEW NEWS", "GAS GAS2", "BUS BUST", "PORT PORTLAND", "CARE CAREER", "POLICE POLICY",
		"MASS MAS", "CAMP CAMPUS", "ART ARTIST", "KING KIN", "SING SIN", "RED READ", "BOSTON BOSS", "GENERAL GENERATION", "HOME HOMELESS", "SENIOR SEN",
	} {
		words := strings.Fields(apart)
		if stem.Of(words[0]) == stem.Of(words[1]) {
			t.Errorf("%s and %s are both %s", words[0], words[1], stem.Of(words[0]))
		}
	}
	for _, w := range []string{"", "A", "AS", "GAS", "BUS", "RED", "KING", "ABCD", "1990", "DAY", "MASS", "PLUS", "IRIS", "Y"} {
		if stem.Of(w) != w {
			t.Errorf("%s is cut to %s", w, stem.Of(w))
		}
	}
}

// before is the stem that words of grants were compared by at first.
func before(word string) string {
	for _, suffix := range [...]string{"ING", "ED", "ES", "S"} {
		if len(word) >= 4+len(suffix) && strings.HasSuffix(word, suffix) {
			if suffix == "S" && word[len(word)-2] == 'S' {
				break
			}
			word = word[:len(word)-len(suffix)]
			break
		}
	}
	if len(word) > 4 && word[len(word)-1] == 'E' {
		word = word[:len(word)-1]
	}
	return word
}

// FuzzOf compares any two words: what once met still meets, so that no answer
// loses a row.
func FuzzOf(f *testing.F) {
	for _, s := range []string{"HOUSE HOUSING", "PANTRY PANTRIES", "KIDS KID", "PLANNED PLAN", "CHILDREN CHILDRENS", "SSS SS", "WOLVES WOLVING", "MENED MEN"} {
		f.Add(strings.Fields(s)[0], strings.Fields(s)[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if before(a) == before(b) && stem.Of(a) != stem.Of(b) {
			t.Errorf("%q and %q met in %q and are %q and %q now", a, b, before(a), stem.Of(a), stem.Of(b))
		}
		if before(a) == before(stem.Of(a)) && len(stem.Of(a)) > len(a) {
			t.Errorf("%q grows to %q", a, stem.Of(a))
		}
	})
}
