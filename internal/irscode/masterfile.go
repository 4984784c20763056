package irscode

// The codes of the Business Master File, as the IRS's information sheet gives
// them.

// FoundationLabel says what a FOUNDATION code means.
func FoundationLabel(code string) string {
	switch code {
	case "00":
		return "Not a 501(c)(3) organization"
	case "02":
		return "Private operating foundation exempt from the excise tax on investment income"
	case "03":
		return "Private operating foundation"
	case "04":
		return "Private non-operating foundation"
	case "09":
		return "Suspense"
	case "10":
		return "Church, 170(b)(1)(A)(i)"
	case "11":
		return "School, 170(b)(1)(A)(ii)"
	case "12":
		return "Hospital or medical research organization, 170(b)(1)(A)(iii)"
	case "13":
		return "Organization for the benefit of a government college or university, 170(b)(1)(A)(iv)"
	case "14":
		return "Governmental unit, 170(b)(1)(A)(v)"
	case "15":
		return "Substantial support from government or the general public, 170(b)(1)(A)(vi)"
	case "16":
		return "Publicly supported organization, 509(a)(2)"
	case "17":
		return "Supporting organization, 509(a)(3), type not stated"
	case "18":
		return "Organization testing for public safety, 509(a)(4)"
	case "21":
		return "Supporting organization, 509(a)(3) Type I"
	case "22":
		return "Supporting organization, 509(a)(3) Type II"
	case "23":
		return "Supporting organization, 509(a)(3) Type III functionally integrated"
	case "24":
		return "Supporting organization, 509(a)(3) Type III not functionally integrated"
	case "25":
		return "Agricultural research organization, 170(b)(1)(A)(ix)"
	}
	return ""
}

// FoundationType is the filter value a FOUNDATION code answers to: PC, PF, POF,
// SO, or empty.
func FoundationType(code string) string {
	switch code {
	case "02", "03":
		return "POF"
	case "04":
		return "PF"
	case "10", "11", "12", "13", "14", "15", "16", "18", "25":
		return "PC"
	case "17", "21", "22", "23", "24":
		return "SO"
	}
	return ""
}

// FoundationTypeLabel says what a value of FoundationType means.
func FoundationTypeLabel(kind string) string {
	switch kind {
	case "PC":
		return "Public charity"
	case "PF":
		return "Private foundation"
	case "POF":
		return "Private operating foundation"
	case "SO":
		return "Supporting organization"
	}
	return ""
}

// Section509a says which paragraph of section 509(a) keeps an organization of a
// FOUNDATION code from being a private foundation, or that none does.
func Section509a(code string) string {
	switch code {
	case "10", "11", "12", "13", "14", "15", "25":
		return "509(a)(1)"
	case "16":
		return "509(a)(2)"
	case "17", "21", "22", "23", "24":
		return "509(a)(3)"
	case "18":
		return "509(a)(4)"
	case "02", "03", "04":
		return "Private foundation under section 509(a)"
	}
	return ""
}

// ChurchOrGovernment reports whether the codes of an organization are those of
// a church, a religious organization, a governmental unit or an instrumentality
// of a state, which may qualify without being listed anywhere.
func ChurchOrGovernment(foundation, filing string) bool {
	return foundation == "10" || foundation == "14" || filing == "06" || filing == "07" || filing == "13" || filing == "14"
}

// PrivateFoundation reports whether a FOUNDATION code is that of a private
// foundation, operating or not.
func PrivateFoundation(code string) bool {
	kind := FoundationType(code)
	return kind == "PF" || kind == "POF"
}

// DeductibilityLabel says what a DEDUCTIBILITY code means.
func DeductibilityLabel(code string) string {
	switch code {
	case "1":
		return "Contributions are deductible"
	case "2":
		return "Contributions are not deductible"
	case "4":
		return "Contributions are deductible by treaty"
	}
	return ""
}

