package report

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/agent/httpsig"
)

// PublicKey is a published key with the time in which it signed, in whole seconds; a zero time sets no bound.
type PublicKey struct {
	ID          string // RFC 7638 thumbprint
	Public      ed25519.PublicKey
	From        time.Time // it signs from this time; zero when that is not known
	Until       time.Time // it signs until this time; zero for no end
	Compromised time.Time // reports that it signed from this time cannot be trusted; zero for never
}

// PEM returns the key in the form that openssl and most libraries read: a SubjectPublicKeyInfo.
func (k PublicKey) PEM() []byte {
	der, err := x509.MarshalPKIXPublicKey(k.Public)
	if err != nil {
		panic(err) // an Ed25519 key always has this form
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// Verdict is the result of verification. A question without an answer is null, never false.
type Verdict struct {
	client.ReportVerdict

	// Report is the report as in the document, for showing and saving it.
	Report json.RawMessage `json:"-"`
}

// Status is the verdict in one word.
type Status string

const (
	Valid        Status = "valid"
	NotValid     Status = "not_valid"
	Unverifiable Status = "unverifiable"
)

// Status combines the answers: valid when identifier, signature and page are right, not valid when the first two are wrong.
func (v *Verdict) Status() Status {
	is := func(b *bool, want bool) bool { return b != nil && *b == want }
	switch {
	case is(v.IDMatches, false), is(v.SignatureValid, false):
		return NotValid
	case is(v.IDMatches, true) && is(v.SignatureValid, true) && !is(v.PageMatches, false):
		return Valid
	}
	return Unverifiable
}

// Verify reports whether a document is a report that was issued with one of the keys. The document is the report, {"report":
// …}, a response of the service with exactly one report, or the PDF. Any other document is a fault with the slug BadReport.
func Verify(ctx context.Context, document []byte, keys []PublicKey) (*Verdict, error) {
	text := bytes.TrimPrefix(document, []byte("\ufeff")) // some editors put a byte order mark before a text that they save
	if isPDF(text) {
		return verifyPDF(ctx, document, keys)
	}
	v, err := parse(text)
	if err != nil {
		return nil, err
	}
	found, err := find(v)
	if err != nil {
		return nil, err
	}
	b, err := found.block()
	if err != nil {
		return nil, err
	}
	verdict := b.verify(keys)
	if found == v || verdict.Status() != Valid {
		return verdict, nil
	}
	return verdict, verdict.around(v, found)
}

// find returns the only report of a document.
func find(v *value) (*value, error) {
	if v.kind != '{' {
		return nil, bad("this is JSON, but not a report: a report is an object")
	}
	if v.isReport() {
		return v, nil
	}
	if inner := v.member("report"); inner != nil {
		if inner.kind == 'n' {
			return nil, bad("the response holds no report").Try("reports are issued with paid keys; screen again with one")
		}
		return inner, nil
	}
	var found []*value
	var whose []string
	for _, list := range v.members {
		for i, item := range list.value.items {
			if inner := item.member("report"); inner != nil && inner.isReport() {
				found = append(found, inner)
				whose = append(whose, fmt.Sprintf("%s[%d] (%s)", fault.Clip(list.name, maxQuoted), i, inner.whose()))
			}
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		const shown = 5
		more := ""
		if n := len(whose) - shown; n > 0 {
			whose, more = whose[:shown], fmt.Sprintf(" and %d more", n)
		}
		return nil, fault.New(BadReport, "the response holds %d reports: %s%s; one is verified at a time", len(found), strings.Join(whose, ", "), more).
			Try("send the report of one result")
	}
	return nil, bad("this is JSON, but there is no report in it")
}

// whose names the subject of a report for a message.
func (v *value) whose() string {
	content := v.member("content")
	for _, m := range []*value{content.member("ein"), content.member("subject").member("name")} {
		if m != nil && m.kind == '"' {
			return fault.Clip(m.text, maxQuoted)
		}
	}
	return "of whom is not said"
}

func (b *block) verify(keys []PublicKey) *Verdict {
	v := &Verdict{Report: b.raw, ReportVerdict: client.ReportVerdict{
		ReportID: b.text["report_id"], KeyID: b.text["key_id"], Format: b.text["format"],
		FormatCurrent: current(b.text["format"]), Lists: []client.ReportList{},
	}}
	if at, said := b.text["issued_at"]; said {
		v.IssuedAt = &at
	}
	if v.Format != Format {
		v.add(&v.Reason, "The report has format version %s, which this program does not support. It supports %s.",
			strconv.Quote(fault.Clip(v.Format, maxQuoted)), Format)
		return v
	}
	v.describe(b.content)
	v.IDMatches = new(b.id == v.ReportID)
	b.checkSignature(v, keys)
	if !*v.IDMatches {
		v.add(&v.Reason, "The report ID does not match the content: something was changed after the report was issued.")
		if v.SignatureValid != nil && *v.SignatureValid {
			v.SignatureValid = nil // everything but the identifier was signed, but the document is not the issued one
		}
	}
	return v
}

// skew is how far the clocks of servers that share keys may differ.
const skew = 5 * time.Minute

// checkSignature decides whether the message was signed with the key that the report names, or says why that cannot be decided.
func (b *block) checkSignature(v *Verdict, keys []PublicKey) {
	if algorithm := b.text["algorithm"]; algorithm != Algorithm {
		v.add(&v.Reason, "The report uses the algorithm %s, but only %s can be checked.", strconv.Quote(fault.Clip(algorithm, maxQuoted)), Algorithm)
		return
	}
	var key *PublicKey
	for i := range keys {
		// The thumbprint identifies a key, whatever its publisher calls it.
		if len(keys[i].Public) == ed25519.PublicKeySize && httpsig.Thumbprint(keys[i].Public) == v.KeyID {
			key = &keys[i]
		}
	}
	if key == nil {
		v.add(&v.Reason, "The report names the key %s, which is not among the keys available.", strconv.Quote(fault.Clip(v.KeyID, maxQuoted)))
		return
	}
	if b.text["signature"] == "" {
		v.add(&v.Reason, "The report has no signature, so there is nothing to check.")
		return
	}
	signature, err := encoding.DecodeString(b.text["signature"])
	if err != nil || !ed25519.Verify(key.Public, b.message, signature) {
		v.SignatureValid = new(false)
		v.add(&v.Reason, "The signature does not match: the content is not what was signed with the key the report names.")
		return
	}
	at, err := time.Parse("2006-01-02T15:04:05Z", b.text["issued_at"])
	switch {
	case err != nil:
		v.add(&v.Reason, "The signature matches, but the report does not say when it was issued.")
	case !key.Compromised.IsZero() && !at.Before(key.Compromised):
		v.add(&v.Reason, "The signature matches, but the key was compromised on %s, before the report was issued, so someone else could have signed it.",
			day(key.Compromised))
	case !key.From.IsZero() && at.Before(key.From.Add(-skew)):
		v.add(&v.Reason, "The signature matches, but the report says it was issued before its key came into use, on %s.", day(key.From))
	case !key.Until.IsZero() && at.After(key.Until.Add(skew)):
		v.add(&v.Reason, "The signature matches, but the report says it was issued after its key was retired, on %s.", day(key.Until))
	default:
		v.SignatureValid = new(true)
		if !key.Compromised.IsZero() {
			v.add(&v.Note, "The key was compromised on %s, after the report says it was issued. Anyone who has the key could have backdated the report.",
				day(key.Compromised))
		}
	}
}

// current reports whether reports are still issued in a version, nil for a newer one and for another text.
func current(version string) *bool {
	if version == Format {
		return new(true)
	}
	number := func(version string) (n [2]int, ok bool) {
		for i, part := range strings.SplitN(version, ".", 2) {
			var err error
			if n[i], err = strconv.Atoi(part); err != nil || n[i] < 0 {
				return n, false
			}
			ok = i == 1
		}
		return n, ok
	}
	this, _ := number(Format)
	if n, ok := number(version); ok && (n[0] < this[0] || n[0] == this[0] && n[1] < this[1]) {
		return new(false)
	}
	return nil
}

// describe reads the subject of the report and the dates of its lists, if it can: the content is not verified yet.
func (v *Verdict) describe(content []byte) {
	c, err := readContent(content)
	if err != nil {
		return
	}
	v.Subject = &client.ReportSubject{}
	if c.named != nil {
		v.Subject.Name = &c.named.Subject.Name
	} else {
		v.Subject.EIN, v.Subject.Name = &c.EIN, c.Organization.OrganizationName
	}
	for _, p := range c.provenances() {
		v.Lists = append(v.Lists, client.ReportList{Source: p.Source, Revised: p.Revised, Screened: p.Screened})
	}
}

func (v *Verdict) add(to **string, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if *to != nil {
		text = **to + " " + text
	}
	*to = &text
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// envelope is a response around a signed report: a field around it must be a copy, or one that every response has.
type envelope struct {
	report, content *value
	foreign         []string // fields that are neither
	unsigned        [][]byte // fields that are not copies, as in the document, and the texts of x_service as they are read
}

// around judges the response around a valid report.
func (v *Verdict) around(response, report *value) error {
	e := envelope{report: report, content: report.member("content")}
	e.read(response)
	if slices.ContainsFunc(e.unsigned, pageMark.Match) {
		return bad("the fields around the report are not signed, and one of them could be shown as a page: it holds code of a PDF or of a web page")
	}
	switch {
	case len(e.foreign) > 0:
		v.SignatureValid = nil
		v.add(&v.Reason, "The report inside is intact and its signature holds, but the document around the report is not as it was issued. "+
			"These fields are not signed, and they disagree with the report or do not belong to a response: %s. Save the report alone and rely on that.",
			fault.Clip(strings.Join(e.foreign, ", "), 5*maxQuoted))
	case len(response.members) > 1:
		v.add(&v.Note, "Only the report inside the response is signed. The fields around it agree with the report, except for x_service, which is not signed.")
	}
	return nil
}

// constants are the fields of a response that say nothing about the organization.
var constants = map[string]string{"code": "200", "message": `"OK"`, "results_count": "1", "error": "null"}

// read looks at the fields of a response, or of the only result in it.
func (e *envelope) read(v *value) {
	for _, m := range v.members {
		list := m.value.items
		switch constant, known := constants[m.name]; {
		case m.value == e.report, known && string(m.value.raw) == constant:
			continue
		case m.name == "results" && len(list) == 1 && list[0].member("report") == e.report:
			e.read(list[0])
			continue
		case agrees(m.name, m.value, e.content.member(m.name), false), agrees(m.name, m.value, e.content.member("subject").member(m.name), false):
			continue
		case m.name != "x_service" || !isService(m.value):
			e.foreign = append(e.foreign, fault.Clip(m.name, maxQuoted))
		}
		if m.name == "x_service" {
			e.unsigned = m.value.texts(e.unsigned)
		}
		e.unsigned = append(e.unsigned, m.quoted, m.value.raw)
	}
}

// texts adds the names and texts of a value, without the escapes of JSON, to a list.
func (v *value) texts(list [][]byte) [][]byte {
	list = append(list, []byte(v.text))
	for _, m := range v.members {
		list = m.value.texts(append(list, []byte(m.name)))
	}
	for _, item := range v.items {
		list = item.texts(list)
	}
	return list
}

// isService reports whether a value is an x_service of ours: no other fields, a stamp as its version, and plain words.
func isService(v *value) bool {
	d := json.NewDecoder(bytes.NewReader(v.raw))
	d.DisallowUnknownFields()
	var service client.Service
	return d.Decode(&service) == nil && v.inLowerCase() && stamp.MatchString(service.Dataset.Version) &&
		!slices.ContainsFunc(v.texts(nil), func(text []byte) bool { return !plainWords.Match(text) }) &&
		!slices.ContainsFunc(slices.Concat(service.Unsupported, service.Withheld), func(name string) bool { return !field.MatchString(name) })
}

var (
	stamp = regexp.MustCompile(`^([0-9]{8}T[0-9]{6}Z[0-9.-]*)?$`)
	field = regexp.MustCompile(`^[\pL\pN_.-]{1,80}$`)
	// plainWords has no slash: without one there is no name of PDF, and so no dictionary.
	plainWords = regexp.MustCompile(`^[\pL\pM\pN\s.,:;_()'’"“”=?-]{0,600}$`)
)

// inLowerCase reports whether no name in a value has a capital letter.
func (v *value) inLowerCase() bool {
	return !slices.ContainsFunc(v.members, func(m member) bool { return m.name != strings.ToLower(m.name) || !m.value.inLowerCase() }) &&
		!slices.ContainsFunc(v.items, func(item *value) bool { return !item.inLowerCase() })
}

// agrees reports whether a field says the same as the signed one. Within compliance legacy spellings are the same, too.
func agrees(name string, v, signed *value, legacy bool) bool {
	if signed == nil {
		return false
	}
	legacy = legacy || name == "compliance"
	if legacy && v.kind == '"' && (signed.kind == 't' || signed.kind == 'f') {
		return strings.ToLower(v.text) == string(signed.raw)
	}
	if v.kind != signed.kind || len(v.members) != len(signed.members) || len(v.items) != len(signed.items) {
		return false
	}
	for _, m := range v.members {
		if !agrees(m.name, m.value, signed.member(m.name), legacy) {
			return false
		}
	}
	for i := range v.items {
		if !agrees(name, v.items[i], signed.items[i], legacy) {
			return false
		}
	}
	switch v.kind {
	case '"':
		return v.text == signed.text || legacy && strings.ReplaceAll(strings.ToLower(v.text), " ", "_") == signed.text
	case '0':
		return decimalOf(string(v.raw)) == decimalOf(string(signed.raw))
	}
	return true
}

// A viewer opens a file as a PDF or web page although it begins as JSON. Every web page has a tag. A PDF has objects, found by
// startxref or at beginnings of lines; pdf.js takes a < for the end of a line, and 0e+ for the number 0.
var (
	pageBegins = regexp.MustCompile(`(?i)<|startxref|%PDF-`)
	pageMark   = regexp.MustCompile(`(?i)[0-9][e+.-]*[^0-9A-Za-z]*obj|` + pageBegins.String())
)

// HoldsPage reports whether a text to be signed could be shown as a page that is not the report.
func HoldsPage(text []byte) bool { return pageBegins.Match(text) }

// signedPage is HoldsPage for a whole report. Only the report of a name has words that its owner chose, the subject. All others
// are those of public lists, where a name may well be "Harborlight <Kids>", so only the mark of a PDF counts.
func signedPage(content *value, message []byte) bool {
	subject := content.member("subject")
	return bytes.Contains(message, []byte("<<")) || subject != nil && slices.ContainsFunc(subject.texts(nil), HoldsPage)
}
