package report

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/fault"
)

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