// StatusLabel says what a STATUS code means.
func StatusLabel(code string) string {
	switch code {
	case "01":
		return "Unconditional exemption"
	case "02":
		return "Conditional exemption"
	case "12":
		return "Trust described in section 4947(a)(2)"
	case "25":
		return "Terminating its private foundation status under section 507(b)(1)(B)"
	}
	return ""
}

// AffiliationLabel says what an AFFILIATION code means.
func AffiliationLabel(code string) string {
	switch code {
	case "1":
		return "Central organization without a group ruling"
	case "2":
		return "Intermediate organization without a group ruling"
	case "3":
		return "Independent"
	case "6":
		return "Central organization of a group ruling, not a church"
	case "7":
		return "Intermediate organization within a group ruling"
	case "8":
		return "Central organization of a group ruling, church or 501(c)(1)"
	case "9":
		return "Subordinate in a group ruling"
	}
	return ""
}

// Central reports whether an AFFILIATION code is that of the parent of a group
// exemption.
func Central(affiliation string) bool { return affiliation == "6" || affiliation == "8" }

// InGroup reports whether an AFFILIATION code is that of an organization
// covered by its parent's listing, so that its absence from Publication 78 says
// nothing.
func InGroup(affiliation string) bool { return affiliation == "9" || affiliation == "7" }

// SubsectionLabel says which paragraph of the tax code a SUBSECTION code
// stands for.
func SubsectionLabel(code string) string {
	switch code {
	case "40":
		return "501(d)"
	case "50":
		return "501(e)"
	case "60":
		return "501(f)"
	case "70":
		return "501(k)"
	case "71":
		return "501(n)"
	case "81", "82":
		return "529"
	case "91":
		return "4947(a)(2)"
	case "92":
		return "4947(a)(1)"
	}
	if len(code) != 2 || code[0] < '0' || code[0] > '2' || code[1] < '0' || code[1] > '9' || code == "00" {
		return ""
	}
	if code[0] == '0' {
		code = code[1:]
	}
	return "501(c)(" + code + ")"
}

// FilingLabel says what a FILING_REQ_CD code means.
func FilingLabel(code string) string {
	switch code {
	case "01":
		return "Form 990 or 990-EZ"
	case "02":
		return "Form 990-N"
	case "03":
		return "Covered by a group return"
	case "04":
		return "Form 990-BL"
	case "06":
		return "Not required to file: church"
	case "07":
		return "Not required to file: government 501(c)(1)"
	case "13":
		return "Not required to file: religious organization"
	case "14":
		return "Not required to file: instrumentality of a state or political subdivision"
	case "00":
		return "Not required to file"
	}
	return ""
}

// PFFilingLabel says what a PF_FILING_REQ_CD code means.
func PFFilingLabel(code string) string {
	switch code {
	case "0":
		return "No Form 990-PF"
	case "1":
		return "Form 990-PF"
	}
	return ""
}

// OrganizationLabel says what an ORGANIZATION code means.
func OrganizationLabel(code string) string {
	switch code {
	case "1":
		return "Corporation"
	case "2":
		return "Trust"
	case "3":
		return "Cooperative"
	case "4":
		return "Partnership"
	case "5":
		return "Association"
	}
	return ""
}

// BandLabel says which range of dollars an ASSET_CD or INCOME_CD stands for.
// The amounts themselves are more exact and sometimes disagree.
func BandLabel(code string) string {
	switch code {
	case "0":
		return "$0"
	case "1":
		return "$1 to $9,999"
	case "2":
		return "$10,000 to $24,999"
	case "3":
		return "$25,000 to $99,999"
	case "4":
		return "$100,000 to $499,999"
	case "5":
		return "$500,000 to $999,999"
	case "6":
		return "$1,000,000 to $4,999,999"
	case "7":
		return "$5,000,000 to $9,999,999"
	case "8":
		return "$10,000,000 to $49,999,999"
	case "9":
		return "$50,000,000 or more"
	}
	return ""
}
