// Package report makes the screening report that a grantmaker keeps: the record of a screening with its identifier and
// signature, and the same as a PDF page. It also verifies whether a document is a report that was issued.
//
// The identifier is the SHA-256 of the RFC 8785 form of everything in the report except report_id and signature. The signature
// is over the same bytes. The page depends only on the report, so that it can be made again and compared.
//
// The package has no HTTP and does not know where keys are kept: a Signer signs, and the
// caller says which keys are published. A document to verify is treated as hostile.
package report

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/screen"
)

// Format is the version of the report's layout and page. Reports of this version must stay verifiable.
const Format = "1.0"

const Algorithm = "Ed25519"

// ContentOf takes the record of a screening as what is to be signed.
func ContentOf(r *client.ScreeningRecord) client.ReportContent {
	return client.ReportContent{EIN: r.EIN, Found: r.Found, Organization: r.Organization, Compliance: r.Compliance, Sources: r.Sources}
}

// NameContentOf takes the record of a name screen as what is to be signed.
func NameContentOf(r *screen.NameRecord) client.NameReportContent {
	return client.NameReportContent{Subject: r.Subject, Compliance: r.Compliance, Sources: r.Sources}
}

// VerifyPage returns the address of the page on which people verify reports. It is part of every report.
func VerifyPage(base string) string { return base + "/verify" }

// Signer signs with the current key. The signed bytes contain its ID, so the Signer chooses the key and asks for the message.
type Signer interface {
	Sign(ctx context.Context, message func(keyID string) ([]byte, error)) (signature []byte, err error)
}

// Issue signs content. The report's address for verification is part of it.
func Issue[C any](ctx context.Context, s Signer, content C, verifyURL string, at time.Time) (*client.Signed[C], error) {
	r := &client.Signed[C]{
		Format: Format, IssuedAt: at.UTC().Format(time.RFC3339), Algorithm: Algorithm,
		VerifyURL: verifyURL, Content: content,
	}
	signature, err := s.Sign(ctx, func(keyID string) ([]byte, error) {
		r.KeyID = keyID
		document, err := json.Marshal(r)
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		// The report is read as a verifier reads it, so that no report is issued that a verifier would refuse.
		b, err := readBlock(document)
		if err != nil {
			return nil, fmt.Errorf("report that nobody could verify: %w", err)
		}
		r.ReportID = b.id
		return b.message, nil
	})
	if err != nil {
		return nil, err
	}
	if len(signature) != ed25519.SignatureSize {
		return nil, fmt.Errorf("report: a signature of %d bytes", len(signature))
	}
	r.Signature = encoding.EncodeToString(signature)
	return r, nil
}

// encoding is the encoding of signatures. It is strict: no two texts encode the same bytes.
var encoding = base64.RawURLEncoding.Strict()

type block struct {
	raw     []byte            // as in the document
	text    map[string]string // members that are strings
	content []byte            // as in the document; nil when there is none
	message []byte            // what the signature is over
	id      string            // identifier of the message
}

func readBlock(document []byte) (*block, error) {
	v, err := parse(document)
	if err != nil {
		return nil, err
	}
	return v.block()
}

func (v *value) block() (*block, error) {
	if !v.isReport() {
		return nil, bad("this is JSON, but not a report: it has no format, report_id, key_id and signature")
	}
	b := &block{raw: v.raw, text: map[string]string{}}
	var signed []member
	for _, m := range v.members {
		if m.value.kind == '"' {
			b.text[m.name] = m.value.text
		}
		if m.name == "content" {
			b.content = m.value.raw
		}
		if m.name != "report_id" && m.name != "signature" {
			signed = append(signed, m)
		}
	}
	message, err := canonical(signed)
	if err != nil {
		return nil, err
	}
	if signedPage(v.member("content"), message) {
		return nil, bad("the report holds code of a PDF or of a web page, so that it could show a page that is not the report's")
	}
	sum := sha256.Sum256(message)
	b.message, b.id = message, hex.EncodeToString(sum[:])
	return b, nil
}

// isReport reports whether a value has the members of a report of any version.
func (v *value) isReport() bool {
	for _, name := range []string{"format", "report_id", "key_id", "signature"} {
		if m := v.member(name); m == nil || m.kind != '"' {
			return false
		}
	}
	return true
}

const BadReport = "bad_report"

func bad(format string, args ...any) *fault.Fault {
	return fault.New(BadReport, format, args...).
		Try("send the report block of a screening as it was received, the response that holds it, or the PDF")
}
