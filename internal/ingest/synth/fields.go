package synth

// field is one field of work: its NTEE code, what organizations in it call
// themselves, what they say they do, for whom, and what grants to them are
// for. Phrases begin with a verb in the infinitive so that every template can
// use them.
type field struct {
	code     string
	nouns    []string
	does     []string
	whom     []string
	programs []string
}

// fields is in the order of the NTEE. Weights live in generalFields.
var fields = []field{
	{"A51", lines("Art Museum\nMuseum of Art\nArts Center\nGallery of American Art"),
		lines("collect, preserve and exhibit works of art\npresent exhibitions, lectures and studio classes\nbring original works of art and those who make them together"),
		lines("visitors of every age\nschool groups and families\nthe people of the region"),
		lines("exhibition support\nfree admission days\nschool tours\ncollections care\nstudio class scholarships")},
	{"A54", lines("Historical Museum\nHeritage Museum\nMaritime Museum\nMining Museum"),
		lines("preserve and interpret the history of the area\nkeep the artifacts, photographs and stories of earlier generations"),
		lines("residents and visitors\nstudents and researchers"), lines("archive digitization\nartifact preservation\nschool field trips\nroof repair")},
	{"A62", lines("Dance Theatre\nBallet Company\nContemporary Dance Company"),
		lines("train young dancers and present professional performances\nmake dance a part of everyday life"),
		lines("young dancers\naudiences of all backgrounds"), lines("dance scholarships\nannual performance\nschool residency")},
	{"A65", lines("Playhouse\nCommunity Theatre\nRepertory Theater\nChildren's Theatre\nTheatre Company"),
		lines("produce plays and musicals of high quality\noffer live theater and training in the performing arts"),
		lines("audiences and artists\nyoung performers\nstudents and their families"), lines("mainstage season\nsummer theater camp\nnew play development\naccessible performances")},
	{"A68", lines("Chamber Music Society\nMusic Festival\nCommunity Music School\nJazz Society"),
		lines("present concerts and teach music\nput instruments into the hands of children and teach them to play"),
		lines("music lovers and students\nchildren who could not otherwise afford lessons"), lines("instrument lending library\nconcert series\nmusic lessons for children\nsummer festival")},
	{"A69", lines("Symphony Orchestra\nPhilharmonic\nYouth Symphony\nSymphony Association"),
		lines("perform orchestral music at the highest level\ntrain young musicians in the orchestral tradition"),
		lines("the community and its schools\nyoung musicians"), lines("youth concerts\nguest artist\nseason sponsorship\nyouth orchestra tuition aid")},
	{"A80", lines("Historical Society\nPreservation Society\nHeritage Foundation\nLandmarks Association"),
		lines("preserve historic buildings and tell their stories\nrescue endangered landmarks"),
		lines("present and future generations\nthe community"), lines("restoration of the depot\nhistoric markers\noral history project")},
	{"B20", lines("Academy\nDay School\nMontessori School\nChristian School\nCountry Day School\nFriends School"),
		lines("educate students in mind, body and character\noffer a rigorous education in a caring community"),
		lines("students from kindergarten through grade twelve\nboys and girls of all backgrounds"), lines("annual fund\ntuition assistance\nnew science wing\nfaculty development\nlibrary books")},
	{"B25", lines("Preparatory School\nHigh School\nCharter School\nCollegiate Academy"),
		lines("prepare students for college, work and citizenship\nclose the opportunity gap through excellent schooling"),
		lines("young people from underserved neighborhoods\nstudents in grades nine through twelve"), lines("college counseling\nathletic field\nscholarship fund\nrobotics lab")},
	{"B42", lines("College"), lines("offer an undergraduate education in the liberal arts and sciences\nprepare men and women for lives of leadership and service"),
		lines("undergraduate students\nstudents of promise regardless of means"), lines("endowed scholarship\nannual fund\nlibrary renovation\nprofessorship in chemistry\nathletics")},
	{"B43", lines("University"), lines("advance knowledge through teaching, research and service\neducate undergraduate, graduate and professional students"),
		lines("students, scholars and the public\nthe state and the nation"), lines("graduate fellowships\ncancer research\nschool of nursing\nendowed chair\nengineering scholarships\nlaw clinic")},
	{"B60", lines("Adult Literacy Council\nLiteracy Volunteers\nLearning Center"),
		lines("teach adults to read, write and speak English\nprepare adults for the high school equivalency examination"),
		lines("adults with low literacy\nimmigrants and refugees"), lines("tutor training\nEnglish classes\nGED preparation\nlaptops for learners")},
	{"B82", lines("Scholarship Fund\nScholars Program\nDollars for Students"),
		lines("award scholarships for college and vocational training\nhelp deserving students pay for higher education"),
		lines("graduating seniors\nfirst-generation college students"), lines("scholarships\ncollege awards\nbook stipends")},
	{"B94", lines("Parent Teacher Association\nParent Teacher Organization\nBooster Club\nBand Boosters\nEducation Foundation"),
		lines("support teachers and enrich the education of students\nraise funds for programs the school budget does not cover"),
		lines("students and teachers\nthe children of our schools"), lines("classroom grants\nband uniforms\nfield trips\nplayground equipment")},
	{"B70", lines("Public Library\nFriends of the Library\nLibrary Foundation\nFree Library"),
		lines("provide books, information and a place to gather\nraise funds for library collections and programs"),
		lines("readers of every age\nall who live here"), lines("summer reading program\nlarge print books\nchildren's room\nbookmobile")},
	{"C20", lines("Clean Air Alliance\nRiverkeeper\nWatershed Council\nEnvironmental Council"),
		lines("protect clean water and healthy air through science, advocacy and restoration\nmonitor streams and restore their banks"),
		lines("people and wildlife\ndownstream communities"), lines("stream monitoring\nriparian restoration\nwater quality testing\nadvocacy")},
	{"C34", lines("Land Trust\nLand Conservancy\nConservation Trust\nOpen Space Trust"),
		lines("conserve farmland, forests and open space in perpetuity\nacquire and steward land of ecological value"),
		lines("future generations\nthe public"), lines("land acquisition\ntrail maintenance\nconservation easement\ninvasive species removal")},
	{"C42", lines("Garden Club\nBotanical Garden\nArboretum\nCommunity Gardens"),
		lines("grow public gardens and teach the art of gardening\nkeep a collection of plants for study and delight"),
		lines("gardeners and visitors\nneighbors and schoolchildren"), lines("children's garden\ntree planting\ngreenhouse repairs")},
	{"C60", lines("Nature Center\nOutdoor School\nEnvironmental Learning Center"),
		lines("connect children with nature through outdoor learning\nteach ecology in the field"),
		lines("schoolchildren\nfamilies and teachers"), lines("field trip scholarships\ncamp scholarships\noutdoor classroom")},
	{"D20", lines("Animal Shelter\nHumane Society\nAnimal Rescue League\nAnimal Haven\nSociety for the Prevention of Cruelty to Animals"),
		lines("shelter homeless animals and find them loving homes\nrescue abused and abandoned animals and provide low-cost veterinary care"),
		lines("dogs, cats and those who love them\nanimals in need"), lines("spay and neuter clinic\nnew kennels\nadoption program\nveterinary care")},
	{"D30", lines("Wildlife Refuge\nBird Sanctuary\nWildlife Rehabilitation Center\nBird Club"),
		lines("rescue, rehabilitate and release native wildlife\nprotect birds and their habitats"),
		lines("native wildlife\nbirds of prey"), lines("raptor care\nhabitat restoration\nbird census")},
	{"E21", lines("Community Health System\nHealth System\nMedical Center Corporation"),
		lines("improve the health of the communities we serve\noperate hospitals and clinics"),
		lines("all regardless of ability to pay\npatients and their families"), lines("mobile mammography\ncharity care\nneonatal intensive care unit\nresidency program")},
	{"E22", lines("Hospital\nMemorial Hospital\nRegional Medical Center\nCommunity Hospital\nChildren's Hospital"),
		lines("provide compassionate, high-quality hospital care\nheal the sick, advance medicine and train caregivers"),
		lines("patients of all ages\nthe region"), lines("cancer center\nemergency department\npediatric oncology\nequipment\nnursing scholarships")},
	{"E32", lines("Community Health Center\nFree Clinic\nFamily Clinic\nHealth Clinic\nDental Clinic"),
		lines("provide primary medical and dental care at little or no cost\ndeliver affordable health care close to home"),
		lines("uninsured and underinsured patients\nworking families"), lines("dental care for children\npatient assistance\nmedications\ntelehealth equipment")},
	{"E86", lines("Hospice\nVisiting Nurse Association\nHospice and Palliative Care"),
		lines("care for the dying and comfort the bereaved\nbring skilled nursing into the home"),
		lines("patients and families facing serious illness\nthe homebound"), lines("bereavement camp\nhospice house\nunreimbursed care")},
	{"F20", lines("Recovery Center\nRecovery House\nPrevention Coalition"),
		lines("offer treatment and recovery housing to people with addiction\nprevent substance misuse among young people"),
		lines("men and women in recovery\nindividuals and families affected by addiction"), lines("recovery beds\npeer coaches\nyouth prevention")},
	{"F32", lines("Counseling Center\nMental Health Association\nBehavioral Health Center\nFamily Counseling Service"),
		lines("provide counseling and psychiatric care\npromote mental health and prevent suicide"),
		lines("children, adults and families\npeople living with mental illness"), lines("school-based counseling\ncrisis line\nsliding-fee therapy")},
	{"G30", lines("Cancer Alliance\nCancer Support Center\nBreast Cancer Fund"),
		lines("support people with cancer and fund the search for cures\nease the burden of cancer with free services"),
		lines("patients, survivors and caregivers\nfamilies facing cancer"), lines("cancer research\npatient transportation\nwig bank")},
	{"G41", lines("Kidney Fund\nEye Research Society\nHeart Alliance\nArthritis Coalition"),
		lines("fund research and help patients pay for treatment\neducate the public and support patients"),
		lines("patients and their families\npeople living with chronic disease"), lines("research grants\npatient assistance\nawareness walk")},
	{"H90", lines("Medical Research Institute\nInstitute for Biomedical Research\nResearch Foundation"),
		lines("conduct basic and clinical research into human disease\nturn discoveries into treatments"),
		lines("humanity\npatients everywhere"), lines("laboratory equipment\npostdoctoral fellowship\ngenomics research")},
	{"I80", lines("Legal Aid Society\nLegal Services\nJustice Project\nInnocence Clinic"),
		lines("provide free civil legal help\ndefend the rights of those who cannot afford a lawyer"),
		lines("low-income residents\ntenants, elders and survivors of violence"), lines("eviction defense\nimmigration clinic\nelder law project")},
	{"J22", lines("Job Training Center\nWorkforce Alliance\nVocational Services\nGood Work Industries"),
		lines("train people for good jobs and help them keep them\noffer employment and training to people with barriers to work"),
		lines("unemployed and underemployed adults\npeople with disabilities"), lines("welding class\njob placement\nwork clothes closet")},
	{"K31", lines("Food Bank\nFood Pantry\nCommunity Kitchen\nSoup Kitchen\nCommunity Food Share\nHunger Relief"),
		lines("provide groceries and prepared meals without charge\nrescue surplus food and share it through partner agencies"),
		lines("families facing hunger\nneighbors in need\nchildren, seniors and working families"), lines("food pantry\nweekend backpack program\nmobile pantry\nholiday meals\nrefrigerated truck")},
	{"L20", lines("Housing Corporation\nHousing Partnership\nAffordable Housing Alliance\nHousing Trust"),
		lines("build and preserve affordable homes\nhelp families rent, buy and keep decent homes"),
		lines("low- and moderate-income households\nworking families"), lines("affordable housing\nhomebuyer education\nrental assistance")},
	{"L41", lines("Homeless Shelter\nHouse of Hospitality\nRescue Mission\nFamily Shelter\nTransitional Housing"),
		lines("offer shelter, meals and a way out of homelessness\nhouse families while they get back on their feet"),
		lines("men, women and children without homes\nhomeless families and veterans"), lines("emergency shelter\ncase management\nwinter beds\nshelter operations")},
	{"M24", lines("Volunteer Fire Department\nFire Company\nRescue Squad\nVolunteer Ambulance Corps"),
		lines("protect life and property from fire\nanswer emergency medical calls at any hour"),
		lines("the township and its neighbors\nresidents and travelers"), lines("turnout gear\nnew pumper\nradio equipment\nambulance")},
	{"N20", lines("Camp\nSummer Camp\nYouth Camp\nOutdoor Ministries"),
		lines("give children a summer of friendship, nature and growth\noperate camps and retreats"),
		lines("children and youth\nchildren with special needs"), lines("camperships\ncabin repairs\nwaterfront safety")},
	{"N63", lines("Youth Baseball\nSoccer Club\nYouth Soccer Association\nSwim Club\nYouth Football League"),
		lines("teach teamwork and sportsmanship through youth sports\norganize leagues for boys and girls"),
		lines("boys and girls ages five to eighteen\nyoung athletes"), lines("field lights\nuniforms\nplayer scholarships")},
	{"O20", lines("Boys and Girls Center\nYouth Center\nTeen Center\nAfter School Program"),
		lines("give young people a safe place to learn and grow after school\nhelp every child reach full potential"),
		lines("children and teens\nyoung people who need us most"), lines("after school program\nsummer program\nhomework help\nteen leadership")},
	{"O50", lines("Mentoring Alliance\nYouth Development Council\nLeadership Academy"),
		lines("match young people with caring mentors\ndevelop tomorrow's leaders"),
		lines("at-risk youth\nhigh school students"), lines("mentoring\nyouth leadership\ncollege visits")},
	{"P20", lines("Community Action Agency\nNeighborhood House\nSettlement House\nCommunity Services\nHuman Services"),
		lines("fight poverty and build self-sufficiency\nmeet basic needs and open doors"),
		lines("low-income individuals and families\nneighbors in crisis"), lines("emergency assistance\nutility assistance\nholiday gifts\nfinancial coaching")},
	{"P33", lines("Child Care Center\nDay Nursery\nEarly Learning Center\nNursery School"),
		lines("provide affordable early education and child care\nnurture young children and support their parents"),
		lines("infants, toddlers and preschoolers\nworking parents"), lines("tuition subsidy\nplayground\nclassroom supplies")},
	{"P43", lines("Women's Shelter\nDomestic Violence Program\nFamily Crisis Center\nSafe Haven"),
		lines("shelter and counsel survivors of domestic violence and sexual assault\nend violence in the home"),
		lines("survivors and their children\nwomen and children fleeing abuse"), lines("shelter operations\ncrisis hotline\nlegal advocacy")},
	{"P75", lines("Senior Center\nCouncil on Aging\nMeals to Your Door\nElder Services\nRetirement Community"),
		lines("help older people live with dignity in their own homes\ndeliver meals and companionship"),
		lines("seniors\nhomebound elders"), lines("home delivered meals\nsenior transportation\nadult day care")},
	{"P82", lines("Association for Citizens with Disabilities\nIndependent Living Center\nDevelopmental Services\nSpecial Needs Ministry"),
		lines("support people with developmental disabilities to live full lives\nprovide residential, vocational and respite services"),
		lines("people with disabilities and their families\nadults with intellectual disabilities"), lines("wheelchair van\nrespite care\ngroup home")},
	{"Q33", lines("International Relief\nWorld Outreach\nGlobal Health Partners\nVillage Partners\nChildren's Fund International"),
		lines("bring clean water, schooling and health care to poor communities overseas\nrespond to disasters and rebuild"),
		lines("children and families in developing countries\nrefugees and displaced people"), lines("clean water wells\nschool construction\ndisaster relief\nmedical supplies")},
	{"R20", lines("Equality Alliance\nCivil Rights Coalition\nJustice League\nCoalition for Racial Justice"),
		lines("advance civil rights and equal opportunity\norganize communities for lasting change"),
		lines("communities of color\nall people"), lines("voter education\nleadership training\ngeneral operating")},
	{"S20", lines("Neighborhood Association\nCommunity Development Corporation\nMain Street Association\nCivic Association"),
		lines("revitalize the neighborhood and its economy\nbring residents together to improve the place they share"),
		lines("residents and small businesses\nthe neighborhood"), lines("facade improvements\nneighborhood cleanup\nsmall business loans")},
	{"S41", lines("Chamber of Commerce\nBusiness League\nEconomic Development Council"),
		lines("promote business and economic growth\nserve as the voice of business"), lines("member businesses\nthe region"), lines("downtown program\nworkforce study")},
	{"T20", lines("Foundation"), lines("make grants to charitable organizations\nsupport education, health and the arts through grants"),
		lines("qualified charitable organizations\nthe public good"), lines("program support\nmatching gift")},
	{"T31", lines("Community Foundation"), lines("connect donors with causes and build permanent charitable funds\nsteward charitable funds and make grants"),
		lines("the people of the region\ngenerations to come"), lines("community endowment\ndisaster relief fund\nnonprofit training")},
	{"U20", lines("Science Center\nDiscovery Museum\nPlanetarium\nScience Institute"),
		lines("inspire curiosity about science\nadvance science and share it with the public"), lines("learners of all ages\nstudents and teachers"), lines("robotics club\nexhibit renovation\nteacher workshops")},
	{"V20", lines("Policy Institute\nResearch Institute\nCenter for Public Policy"),
		lines("conduct nonpartisan research on public policy\ninform debate with sound evidence"), lines("policymakers and citizens\nthe public"), lines("policy fellowship\ntax policy study\npublic lectures")},
	{"W30", lines("Veterans Center\nVeterans Outreach\nMilitary Families Fund\nVeterans Memorial Fund"),
		lines("help veterans and their families with housing, jobs and healing\nhonor those who served"), lines("veterans and military families\nwounded service members"), lines("veteran housing\nservice dogs\nemergency grants")},
	{"W70", lines("Leadership Institute\nCivic Leadership Program"), lines("prepare citizens for public leadership\nteach the practice of self-government"), lines("emerging leaders\ncitizens"), lines("fellowship program\ncivics education")},
	{"X20", lines("Ministries\nChristian Mission\nGospel Outreach\nChristian Fellowship\nBible Institute"),
		lines("share the gospel in word and deed\ntrain pastors and plant churches"), lines("people of every nation\nfamilies and communities"), lines("missions\nmissionary support\nbible distribution\nvacation bible school")},
	{"X21", lines("Church"), lines("worship God, make disciples and serve our neighbors\nproclaim the good news and care for those in need"), lines("members and neighbors\nthe community"), lines("building fund\nmissions\nyouth ministry\nfood pantry\nchurch operations")},
	{"X30", lines("Congregation\nTemple\nSynagogue\nJewish Center\nHebrew Academy"), lines("sustain Jewish worship, learning and community\npass on a living tradition through study and deeds of kindness"), lines("members and the wider community\nfamilies"), lines("religious school\nannual appeal\ntorah restoration\nsecurity")},
	{"X40", lines("Islamic Center\nMasjid\nIslamic Society"), lines("provide for worship, education and service in the Muslim community\nbuild understanding among neighbors of all faiths"), lines("the Muslim community and its neighbors"), lines("weekend school\nfood drive\nbuilding fund")},
	{"Y42", lines("Mutual Aid Society\nBenevolent Association"), lines("provide benefits and fellowship to members\nsupport charity through fraternal service"), lines("members and their families"), lines("charity fund\nscholarship awards")},
}

