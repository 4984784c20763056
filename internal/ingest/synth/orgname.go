package synth

// classTemplates are the ways organizations of a class are named. A letter
// after the dollar sign is filled in by namer.expand; repeated templates are
// the common ones.
var classTemplates = [classes][]string{
	church: lines(`
$L $D
First $D
First $D of $C
$L $D of $C
$L $D of $A $B
$O Street $D
St. $T Catholic Church
St. $T Parish
St. $T Episcopal Church
St. $T's $D
Our Lady of $V
$C $D
$V $D
Mount Zion $D
Mount $T $D
New $L $D
$L Temple
$A $B $D
$L Worship Center
$V Fellowship of $C
Iglesia $L de $C
$S Chapel $D
Diocese of $C
$C Bible Chapel
Church of the Good Shepherd
Church of the Good Shepherd of $C
Church of the Holy Spirit of $C
$V Life Church
The Church at $A $B`),
	temple: lines(`
Congregation Beth $H
Temple $H
Temple Beth $H
$C Jewish Center
Congregation Shaarei $H
Islamic Center of $C
Masjid Al $Q
Islamic Society of $K
$C Hebrew Academy`),
	familyFoundation: lines(`
The $F $S Foundation
The $S Family Foundation
$S Family Foundation
$S Foundation
The $F & $G $S Foundation
$F and $G $S Family Foundation
$F $M $S Foundation
$F $S Charitable Trust
The $S Charitable Foundation
$S-$Z Family Foundation
$A $B Foundation
The $V Fund
$F $S Memorial Fund
$S Family Charitable Trust
$S Brothers Foundation
$A $B Charitable Trust`),
	communityFoundation: lines(`
$C Community Foundation
Community Foundation of $C
Community Foundation of $K
$K Community Foundation
Greater $C Community Foundation
Community Foundation of Greater $C
$A $B Community Foundation
Community Foundation for $X`),
	school: lines(`
$C $N
$A $B $N
$S $N
St. $T's School
St. $T Catholic School
$V Christian Academy
The $S School
$A $N
$C Christian School
$K Day School
Academy of $V`),
	parents: lines(`
$C Elementary School PTA
$A $B Elementary PTO
$S Elementary School PTA
$C High School Booster Club
$C High School Band Boosters
$S Middle School Parent Teacher Organization
$C Education Foundation
$A $B High School Athletic Boosters
$K Schools Education Foundation
Friends of $S School
$C Music Parents Association
$X Parents Council $#`),
	cityCause: lines(`
$C $N
$C $N
$C Area $N
Greater $C $N
$K $N
$N of $C
$N of Greater $C
$N of $K
$A $B $N
$S $N
$S Memorial $N
North $C $N
West $C $N
East $K $N
$X $N
St. $T's $N
$O Street $N
$V $N
$F $S $N
$A Valley $N`),
	brand: lines(`
$V $U
$V $U of $C
$A $V $U
The $V $U of $K
$S $V $U
$O Street $U
$V at $A $B
$V for $C
$C $U
Project $V
$A $B $U
$V and $V $U
$U for a Better $C
One $C
Hands of $V $C
$V $N
House of $V of $C
Camp $A $B
Operation $V $C
$F's $U
$C Kids First
$A Roots $U
$W
$W
$W`),
	hospital: lines(`
$C $N
St. $T Hospital
St. $T's Medical Center
$S Memorial Hospital
$K Memorial Hospital
$A $B Medical Center
$C Regional Medical Center
$A Valley Health System
$A $B Children's Hospital
$C General Hospital
Good Shepherd Hospital`),
	college: lines(`
$S College
$S University
$A $B College
$C College
St. $T's College
$S Wesleyan University
University of $C
$C Theological Seminary
$S Institute of Technology
$C College of Art and Design
St. $T University`),
	publicCollege: lines(`
$A $B State University
State University of $X at $A $B
$K Technical Community College
$A State University
$A $B State College
$B State University of $X
$A $B Community College
Upper $X State University
$A $B Technical College`),
	government: lines(`
City of $C
City of $C
$K
$C Public Schools
$C School District
$C Unified School District
$K School District $#
Town of $C
$C Fire District
$C Public Library
$C Police Department
Township of $C
$X Bureau of Lakes and Trails
$X Office of Rural Health and Schools
$A $B Band of the $S Nation
$K Parks and Recreation
$K Sheriff's Office
$C Housing Authority`),
	corporateFoundation: lines(`
$I $J Foundation
$I Foundation
The $I Foundation
$I $J Charitable Foundation
$I $J Employees Community Fund
$I $J Matching Gifts Foundation
$I Cares`),
	bankTrust: lines(`
$F $S Charitable Trust
$F $M $S Trust
$S Trust FBO $C Charities
Trust U/W of $F $S
$F & $G $S Charitable Trust
$F $S Testamentary Trust
$S Perpetual Trust`),
	scholarshipFund: lines(`
$F $S Scholarship Fund
$S Scholarship Foundation
$C Scholarship Foundation
$F and $G $S Scholarship Trust
$S Educational Trust
$I $J Scholarship Fund
$K Scholars Foundation`),
	operatingFoundation: lines(`
$S House Museum
The $S Institute
$S Collection Foundation
$A $B Preserve Foundation
$S Research Foundation`),
	donorAdvised: lines(`
$I Charitable Gift Fund
$I Charitable
American $V Fund
National $V Trust
$I Donor Advised Fund
$V Giving Fund
$I Philanthropic Trust`),
	unitedFund: lines(`
Neighbors United Fund of $C
Neighbors United Fund of $K
United Appeal of $C
$C Community Chest
Jewish Community Appeal of $C
$X Combined Appeal
Diocesan Appeal of $C`),
	regranter: lines(`
$A $B Alliance
$X Council for the Lively Arts
$X Letters and Ideas Council
$C Health Foundation
National $V Coalition
American Society of $J Engineers
$C Civic Foundation
$X Circle of Neighborhood Clinics
$V $U
Women's Fund of $C
$X Alliance of Country Hospitals
$C Downtown Partnership
The $V Collaborative
$X Network Against Hunger
Fund for $V`),
	faithFund: lines(`
$X Conference of the Methodist Fellowship
Lutheran Synod of $X
Diocese of $C Foundation
$L Missions International
$V Ministries International
Baptist Foundation of $X
$L World Missions`),
}

