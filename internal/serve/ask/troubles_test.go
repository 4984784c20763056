package ask_test

import (
	"archive/zip"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ingest"
	"grantgraph/internal/serve/indexes"
)

// line is a grant of the troubled world, as its funder writes it.
type line struct {
	ein, name, city, state string
	amount                 int
}

// troubled builds a small world whose names have the troubles of real ones: a
// foundation named like a city, a university whose legal name nobody uses, two
// churches of one name, a namesake of a large foundation with one grant, a
// university and a society named after a city, and a
// university in no register that a filer names without an EIN in another state, so that
// the EIN stated elsewhere proves nothing.
func troubled(t *testing.T) (data string) {
	t.Helper()
	sources, data := t.TempDir(), t.TempDir()
	master := "EIN,NAME,ICO,STREET,CITY,STATE,ZIP,GROUP,SUBSECTION,AFFILIATION,CLASSIFICATION,RULING,DEDUCTIBILITY,FOUNDATION,ACTIVITY,ORGANIZATION,STATUS," +
		"TAX_PERIOD,ASSET_CD,INCOME_CD,FILING_REQ_CD,PF_FILING_REQ_CD,ACCT_PD,ASSET_AMT,INCOME_AMT,REVENUE_AMT,NTEE_CD,SORT_NAME\n"
	add := func(ein, name, city, state, ntee string) {
		master += fmt.Sprintf("%s,%s,,1 ELM ST,%s,%s,44301-0001,0000,03,3,1000,200001,1,15,000000000,1,01,202212,3,3,01,0,12,1,1,1,%s,\n", ein, name, city, state, ntee)
	}
	add("100000001", "ALBERT AND CORA MARLOWE FOUNDATION", "LARKSPUR", "CA", "T20")
	add("100000002", "MARLOWE FOUNDATION", "DAYTON", "OH", "T20")
	add("100000003", "MARLOWE VOLUNTEER FIRE COMPANY", "MARLOWE", "NY", "M24")
	add("100000004", "PRESIDENT AND WARDENS OF ASHCOMBE COLLEGE", "ASHCOMBE", "MA", "B42")
	add("100000005", "ST BEDES CHURCH", "AKRON", "OH", "X20")
	add("100000006", "ST BEDES CHURCH", "RENO", "NV", "X20")
	add("100000007", "NEWCORP INC", "ALBANY", "NY", "S20")
	add("100000008", "UNIVERSITY OF WEXLEY", "CORVEN", "OH", "B43")
	add("100000009", "WEXLEY CHORAL SOCIETY", "WEXLEY", "OH", "A6B")
	add("100000010", "INSTITUTE FOR HUMANE GARDENS", "CORVEN", "OH", "C40")
	add("100000011", "VESPERIDGE HEALTH", "CORVEN", "OH", "E21")
	add("100000012", "VESPERIDGE HEALTH FOUNDATION", "CORVEN", "OH", "E21")
	add("100000014", "HOLLIS ENDOWMENT TRUST", "CORVEN", "OH", "T20")
	add("100000015", "THE LOFT MUSEUM IN TROY", "TROY", "NY", "A50")
	add("100000016", "LOFT MUSEUM OF QUARTZ", "CORVEN", "OH", "A50")
	add("100000017", "CALDER CHAPEL", "AKRON", "OH", "X20")
	add("100000018", "CALDER CHAPEL", "RENO", "NV", "X20")
	add("100000019", "CALDER CHAPEL OF LIMA", "LIMA", "OH", "X20")
	add("100000024", "BRINDLE HEALTH ADVOCATES", "CORVEN", "OH", "E20")
	for i := range 30 {
		add(fmt.Sprintf("3000000%02d", i), "GRACE HOLLOW CHURCH", []string{"RENO", "TROY", "LIMA"}[i%3], []string{"NV", "NY", "OH"}[i%3], "X20")
	}
	for i, name := range []string{"SORBELL COLLEGE", "SORBUG", "SORBOLPH CO INC", "SORBALL UNIVERSITY INC"} {
		add(fmt.Sprintf("10000002%d", i), name, "CORVEN", "OH", "P20")
	}
	for i := range 200 {
		kind := []string{"FOUNDATION", "CHURCH", "SOCIETY", "COLLEGE", "FUND"}[i%5]
		add(fmt.Sprintf("2%08d", i), fmt.Sprintf("QUILL%c%c %s", 'A'+i%26, 'A'+i/26, kind), "TOLEDO", "OH", "P20")
	}
	ashcombe := line{"100000004", "ASHCOMBE UNIVERSITY", "ASHCOMBE", "MA", 500_000}
	returns := map[string]string{
		"a": scheduleI("100000001", "ALBERT AND CORA MARLOWE FOUNDATION", "2021", ashcombe, line{"100000005", "ST BEDES CHURCH", "AKRON", "OH", 20_000},
			line{"100000007", "NEWCORP INC", "ALBANY", "NY", 70_000}, line{"", "KITE FLYERS OF TROY", "TROY", "NY", 30_000}),
		"b": scheduleI("100000002", "MARLOWE FOUNDATION", "2021", line{"100000006", "ST BEDES CHURCH", "RENO", "NV", 1_000},
			line{"100000008", "UNIVERSITY OF WEXLEY", "CORVEN", "OH", 6_000}, line{"100000009", "WEXLEY CHORAL SOCIETY", "WEXLEY", "OH", 3_000},
			line{"", "INSTITUTE FOR HUMANE LETTERS", "CORVEN", "OH", 4_000}),
		"c": scheduleI("200000003", "QUILLDA COLLEGE", "2021", line{"110000001", "FENWICK UNIVERSITY", "FENWICK", "VA", 7_000},
			line{"", "FENWICK UNIVERSITY SCHOOL OF LAW", "LAUREL", "MD", 5_000}),
		"e": scheduleI("200000019", "QUILLTA FUND", "2021", line{"", "TARNWICK FOUNDATION", "LAUREL", "MD", 8_000},
			line{"", "TARNWICK FOUNDATION OF THE NORTH", "LAUREL", "MD", 500}),
		"f": scheduleI("200000024", "QUILLYA FUND", "2021", line{"110000002", "ZORVEX", "LAUREL", "MD", 700},
			line{"100000014", "HOLLIS ENDOWMENT", "CORVEN", "OH", 100}, line{"100000017", "CALDER CHAPEL", "AKRON", "OH", 300},
			line{"100000018", "CALDER CHAPEL", "RENO", "NV", 20}, line{"100000019", "CALDER CHAPEL OF LIMA", "LIMA", "OH", 40},
			line{"300000002", "GRACE HOLLOW CHURCH", "LIMA", "OH", 60},
			line{"300000000", "GRACE HOLLOW CHURCH", "RENO", "NV", 60}),
		"g": scheduleI("200000029", "QUILLDB FUND", "2021", line{"", "ZORVEX EDUCATIONAL TRUST SOUTH", "BOWIE", "MD", 5_000}),
		"h": scheduleI("100000013", "VESPERIDGE HEALTH GROUP RETURN", "2021", line{"100000011", "VESPERIDGE HEALTH", "CORVEN", "OH", 900},
			line{"100000012", "VESPERIDGE HEALTH FOUNDATION", "CORVEN", "OH", 600}),
		"i": scheduleI("100000014", "HOLLIS ENDOWMENT TRUST", "2021", line{"", "HOLLIS ENDOWMENT", "CORVEN", "OH", 9_000}),
		"j": scheduleI("200000034", "QUILLIB FUND", "2021", line{"", "SEE ATTACHED LIST", "TROY", "NY", 50_000},
			line{"100000015", "LOFT MUSEUM IN TROY", "TROY", "NY", 1_000},
			line{"", "SORB CORPORATION", "BOWIE", "MD", 2_000},
			line{"100000020", "SORBELL COLLEGE", "CORVEN", "OH", 100}, line{"100000021", "SORBUG", "CORVEN", "OH", 100}, line{"100000016", "LOFT MUSEUM OF QUARTZ", "CORVEN", "OH", 100}),
		"k": scheduleI("200000039", "QUILLNB FUND", "2021", line{"100000024", "BRINDLE HEALTH", "CORVEN", "OH", 900}),
		"d": scheduleI("200000014", "QUILLOA FUND", "2021", line{"", "FENWICK UNIVERSITY", "LAUREL", "MD", 90_000}),
	}
	for i := range 12 {
		name := fmt.Sprintf("QUILL%cA FOUNDATION", 'A'+i*5%26)
		returns[fmt.Sprint(i)] = scheduleI(fmt.Sprintf("2%08d", i*5), name, "2021", ashcombe)
	}
	write := func(name string, body []byte) {
		path := filepath.Join(sources, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("bmf/eo1.csv", []byte(master))
	var b strings.Builder
	z := zip.NewWriter(&b)
	for n, name := range slices.Sorted(maps.Keys(returns)) {
		w, err := z.Create(fmt.Sprintf("2022%014d_public.xml", n+1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(returns[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write("990/2022_TEOS_XML_01A.zip", []byte(b.String()))
	_, err := ingest.Run(t.Context(), ingest.Options{Sources: sources, Data: data, Indexers: world.Indexers(), ListIndexers: indexes.Lists(),
		Now: func() time.Time { return world.Built }})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// scheduleI writes a return with grants.
func scheduleI(filer, name, year string, grants ...line) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<Return xmlns="http://www.irs.gov/efile" returnVersion="2021v4.0"><ReturnHeader><ReturnTs>2022-05-01T00:00:00Z</ReturnTs>`+
		`<TaxPeriodEndDt>%s-12-31</TaxPeriodEndDt><ReturnTypeCd>990</ReturnTypeCd><Filer><EIN>%s</EIN><BusinessName><BusinessNameLine1Txt>%s`+
		`</BusinessNameLine1Txt></BusinessName><USAddress><AddressLine1Txt>3 Ash Rd</AddressLine1Txt><CityNm>AKRON</CityNm>`+
		`<StateAbbreviationCd>OH</StateAbbreviationCd><ZIPCd>44301</ZIPCd></USAddress></Filer><TaxYr>%s</TaxYr></ReturnHeader><ReturnData>`+
		`<IRS990></IRS990><IRS990ScheduleI>`, year, filer, name, year)
	for _, g := range grants {
		ein := ""
		if g.ein != "" {
			ein = "<RecipientEIN>" + g.ein + "</RecipientEIN>"
		}
		fmt.Fprintf(&b, `<RecipientTable><RecipientBusinessName><BusinessNameLine1Txt>%s</BusinessNameLine1Txt></RecipientBusinessName><USAddress>`+
			`<AddressLine1Txt>2 Oak Ave</AddressLine1Txt><CityNm>%s</CityNm><StateAbbreviationCd>%s</StateAbbreviationCd><ZIPCd>44301</ZIPCd></USAddress>%s`+
			`<CashGrantAmt>%d</CashGrantAmt><PurposeOfGrantTxt>GENERAL SUPPORT</PurposeOfGrantTxt></RecipientTable>`, g.name, g.city, g.state, ein, g.amount)
	}
	b.WriteString("</IRS990ScheduleI></ReturnData></Return>")
	return b.String()
}

// TestTroubledNames asks about organizations whose names are like other things.
func TestTroubledNames(t *testing.T) {
	t.Parallel()
	a := at(t, troubled(t))
	for _, tc := range []struct{ question, says, why string }{
		{"How much did the Albert and Cora Marlowe Foundation give?", "$620,000", ""},
		{"Who funds Ashcombe University?", "President and Wardens of Ashcombe College", ""},
		{"How much did Ashcombe University receive in 2021?", "$6,500,000", ""},
		{"Which cities received the most from the Albert and Cora Marlowe Foundation?", "Ashcombe, MA: $500,000", ""},
		{"How much did the Albert and Cora Marlowe Foundation give in New York?", "$100,000", ""},
		{"How much did St. Bede's Church receive?", "", "several organizations"},
		{"How much did St. Bede's Church in Reno receive?", "$1,000", ""},
		{"How much did the Moon Landing Institute of Nowhere give?", "", "called “Moon Landing Institute of Nowhere”"},
		{"Did the Quilloa Fund fund Fenwick University?", "1 grant names Fenwick University without one: $90,000 in all", ""},
		{"Who funds Fenwick University?", "1 more grant names Fenwick University without an EIN, $90,000 in all", ""},
		{"Who funds Fenwick University (formerly Fenwick Normal School)?", "names Fenwick University School of Law without an EIN, which may", ""},
		{"How much did c/o Jane Smith, Quilloa Fund give in 2021?", "$90,000", ""},
		{"Who bankrolled c/o Kite Flyers of Troy?", "1 funder made grants to Kite Flyers of Troy", ""},
		{"Which causes received the most from the Quilloa Fund?", "No cause known for 1 grant by Quilloa Fund, $90,000 in all.", ""},
		{"What is the EIN of Newcorp Inc?", "10-0000007", ""},
		{"Who funds Kite Flyers of Troy?", "1 funder made grants to Kite Flyers of Troy", ""},
		{"What share of the money of 10-0000002 goes to Wexley?", "to recipients in Wexley are 21.4% of the dollars", ""},
		{"Who funds the Institute for Humane Letters?", "1 funder made grants to Institute for Humane Letters", ""},
		{"How much did Kite Flyers of Troy give?", "", "only know the grants that it received"},
		{"Who gave more to Fenwick University, the Quilloa Fund or Quillda College?", "Counting these, the larger is Quilloa Fund, by $83,000", ""},
		{"How much did the Quilloa Fund give in 2019?", "We cannot say: this data has no return of Quilloa Fund for fiscal year 2019.", ""},
		{"How much did the Quilloa Fund give to churches?", "We cannot say: the cause of 1 grant, $90,000 in all, is not known.", ""},
		{"Who funds Tarnwick?", "to Tarnwick Foundation of the North, a recipient of similar name.", ""},
		{"How much did Zorvex receive?", "1 more grant names Zorvex Educational Trust South without an EIN, which may or may not be part of it", ""},
		{"How much did Vesperidge Health give?", "Grants by Vesperidge Health Group Return come to $1,500, in 2 grants", ""},
		{"Who funds Vesperidge Health?", "Not counted: $600 to Vesperidge Health Foundation, a recipient of similar name.", ""},
		{"How much did the Hollis Endowment give?", "", "We have no return of “Hollis Endowment”. Hollis Endowment Trust (EIN 10-0000014), which made most of the grants to it"},
		{"Who funds Wexley University?", "", "Did you mean University of Wexley"},
		{"How much was given to Ashcombe?", "$6,500,000", ""},
		{"Who lost funding from the Quilloa Fund after 2021?", "", "there is no return of Quilloa Fund"},
		{"Who funds Zorvex?", "The largest by dollars, counting these too, is Quilldb Fund: $5,000 in 1 grant", ""},
		{"Is it true that the Quillta Fund funded the Tarnwick Foundation?", "Yes: 1 grant by Quillta Fund to Tarnwick Foundation", ""},
		{"How much did the Quilloa Fund give in 2019 and 2021?", "$90,000", ""},
		{"How much did the Quilloa Fund give from 2019 to 2021?", "no return of Quilloa Fund for fiscal years 2019 and 2020", ""},
		{"Who funds the Loft Museum in Troy?", "The Loft Museum in Troy. ", ""},
		{"How much did Sorb Corporation receive?", "$2,000", ""},
		{"How much did the Quillib Fund give in 2021?", "In all, $50,000 (93.8% of the dollars) went to individuals or is on lines that name no organization", ""},
		{"What is the largest grant by the Quillib Fund?", "(93.8% of the dollars) went to individuals or is on lines that name no organization", ""},
		{"Who are the largest recipients of the Quillta Fund?", "1 other recipient has a name that begins with “Tarnwick”, $500 in all", ""},
		{"How much did Loft Museums in Ohio receive?", "Grants to Loft Museum of Quartz come to $100, in 1 grant", ""},
		{"How much did Calder Chapel in Ohio receive?", "come to $340, in 2 grants", ""},
		{"How much did Grace Hollow Church receive?", "", "several organizations"},
		{"Who funds 11-0000001?", "1 more grant names Fenwick University without an EIN, $90,000 in all", ""},
		{"How much did Brindle Health receive?", "", "It looks like the advocacy arm of that organization"},
		{"Did the Quilloa Fund give more to Fenwick University than Quillda College?", "Grant dollars to Fenwick University: Quilloa Fund", ""},
		{"Did Ashcombe University give to Newcorp Inc?", "", "was read as President and Wardens of Ashcombe College"},
		{"Did giving by the Quilloa Fund grow from 2020 to 2021?", "", "this data has no return of Quilloa Fund for fiscal year 2020"},
	} {
		got, err := a.Answer(t.Context(), tc.question)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(got.Answer+" "+strings.Join(got.Caveats, " "), tc.says) || !strings.Contains(got.Why, tc.why) || got.Understood != (tc.why == "") {
			t.Errorf("%s: %q %q, want %q %q", tc.question, got.Answer, got.Why, tc.says, tc.why)
		}
		for _, q := range got.Try {
			if _, u := a.Read(t.Context(), q); u != nil {
				t.Errorf("%s offers %q, which has no answer: %s", tc.question, q, u.Why)
			}
		}
	}
}

// TestReworded reads questions in the words of a language model.
func TestReworded(t *testing.T) {
	t.Parallel()
	a := at(t, troubled(t))
	const question = "Which outfits handed over 5k or more to Fenwick University around 2021?"
	p, err := a.Reworded(t.Context(), question, "Which funders gave at least 5k to Fenwick University in 2021?")
	if err != nil || len(p.Recipients) != 1 || p.Recipients[0].EIN != "110000001" || *p.MinAmount != 5000 || len(p.Notes) == 0 || !strings.Contains(p.Notes[0], "at least 5k") {
		t.Errorf("%v %v", p, err)
	}
	for _, wording := range []string{
		"Which funders gave at least 5k to Ashcombe University in 2021?",
		"Which funders gave at least 5k to Fenwick University?",
		"Which of the outfits handed over at least 5k to Fenwick University in 2021?",
		"",
	} {
		if p, err := a.Reworded(t.Context(), question, wording); err == nil {
			t.Errorf("%s: %s", wording, p)
		}
	}
}