// fieldByCode finds a field by its NTEE code; the table is small and read
// once per organization.
var fieldByCode = func() map[string]int {
	m := make(map[string]int, len(fields))
	for i := range fields {
		m[fields[i].code] = i
	}
	return m
}()

func fieldIndex(code string) int {
	if i, ok := fieldByCode[code]; ok {
		return i
	}
	// Federations name finer codes than there are fields: take the first
	// field of the same major group.
	for i := range fields {
		if fields[i].code[0] == code[0] {
			return i
		}
	}
	return fieldByCode["P20"]
}

// generalFields are the fields that an ordinary local organization works
// in, repeated by weight.
var generalFields = func() []int {
	codes := list(`
A51 A54 A62 A65 A65 A65 A68 A68 A69 A80 A80 A80 B20 B20 B20 B25 B60 B70 B70 B82 B82 B94 B94 B94 C20 C20 C34 C34 C42 C60
D20 D20 D20 D30 E32 E32 E86 F20 F32 F32 G30 G41 H90 I80 J22 K31 K31 K31 K31 K31 L20 L20 L41 L41 L41 M24 M24 N20 N63 N63
N63 O20 O20 O50 P20 P20 P20 P20 P33 P33 P43 P43 P75 P75 P82 P82 Q33 Q33 R20 S20 S20 S41 U20 V20 W30 W30 W70 X20 X20 X20 Y42`)
	out := make([]int, len(codes))
	for i, c := range codes {
		out[i] = fieldIndex(c)
	}
	return out
}()

