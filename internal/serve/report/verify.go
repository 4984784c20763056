package report

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
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
