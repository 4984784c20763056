package irscode

// classifications says what each one-digit CLASSIFICATION code means within
// its SUBSECTION: the first label is that of code 1.
var classifications = map[string][]string{
	"01": {"Government instrumentality"},
	"02": {"Title-holding corporation"},
	"03": {"Charitable organization", "Educational organization", "Literary organization", "Prevention of cruelty to animals", "Prevention of cruelty to children",
		"Testing for public safety", "Religious organization", "Scientific organization"},
	"04": {"Civic league", "Local association of employees", "Social welfare organization"},
	"05": {"Agricultural organization", "Horticultural organization", "Labor organization"},
	"06": {"Board of trade", "Business league", "Chamber of commerce", "Real estate board"},
	"07": {"Pleasure, recreational or social club"},
	"08": {"Fraternal beneficiary society, order or association"},
	"09": {"Voluntary employees' beneficiary association, not of government employees", "Voluntary employees' beneficiary association of government employees"},
	"10": {"Domestic fraternal society or association"},
	"11": {"Teachers' retirement fund association"},
	"12": {"Benevolent life insurance association", "Mutual ditch or irrigation company", "Mutual or cooperative telephone company",
		"Organization like a benevolent life insurance association, mutual ditch or telephone company"},
	"13": {"Burial association", "Cemetery company"},
	"14": {"Credit union", "Other mutual corporation or association"},
	"15": {"Mutual insurance company or association other than life or marine"},
	"16": {"Corporation financing crop operations"},
	"17": {"Supplemental unemployment compensation trust or plan"},
	"18": {"Employee-funded pension trust created before June 25, 1959"},
	"19": {"Post or organization of war veterans"},
	"20": {"Legal service organization"},
	"21": {"Black lung trust"},
	"22": {"Multiemployer pension plan"},
	"23": {"Veterans' association formed before 1880"},
	"24": {"Trust described in section 4049 of ERISA"},
	"25": {"Title-holding company for pension and similar funds"},
	"26": {"State-sponsored high-risk health insurance organization"},
	"27": {"State-sponsored workers' compensation reinsurance organization"},
	"29": {"Qualified nonprofit health insurance issuer"},
	"40": {"Apostolic or religious organization"},
	"50": {"Cooperative hospital service organization"},
	"60": {"Cooperative service organization of educational organizations"},
	"70": {"Child care organization"},
	"71": {"Charitable risk pool"},
	"81": {"Qualified state-sponsored tuition program"},
	"92": {"Trust described in section 4947(a)(1) that files Form 990-PF"},
}

// ClassificationLabels says what the CLASSIFICATION of an organization means
// under its SUBSECTION. The column holds up to four codes of one digit each,
// filled up with zeros; the labels come in that order, each once, and codes
// that are documented nowhere have none.
func ClassificationLabels(subsection, classification string) []string {
	known := classifications[subsection]
	if len(classification) > 4 {
		return nil
	}
	var labels []string
	var seen [10]bool
	for i := range len(classification) {
		code := int(classification[i]) - '0'
		if code < 1 || code > len(known) || seen[code] {
			continue
		}
		seen[code] = true
		labels = append(labels, known[code-1])
	}
	return labels
}