// namer expands the templates above for one entity.
type namer struct {
	r     rng
	zip   *ZIP
	field int
	sur   string // surname drawn for the entity
	first string
	firm  string
}

func (n *namer) expand(dst []byte, tmpl string) []byte {
	for i := 0; i < len(tmpl); i++ {
		c := tmpl[i]
		if c != '$' || i+1 == len(tmpl) {
			dst = append(dst, c)
			continue
		}
		i++
		switch tmpl[i] {
		case 'C':
			dst = append(dst, n.zip.City...)
		case 'K':
			dst = append(dst, n.zip.County...)
		case 'X':
			dst = append(dst, stateName(n.zip.State)...)
		case 'S':
			dst = append(dst, n.sur...)
		case 'Z':
			dst = append(dst, n.r.of(surnames)...)
		case 'F':
			if n.first == "" {
				n.first = n.r.of(givenMen)
				if n.r.odds(3500) {
					n.first = n.r.of(givenWomen)
				}
			}
			dst = append(dst, n.first...)
		case 'G':
			dst = append(dst, n.r.of(givenWomen)...)
		case 'M':
			dst = append(dst, byte('A'+n.r.n(23)))
		case 'A':
			dst = append(dst, n.r.of(natures)...)
		case 'B':
			dst = append(dst, n.r.of(seconds)...)
		case 'V':
			dst = append(dst, n.r.of(virtues)...)
		case 'U':
			dst = append(dst, n.r.of(brandNouns)...)
		case 'W': // two words written as one
			first, second := virtues, brandNouns
			if n.r.odds(6000) {
				first = natures
			}
			if n.r.odds(6000) {
				second = seconds
			}
			dst = append(dst, n.r.of(first)...)
			at := len(dst)
			dst = append(dst, n.r.of(second)...)
			dst[at] = lower(dst[at])
		case 'T':
			dst = append(dst, n.r.of(saints)...)
		case 'D':
			dst = append(dst, n.r.of(denominations)...)
		case 'L':
			dst = append(dst, n.r.of(churchLeads)...)
		case 'N':
			dst = append(dst, n.r.of(fields[n.field].nouns)...)
		case 'O':
			dst = append(dst, n.r.of(streets)...)
		case 'H':
			dst = append(dst, n.r.of(hebrew)...)
		case 'Q':
			dst = append(dst, n.r.of(arabic)...)
		case 'I':
			dst = append(dst, n.firm...)
		case 'J':
			dst = append(dst, n.r.of(industries)...)
		case '#':
			dst = appendInt(dst, int64(1+n.r.n(60)))
		default:
			dst = append(dst, '$', tmpl[i])
		}
	}
	return dst
}

// appendStreet writes a street address; boxes is how many in ten thousand are
// post office boxes.
func appendStreet(dst []byte, r *rng, boxes uint32) []byte {
	if r.odds(boxes) {
		dst = append(dst, "PO Box "...)
		return appendInt(dst, int64(1+zipf(r.next(), 9000, 60)))
	}
	dst = appendHouse(dst, r)
	if r.odds(1400) {
		dst = append(dst, " Ste "...)
		dst = appendInt(dst, int64(100+10*r.n(60)))
	}
	return dst
}

// appendHouse writes number and street.
func appendHouse(dst []byte, r *rng) []byte {
	dst = appendInt(dst, int64(1+zipf(r.next(), 9900, 40)))
	dst = append(dst, ' ')
	if r.odds(2200) {
		dst = append(dst, r.of(quarters)...)
		dst = append(dst, ' ')
	}
	if r.odds(2000) {
		k := 1 + r.n(60)
		dst = appendInt(dst, int64(k))
		dst = append(dst, ordinalSuffix(k)...)
	} else {
		dst = append(dst, r.of(streets)...)
	}
	dst = append(dst, ' ')
	return append(dst, r.of(streetTypes)...)
}

func ordinalSuffix(k int) string {
	if k%100 >= 11 && k%100 <= 13 {
		return "th"
	}
	switch k % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}

func hasSuffix(b []byte, s string) bool {
	return len(b) >= len(s) && string(b[len(b)-len(s):]) == s
}

// appendAcronym writes the initials of the words of a name, at least three.
func appendAcronym(dst, core []byte) []byte {
	start := len(dst)
	word := true
	for i, c := range core {
		if c == ' ' || c == '-' {
			word = true
			continue
		}
		if word && c >= 'A' && c <= 'Z' && !(i+1 < len(core) && core[i+1] == '.') {
			dst = append(dst, c)
		}
		word = false
	}
	if len(dst)-start < 3 {
		return dst[:start]
	}
	return dst
}