var (
	fieldChurch    = fieldIndex("X21")
	fieldTemple    = fieldIndex("X30")
	fieldMasjid    = fieldIndex("X40")
	fieldSchool    = fieldIndex("B20")
	fieldParents   = fieldIndex("B94")
	fieldCollege   = fieldIndex("B42")
	causeUni       = fieldIndex("B43")
	causeHospital  = fieldIndex("E22")
	causeFound     = fieldIndex("T20")
	causeCommunity = fieldIndex("T31")
	causeScholar   = fieldIndex("B82")
	causeCivic     = fieldIndex("S20")
	causeCamp      = fieldIndex("N20")
)

// missions are the sentences organizations describe themselves with. $D is
// what they do, $E another thing they do, $W for whom, $P the place, $N the
// name, $Y the founding year.
var missions = lines(`
To $D for $W in $P.
The mission of $N is to $D for $W throughout $P.
Our mission is to $D for $W in $P, and to $E.
$N works to $D for $W.
Founded in $Y, $N exists to $D for $W in and around $P.
To $D and to $E for $W.
We $D for $W in $P. Since $Y volunteers and staff have worked with local partners to $E.
To $D.
$N was organized in $Y to $D for $W of $P, without regard to race, creed or ability to pay.
To serve $W in $P: we $D and $E.`)

