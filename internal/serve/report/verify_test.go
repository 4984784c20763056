package report

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gowebpki/jcs"

	"grantgraph/client"
	"grantgraph/internal/fault"
)

func verify(t testing.TB, document []byte, keys ...PublicKey) *Verdict {
	t.Helper()
	v, err := Verify(t.Context(), document, keys)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// text is a pointer's value as a word, for messages.
func word(b *bool) string {
	switch {
	case b == nil:
		return "null"
	case *b:
		return "true"
	}
	return "false"
}

func TestIssuedReportIsValid(t *testing.T) {
	t.Parallel()
	for name, document := range map[string][]byte{"clear": issue(t, clear()), "against": issue(t, against()), "unscreened": issue(t, unscreened()), "named": issue(t, named())} {
		v := verify(t, document, keyOf("other").published(), keyOf("current").published())
		if v.Status() != Valid || word(v.IDMatches) != "true" || word(v.SignatureValid) != "true" || word(v.FormatCurrent) != "true" ||
			v.Reason != nil || v.Note != nil || v.PageMatches != nil || *v.IssuedAt != "2026-11-16T14:17:03Z" || v.KeyID != keyOf("current").id() {
			t.Errorf("%s: %+v", name, v)
		}
	}
	v := verify(t, issue(t, clear()), keyOf("current").published())
	if *v.Subject.EIN != "000000001" || *v.Subject.Name != "Harborlight Community Fund" || len(v.Lists) != 7 || v.Lists[0].Source != "bmf" || *v.Lists[0].Revised != "2026-10-13" {
		t.Errorf("%+v %+v", v.Subject, v.Lists)
	}
	if v := verify(t, issue(t, named()), keyOf("current").published()); v.Subject.EIN != nil || *v.Subject.Name != named().Subject.Name || len(v.Lists) != 1 {
		t.Errorf("%+v %+v", v.Subject, v.Lists)
	}
}

// TestWireOrder holds the names of the report and their order.
func TestWireOrder(t *testing.T) {
	t.Parallel()
	v, err := parse(issue(t, clear()))
	if err != nil {
		t.Fatal(err)
	}
	names := func(v *value) (list []string) {
		for _, m := range v.members {
			list = append(list, m.name)
		}
		return list
	}
	if got := strings.Join(names(v), " "); got != "format report_id issued_at key_id algorithm verify_url content signature" {
		t.Error(got)
	}
	if got := strings.Join(names(v.member("content")), " "); got != "ein found organization compliance sources" {
		t.Error(got)
	}
}

func TestWrapping(t *testing.T) {
	t.Parallel()
	key := keyOf("current").published()
	report := string(issue(t, clear()))
	named := string(issue(t, client.NameReportContent{Subject: client.ScreenedName{Name: "Project 1 0 obj Fund"}}))
	for name, c := range map[string]struct{ document, note, reason, wrong string }{
		"block":               {document: report},
		"indented":            {document: indent(t, report)},
		"spaced":              {document: " \n" + report + "\r\n\t"},
		"byte order mark":     {document: "\ufeff" + report},
		"canonical":           {document: transform(t, report)},
		"wrapped":             {document: `{"report":` + report + `}`},
		"named like a PDF":    {document: named},
		"response":            {document: `{"code":200,"ein":"000000001","report":` + report + `,"x_service":{}}`, note: "not signed"},
		"bulk of one":         {document: `{"code":200,"results_count":1,"results":[{"ein":"000000001","report":` + report + `,"error":null}]}`, note: "only the report"},
		"names":               {document: `{"results":[{"name":"Project 1 0 obj Fund","country":null,"report":` + named + `}]}`},
		"another's report":    {document: `{"code":200,"ein":"000000002","report":` + report + `,"x_service":{}}`, reason: "to a response: ein."},
		"another's in bulk":   {document: `{"results":[{"ein":"000000002","report":` + report + `}]}`, reason: "to a response: ein."},
		"bulk with others":    {document: `{"code":200,"results":[{"ein":"x"},{"report":` + report + `}]}`, reason: "to a response: results."},
		"another list":        {document: `{"lists":[{"report":` + report + `}]}`, reason: "to a response: lists."},
		"other content":       {document: `{"compliance":{"revoked":false},"report":` + report + `}`, reason: "to a response: compliance."},
		"content that is not": {document: `{"name":"Acme","subject":null,"report":` + report + `}`, reason: "to a response: name, subject."},
		"other field":         {document: `{"a":"rooms 1 2 and 3","report":` + report + `}`, reason: "to a response: a."},
		"other service":       {document: `{"report":` + report + `,"x_service":{"cleared":true}}`, reason: "to a response: x_service."},
		"other code":          {document: `{"code":201,"message":"Cleared","report":` + report + `}`, reason: "to a response: code, message."},
		"bulk with several":   {document: `{"code":200,"results":[{"report":` + report + `},{"report":` + report + `}]}`, wrong: "holds 2 reports: results[0] (000000001), results[1] (000000001)"},
		"JSON and PDF":        {document: `{"%PDF-1.7":"\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj","report":` + report + `}`, wrong: "code of a PDF"},
		"no spaces":           {document: `{"a":"1 0obj","report":` + report + `}`, wrong: "code of a PDF"},
		"table only":          {document: `{"a":"STARTXREF","report":` + report + `}`, wrong: "code of a PDF"},
		"mark only":           {document: `{"report":` + report + `,"%PDF-":1}`, wrong: "code of a PDF"},
		"dictionary only":     {document: `{"a":["<<"],"report":` + report + `}`, wrong: "code of a PDF"},
		"mark before 1024":    {document: "\ufeff" + `{"%PDF-1.7":1,"report":` + report + `}`, wrong: "code of a PDF"},
		"PDF in bulk":         {document: `{"results":[{"a":"startxref 5 4  0 obj","report":` + report + `}]}`, wrong: "code of a PDF"},
		"PDF in the service":  {document: `{"report":` + report + `,"x_service":{"unsupported":["1 0 obj"]}}`, wrong: "code of a PDF"},
		"PDF with escapes":    {document: `{"report":` + report + `,"x_service":{"unsupported":["1\t0\tobj"]}}`, wrong: "code of a PDF"},
		"service in capitals": {document: `{"report":` + report + `,"x_service":{"Dataset":{"version":"Cleared"}}}`, reason: "to a response: x_service."},
		"PDF in the report":   {document: strings.Replace(named, "1 0 obj", "<</Type/Catalog>>", 1), wrong: "code of a PDF"},
		"image as a page":     {document: `{"report":` + report + `,"x_service":{"unsupported":["BI/W[1 2 1]/Root 2 0 R/F/AHx ID 00>EI"]}}`, reason: "to a response: x_service."},
		"odd object number":   {document: `{"report":` + report + `,"x_service":{"unsupported":["1 0e+obj"]}}`, wrong: "code of a PDF"},
		"escaped slash":       {document: `{"report":` + report + `,"x_service":{"unsupported":["BI\u002fW"]}}`, reason: "to a response: x_service."},
		"words as a version":  {document: `{"report":` + report + `,"x_service":{"dataset":{"version":"Cleared for all payments"}}}`, reason: "to a response: x_service."},
		"service":             {document: `{"report":` + report + `,"x_service":{"unsupported":["verbose"],"dataset":{"version":"20261118T145504Z"}}}`, note: "not signed"},
		"words as a field":    {document: `{"report":` + report + `,"x_service":{"unsupported":["cleared for all payments"]}}`, reason: "to a response: x_service."},
		"object in a report":  {document: strings.Replace(named, "1 0 obj", "\\u003c1 0 obj BI/XRef 0", 1), wrong: "code of a PDF"},
		"trailer in a report": {document: strings.Replace(named, "1 0 obj", "< trailer park", 1), wrong: "code of a PDF"},
		"table in the report": {document: strings.Replace(named, "1 0 obj", "startxref", 1), wrong: "code of a PDF"},
		"page in the report":  {document: strings.Replace(named, "1 0 obj", "<Script>", 1), wrong: "of a web page"},
		"page in the service": {document: `{"report":` + report + `,"x_service":{"unsupported":["<h1>Cleared</h1>"]}}`, wrong: "of a web page"},
		"no report":           {document: `{"code":200}`, wrong: "no report in it"},
		"null report":         {document: `{"code":200,"report":null}`, wrong: "holds no report"},
		"report of a trial":   {document: `{"report":{"a":1}}`, wrong: "not a report"},
		"array":               {document: `[` + report + `]`, wrong: "a report is an object"},
		"text":                {document: `hello`, wrong: "not valid JSON"},
		"nothing":             {document: ``, wrong: "ends in the middle"},
	} {
		v, err := Verify(t.Context(), []byte(c.document), []PublicKey{key})
		if c.wrong != "" {
			if f, ok := fault.Of(err); !ok || f.Slug != BadReport || f.Hint == "" || !strings.Contains(f.Message, c.wrong) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		status := Valid
		if c.reason != "" {
			status = Unverifiable
		}
		if err != nil || v.Status() != status || word(v.IDMatches) != "true" {
			t.Errorf("%s: %+v %v", name, v, err)
			continue
		}
		for _, said := range []struct {
			got  *string
			want string
		}{{v.Reason, c.reason}, {v.Note, c.note}} {
			if said.want == "" && said.got != nil && c.note != "" || said.want != "" && (said.got == nil || !strings.Contains(strings.ToLower(*said.got), strings.ToLower(said.want))) {
				t.Errorf("%s: said %v, not %q", name, said.got, said.want)
			}
		}
		// What it says to save is the report.
		if v := verify(t, v.Report, key); v.Status() != Valid {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestPageInAName holds that no report is signed whose own text a viewer of PDFs could show
// as a page: a caller chooses the names that are screened.
func TestPageInAName(t *testing.T) {
	t.Parallel()
	content := named()
	content.Subject.Name = "1 0obj<</Type/Catalog/Pages 2 0 R>>endobj"
	if r, err := Issue(t.Context(), keyOf("current"), content, verifyURL, issued); err == nil {
		t.Errorf("issued: %+v", r.Content.Subject)
	}
}

func indent(t testing.TB, document string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(document), "", "    "); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func transform(t testing.TB, document string) string {
	t.Helper()
	out, err := jcs.Transform([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestKeys holds when a signature can be judged: null never becomes false, and
// only a signature that was checked against its key is.
func TestKeys(t *testing.T) {
	t.Parallel()
	report := string(issue(t, clear()))
	good := keyOf("current").published()
	at := issued.UTC().Truncate(time.Second)
	with := func(change func(*PublicKey)) []PublicKey {
		k := good
		change(&k)
		return []PublicKey{k}
	}
	for name, c := range map[string]struct {
		document        string
		keys            []PublicKey
		id, sig, format string
		status          Status
		reason, note    string
	}{
		"earlier key":          {keys: with(func(k *PublicKey) { k.From, k.Until = at.AddDate(-2, 0, 0), at.AddDate(0, 0, 1) }), id: "true", sig: "true", format: "true", status: Valid},
		"clocks apart":         {keys: with(func(k *PublicKey) { k.From, k.Until = at.Add(skew), at.Add(-skew) }), id: "true", sig: "true", format: "true", status: Valid},
		"retired":              {keys: with(func(k *PublicKey) { k.Until = at.Add(-skew - time.Second) }), id: "true", sig: "null", format: "true", status: Unverifiable, reason: "after its key was retired"},
		"no keys":              {keys: []PublicKey{}, id: "true", sig: "null", format: "true", status: Unverifiable, reason: "not among the keys"},
		"another key":          {keys: []PublicKey{keyOf("other").published()}, id: "true", sig: "null", format: "true", status: Unverifiable, reason: "not among the keys"},
		"key under that name":  {keys: []PublicKey{{ID: good.ID, Public: keyOf("other").public()}}, id: "true", sig: "null", format: "true", status: Unverifiable, reason: "not among the keys"},
		"key of no length":     {keys: []PublicKey{{ID: good.ID}}, id: "true", sig: "null", format: "true", status: Unverifiable, reason: "not among the keys"},
		"not yet in use":       {keys: with(func(k *PublicKey) { k.From = at.Add(skew + time.Second) }), id: "true", sig: "null", format: "true", status: Unverifiable, reason: "before its key came into use"},
		"compromised before":   {keys: with(func(k *PublicKey) { k.Compromised = at.Add(-time.Hour) }), id: "true", sig: "null", format: "true", status: Unverifiable, reason: "compromised on 2026-11-16"},
		"compromised then":     {keys: with(func(k *PublicKey) { k.Compromised = at }), id: "true", sig: "null", format: "true", status: Unverifiable, reason: "compromised"},
		"compromised later":    {keys: with(func(k *PublicKey) { k.Compromised = at.Add(time.Second) }), id: "true", sig: "true", format: "true", status: Valid, note: "could have backdated"},
		"changed":              {document: strings.Replace(report, "Springfield", "Springfeild", 1), id: "false", sig: "false", format: "true", status: NotValid, reason: "does not match"},
		"changed, unknown key": {document: strings.Replace(report, "Springfield", "Springfeild", 1), keys: []PublicKey{}, id: "false", sig: "null", format: "true", status: NotValid, reason: "something was changed"},
		"identifier changed":   {document: strings.Replace(report, `"report_id":"`, `"report_id":"0`, 1), id: "false", sig: "null", format: "true", status: NotValid, reason: "something was changed"},
		"signature changed":    {document: replaceSignature(report, strings.Repeat("A", 86)), id: "true", sig: "false", format: "true", status: NotValid, reason: "does not match"},
		"signature empty":      {document: replaceSignature(report, ""), id: "true", sig: "null", format: "true", status: Unverifiable, reason: "no signature"},
		"signature too short":  {document: replaceSignature(report, "AAAA"), id: "true", sig: "false", format: "true", status: NotValid, reason: "does not match"},
		"signature no base64":  {document: replaceSignature(report, "!"), id: "true", sig: "false", format: "true", status: NotValid, reason: "does not match"},
		"newer format":         {document: strings.Replace(report, `"format":"1.0"`, `"format":"2.0"`, 1), id: "null", sig: "null", format: "null", status: Unverifiable, reason: `format version "2.0"`},
		"older format":         {document: strings.Replace(report, `"format":"1.0"`, `"format":"0.9"`, 1), id: "null", sig: "null", format: "false", status: Unverifiable, reason: `format version "0.9"`},
		"no format":            {document: strings.Replace(report, `"format":"1.0"`, `"format":"x"`, 1), id: "null", sig: "null", format: "null", status: Unverifiable, reason: `format version "x"`},
		"other algorithm":      {document: strings.Replace(report, `"Ed25519"`, `"ES256"`, 1), id: "false", sig: "null", format: "true", status: NotValid, reason: `"ES256"`},
		"added member":         {document: `{"extra":1,` + report[1:], id: "false", sig: "false", format: "true", status: NotValid, reason: "does not match"},
	} {
		document, keys := c.document, c.keys
		if document == "" {
			document = report
		}
		if keys == nil {
			keys = []PublicKey{good}
		}
		v := verify(t, []byte(document), keys...)
		got := [...]string{word(v.IDMatches), word(v.SignatureValid), word(v.FormatCurrent), string(v.Status())}
		if got != [...]string{c.id, c.sig, c.format, string(c.status)} {
			t.Errorf("%s: %v", name, got)
		}
		for _, said := range []struct {
			got  *string
			want string
		}{{v.Reason, c.reason}, {v.Note, c.note}} {
			if (said.got == nil) != (said.want == "") || said.got != nil && !strings.Contains(*said.got, said.want) {
				t.Errorf("%s: said %v, not %q", name, said.got, said.want)
			}
		}
	}
}

func replaceSignature(report, with string) string {
	at := strings.Index(report, `"signature":"`)
	return report[:at] + `"signature":"` + with + `"}`
}

// TestEveryByteCounts bends each byte of a report: either the
// JSON still says the same (a \u escape written otherwise), or it does not verify.
func TestEveryByteCounts(t *testing.T) {
	t.Parallel()
	key := keyOf("current").published()
	for _, report := range [][]byte{issue(t, clear()), []byte(transform(t, string(issue(t, named()))))} {
		same, err := jcs.Transform(report)
		if err != nil {
			t.Fatal(err)
		}
		bent := bytes.Clone(report)
		for i, was := range report {
			now := was ^ 1<<(i%8) // neighbors are bent differently
			bent[i] = now
			v, err := Verify(t.Context(), bent, []PublicKey{key})
			if err == nil && (v.Status() == Valid || word(v.SignatureValid) == "true") {
				if form, err := jcs.Transform(bent); err != nil || !bytes.Equal(form, same) {
					t.Fatalf("valid with byte %d (%q) bent to %q: …%s…", i, was, now, bent[max(0, i-30):min(len(bent), i+30)])
				}
			}
			bent[i] = was
		}
	}
}

func TestHostileJSON(t *testing.T) {
	t.Parallel()
	report := string(issue(t, clear()))
	in := func(member string) string { return `{` + member + `,` + report[1:] }
	for name, c := range map[string]struct{ document, wrong string }{
		"name twice":           {in(`"format":"1.0"`), `"format" appears twice`},
		"name twice, escaped":  {in(`"\u0066ormat":"1.0"`), `"format" appears twice`},
		"name twice, deep":     {in(`"x":[{"a":1,"b":{"c":1,"c":2}}]`), `"c" appears twice`},
		"name twice, around":   {`{"report":1,"report":` + report + `}`, `"report" appears twice`},
		"NaN":                  {in(`"x":NaN`), "not valid JSON"},
		"Infinity":             {in(`"x":-Infinity`), "not valid JSON"},
		"beyond double":        {in(`"x":1e999`), "more digits"},
		"below double":         {in(`"x":1e-999`), "more digits"},
		"beyond 2^53":          {in(`"x":9007199254740993`), "more digits"},
		"beyond 2^53, even":    {in(`"x":9007199254740994`), "more digits"},
		"too precise":          {in(`"x":0.30000000000000005`), "more digits"},
		"minus zero":           {in(`"x":-0`), "more digits"},
		"long number":          {in(`"x":` + strings.Repeat("1", 5000)), "more digits"},
		"leading zero":         {in(`"x":01`), "not valid JSON"},
		"invalid UTF-8":        {in("\"x\":\"\xff\""), "UTF-8"},
		"encoded surrogate":    {in("\"x\":\"\xed\xa0\x80\""), "UTF-8"},
		"lone high surrogate":  {in(`"x":"\ud800"`), "not valid JSON"},
		"lone low surrogate":   {in(`"x":"\udc00"`), "not valid JSON"},
		"swapped surrogates":   {in(`"x":"\udc00\ud800"`), "not valid JSON"},
		"surrogate in a name":  {in(`"\ud800":1`), "not valid JSON"},
		"control character":    {in("\"x\":\"\n\""), "not valid JSON"},
		"trailing data":        {report + `{}`, "something follows"},
		"trailing comma":       {in(`"x":[1,]`), "not valid JSON"},
		"comment":              {in(`/**/"x":1`), "not valid JSON"},
		"two byte order marks": {"\ufeff\ufeff" + report, "not valid JSON"},
		"ends early":           {report[:len(report)-1], "ends in the middle"},
		"ends in an escape":    {`{"a\`, "ends in the middle"},
		"ends in hex":          {`{"a\u12`, "ends in the middle"},
		"65 levels":            {in(`"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64)), "deeper than 64"},
		"10,000 levels":        {strings.Repeat(`{"a":`, 10000), "deeper than 64"},
		"a million levels":     {strings.Repeat(`[`, 1<<20), "deeper than 64"},
		"many values":          {`{"x":[` + strings.Repeat("1,", 60_000) + `1]}`, "more than 50000 values"},
		"more than a megabyte": {in(`"x":"` + strings.Repeat("a", 1<<20) + `"`), "larger than 1048576"},
	} {
		_, err := Verify(t.Context(), []byte(c.document), []PublicKey{keyOf("current").published()})
		if f, ok := fault.Of(err); !ok || f.Slug != BadReport || !strings.Contains(f.Message, c.wrong) || len(f.Message) > 300 {
			t.Errorf("%s: %v", name, err)
		}
	}
	deep := in(`"x":` + strings.Repeat("[", 63) + strings.Repeat("]", 63))
	if v := verify(t, []byte(deep), keyOf("current").published()); v.Status() != NotValid {
		t.Errorf("64 levels: %+v", v)
	}
	if v := verify(t, []byte(in(`"x":[1E2,-1.50,0.1,9007199254740992,"\ud83d\ude00\/",1e21]`)), keyOf("current").published()); v.Status() != NotValid {
		t.Errorf("numbers and escapes: %+v", v)
	}
}

// TestIssueRefuses holds that nothing is issued that could not be verified.
func TestIssueRefuses(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]any{"too large": strings.Repeat("a", maxJSON), "lossy": int64(1<<53 + 1), "no JSON": func() {}} {
		if r, err := Issue(t.Context(), keyOf("current"), content, verifyURL, issued); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for name, s := range map[string]Signer{"fails": signer(func() ([]byte, error) { return nil, errors.New("no key") }), "short": signer(func() ([]byte, error) { return []byte("short"), nil })} {
		if r, err := Issue(t.Context(), s, clear(), verifyURL, issued); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

type signer func() ([]byte, error)

func (s signer) Sign(_ context.Context, message func(string) ([]byte, error)) ([]byte, error) {
	if _, err := message("k"); err != nil {
		return nil, err
	}
	return s()
}

// TestOpenSSL has the signature checked by a program that shares no code with
// this one, from the published key and the bytes that docs describe.
func TestOpenSSL(t *testing.T) {
	t.Parallel()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(issue(t, against()), &members); err != nil {
		t.Fatal(err)
	}
	var signature string
	if err := json.Unmarshal(members["signature"], &signature); err != nil {
		t.Fatal(err)
	}
	delete(members, "report_id")
	delete(members, "signature")
	message, err := json.Marshal(members)
	if err == nil {
		message, err = jcs.Transform(message)
	}
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(keyOf("current").public())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := encoding.DecodeString(signature)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	check := func(message []byte) (string, error) {
		out, err := exec.Command("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", put("key.pem", pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
			"-rawin", "-in", put("message", message), "-sigfile", put("signature", raw)).CombinedOutput()
		return string(out), err
	}
	if out, err := check(message); err != nil || !strings.Contains(out, "Verified Successfully") {
		t.Errorf("openssl: %s %v", out, err)
	}
	message[len(message)/2] ^= 1
	if out, err := check(message); err == nil {
		t.Errorf("openssl takes another message: %s", out)
	}
}

func FuzzVerify(f *testing.F) {
	for _, seed := range [][]byte{issue(f, clear()), issue(f, named()), []byte(`{"results":[{"report":{"format":"","report_id":"","key_id":"","signature":""}}]}`), []byte(`{"a":[1e2,-0.5,"\ud83d\ude00"]}`)} {
		f.Add(seed)
	}
	f.Add(pdfOf(f, issue(f, named())))
	f.Add([]byte("%PDF-1.7\n" + file("/Filter /FlateDecode", deflate(f, issue(f, clear())))))
	key := keyOf("current").published()
	genuine := map[string]bool{}
	for _, report := range [][]byte{issue(f, clear()), issue(f, named())} {
		genuine[transform(f, string(report))] = true
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		v, err := Verify(t.Context(), document, []PublicKey{key})
		if err != nil {
			if fa, ok := fault.Of(err); !ok || fa.Slug != BadReport {
				t.Errorf("%v", err)
			}
			return
		}
		if v.Status() == Valid && !genuine[transform(t, string(v.Report))] {
			t.Errorf("valid, and never issued: %s", document)
		}
		if v.Status() != Valid && v.Reason == nil {
			t.Errorf("no reason: %+v", v)
		}
	})
}
