package irscode

import "strings"

// Pub78Codes splits the deductibility codes of a row of Publication 78. Those
// that Pub78Label does not know are kept.
func Pub78Codes(s string) []string {
	var list []string
	for code := range strings.SplitSeq(s, ",") {
		if code = strings.TrimSpace(code); code != "" {
			list = append(list, code)
		}
	}
	return list
}

// Pub78Label says what a deductibility status code of Publication 78 means, as
// the IRS's own table of them does.
func Pub78Label(code string) string {
	switch code {
	case "PC":
		return "Public charity"
	case "POF":
		return "Private operating foundation"
	case "PF":
		return "Private foundation"
	case "GROUP":
		return "Central organization of a group exemption, whose subordinates are eligible though not listed"
	case "LODGE":
		return "Domestic fraternal society under the lodge system, for charitable purposes only"
	case "EO":
		return "Organization described in section 170(c) other than a public charity or private foundation"
	case "FED":
		return "Organization to which contributions are deductible if made for the use of a federal governmental unit"
	case "FORGN":
		return "Organization with a foreign address"
	case "SO":
		return "Supporting organization, Type I, Type II or Type III functionally integrated"
	case "SONFI":
		return "Supporting organization, Type III not functionally integrated"
	case "SOUNK":
		return "Supporting organization, type not specified"
	case "UNKWN":
		return "Charitable organization whose public charity status has not been determined"
	}
	return ""
}

// Pub78Limit says how much of an individual's income a contribution to an
// organization of a code may take, as the IRS's table does.
func Pub78Limit(code string) string {
	switch code {
	case "PC", "POF", "SO", "SONFI", "SOUNK", "FED":
		return "50% (60% for cash contributions)"
	case "PF":
		return "30% (generally)"
	case "LODGE":
		return "30%"
	case "GROUP", "EO", "FORGN", "UNKWN":
		return "Depends on various factors"
	}
	return ""
}