// purposeHead are the purposes filers write most, with their shares in ten
// thousandths; what is left over is put together from the recipient's field.
var purposeHead = []struct {
	text  string
	share uint32
}{
	{"GENERAL SUPPORT", 760}, {"GENERAL OPERATING SUPPORT", 420}, {"CHARITABLE", 520}, {"GENERAL", 330},
	{"PROGRAM SUPPORT", 380}, {"SCHOLARSHIP", 240}, {"EDUCATION", 250}, {"EDUCATIONAL", 230}, {"UNRESTRICTED", 280},
	{"RELIGIOUS", 170}, {"GENERAL PURPOSE", 170}, {"GENERAL FUND", 140}, {"CHARITABLE CONTRIBUTION", 130}, {"OPERATING SUPPORT", 110},
	{"GENERAL & UNRESTRICTED", 120}, {"GENERAL CHARITABLE PURPOSES", 110}, {"MEDICAL", 80}, {"UNRESTRICTED GRANT", 80},
	{"TO SUPPORT THE ORGANIZATION'S CHARITABLE PURPOSE", 130}, {"FURTHER EXEMPT PURPOSE", 110}, {"CAPITAL CAMPAIGN", 90},
	{"ANNUAL FUND", 90}, {"COMMUNITY SUPPORT", 80}, {"DONATION", 70}, {"MATCHING GIFT", 60}, {"RESEARCH", 50}, {"MISSIONS", 40},
	{"HUMAN SERVICES", 60}, {"ARTS AND CULTURE", 50}, {"HEALTH", 40}, {"N/A", 30}, {"CHARITABLE PURPOSES OF THE RECIPIENT", 70},
}

// purposeTail says the rest: $G one of the field's programs, $F a given name,
// $S a surname, $Y the year, $C the recipient's city.
var purposeTail = lines(`
$G
$G
$G
To support $G
Support for $G
For $G in $C
$Y $G
General support of $G
Grant for $G
$G and general operating
$G, second year of two
In memory of $F $S
In honor of $F $S
Annual gala sponsorship
Capital campaign for $G
Towards $G
To fund $G for the $Y school year
Emergency response and $G
$G and related costs
$C chapter $G
Challenge grant for $G
Capacity building
Endowment of $G
Purchase of equipment for $G`)

// purposePerson are the purposes of payments to people.
var purposePerson = lines(`
SCHOLARSHIP
Scholarship
College scholarship
TUITION ASSISTANCE
EDUCATIONAL SCHOLARSHIP
Hardship assistance
MEDICAL ASSISTANCE
Fellowship award
Emergency relief
Higher education expenses`)
