package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gowebpki/jcs"

	"grantgraph/client"
	"grantgraph/internal/bench/golden"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/screen/likeness"
	"grantgraph/internal/snapshot/lists"
)

const screeningPage = "../../docs/screening.md"

var runBlock = regexp.MustCompile("(?ms)^<!-- run (\\w+) -->\n```sh\n(.*?)^```$")

// commandsOf are the commands of a page that are marked to be run, of some
// kinds, in their order.
func commandsOf(t *testing.T, page string, kinds ...string) string {
	t.Helper()
	var b strings.Builder
	for _, m := range runBlock.FindAllStringSubmatch(textOf(t, page), -1) {
		if slices.Contains(kinds, m[1]) {
			b.WriteString(m[2])
		}
	}
	if b.Len() == 0 {
		t.Fatalf("%s has no commands of the kinds %v", page, kinds)
	}
	return b.String()
}

// shell runs commands as a reader would, in a folder.
func shell(t *testing.T, dir, script string, env ...string) (out string, err error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", "-u")
	c.Dir, c.Stdin, c.Env = dir, strings.NewReader(script), append(os.Environ(), env...)
	b, err := c.CombinedOutput()
	return string(b), err
}

// needs skips a test for want of a program.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	lack := t.Skipf
	if os.Getenv("CI") != "" {
		lack = t.Fatalf
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			lack("%s is missing, so the commands of the documentation were not run; scripts/require installs it", p)
		}
	}
	if slices.Contains(programs, "openssl") {
		if out, err := exec.Command("openssl", "version").Output(); err != nil || !strings.HasPrefix(string(out), "OpenSSL 3") && !strings.HasPrefix(string(out), "OpenSSL 4") {
			lack("%s does not know Ed25519 signatures, so the commands of the documentation were not run; install OpenSSL 3", strings.TrimSpace(string(out)))
		}
	}
}

// What the commands say when a report is valid.
var verified = []string{"The identifier is right.", "The key is the one that the report names.", "Signature Verified Successfully"}

// TestScreeningCommands runs every command of docs/screening.md, from the
// screening to the verification of its report, against a service.
func TestScreeningCommands(t *testing.T) {
	t.Parallel()
	needs(t, "sh", "curl", "jq", "openssl")
	data := filepath.Join(t.TempDir(), "data")
	world.Small.Publish(t, data)
	url, key := serveForTest(t, data)
	by, err := openLocalScreening(data)
	if err != nil {
		t.Fatal(err)
	}
	defer by.close()
	org := by.names.Find("foundation", "", 1)[0]

	dir := t.TempDir()
	out, err := shell(t, dir, "set -e\n"+commandsOf(t, screeningPage, "api", "keys", "canonical", "verify"), "BASE="+url, "KEY="+key, "EIN="+org.EIN.String())
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range verified {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in …%s", want, out[max(0, len(out)-2000):])
		}
	}
	if n := strings.Count(out, `"status":"valid"`); n != 2 {
		t.Errorf("%d of 2 reports are valid: …%s", n, out[max(0, len(out)-2000):])
	}
	for _, want := range []string{`"status":"revoked"`, `"status":"potential_match"`, `"status":"not_screened"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no example shows %s", want)
		}
	}
	for _, name := range []string{"answer.json", "bulk.json", "names.json", "report.json"} {
		if text := textOf(t, filepath.Join(dir, name)); !strings.Contains(text, `"signature":"`) {
			t.Errorf("%s holds no report: %.300s", name, text)
		}
	}
}

// docKey signs the reports of these tests.
type docKey struct{ ed25519.PrivateKey }

func (k docKey) public() ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }

func (k docKey) Sign(_ context.Context, message func(string) ([]byte, error)) ([]byte, error) {
	m, err := message(httpsig.Thumbprint(k.public()))
	return ed25519.Sign(k.PrivateKey, m), err
}

// TestOpensslRecipe verifies reports with the commands of the page, and reports
// and keys of which one character was changed.
func TestOpensslRecipe(t *testing.T) {
	t.Parallel()
	needs(t, "sh", "openssl")
	script := commandsOf(t, screeningPage, "verify")
	var keys []report.PublicKey
	var current docKey
	for _, word := range []string{"an older key", "a newer key", "the current key"} {
		seed := sha256.Sum256([]byte(word))
		current = docKey{ed25519.NewKeyFromSeed(seed[:])}
		keys = append(keys, report.PublicKey{ID: httpsig.Thumbprint(current.public()), Public: current.public(), From: time.Unix(0, 0)})
	}
	slices.Reverse(keys)
	issue := func(name string) string {
		t.Helper()
		content := client.ReportContent{EIN: "000000001", Found: true, Organization: client.ScreenedOrganization{EIN: "000000001", OrganizationName: &name, Names: []string{name}}}
		r, err := report.Issue(t.Context(), current, content, "https://grants.example/verify", time.Unix(1_790_000_000, 0))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if text, err = jcs.Transform(text); err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	plain, jwks := issue("Alder Fund"), string(keyring.JWKS(keys))
	_, id, _ := strings.Cut(plain, `"report_id":"`)
	id = id[:64]
	change := func(text, behind string) string {
		i := strings.Index(text, behind) + len(behind) + 5
		other := byte('A')
		if text[i] == other {
			other = 'B'
		}
		return text[:i] + string(other) + text[i+1:]
	}
	hostile := `x","key_id":"` + strings.Repeat("a", 43) + `","report_id":"` + strings.Repeat("0", 64) + `","signature":"` + strings.Repeat("A", 86) + `","verify_url":"y"}`
	for _, c := range []struct {
		name, report, jwks string
		valid              int // of what the commands say
	}{
		{"as it was issued", plain, jwks, 3},
		{"with a line break at its end", plain + "\n", jwks, 3},
		{"with a line break of Windows", plain + "\r\n", jwks, 3},
		{"with keys on one line", plain, strings.Join(strings.Fields(jwks), ""), 3},
		{"a name in other letters", issue("Fundación «Маяк» 灯台 \u2028 \\ \"quoted\" </b>\t\x7f"), jwks, 3},
		{"a name that means mischief", issue(hostile), jwks, 3},
		{"the content changed", change(plain, `"organization_name":"`), jwks, 1},
		{"the signature changed", plain[:strings.Index(plain, `"signature":"`)] + change(plain[strings.Index(plain, `"signature":"`):], `"signature":"`), jwks, 2},
		{"the identifier changed", strings.Replace(plain, `"report_id":"`+id, `"report_id":"`+strings.Repeat("0", 64), 1), jwks, 2},
		{"the identifier gone", strings.Replace(plain, `"report_id":"`+id, `"report_id":"`, 1), jwks, 1},
		{"the key changed", plain, strings.Replace(jwks, jwksX(current.public()), change(jwksX(current.public()), ""), 1), 1},
		{"another key", plain, string(keyring.JWKS(keys[1:])), 1},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"report.json": c.report, "jwks.json": c.jwks} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, err := shell(t, dir, script)
		n := 0
		for _, want := range verified {
			n += strings.Count(out, want)
		}
		if n != c.valid || err != nil && c.valid == 3 {
			t.Errorf("%s: %v: %s", c.name, err, out)
		}
		// The page and the program come to the same conclusion.
		var published []report.PublicKey
		if parsed, err := keyring.ParseKeys([]byte(c.jwks)); err == nil {
			for _, k := range parsed {
				published = append(published, report.PublicKey(k))
			}
		}
		v, err := report.Verify(t.Context(), []byte(c.report), published)
		if err != nil || (v.Status() == report.Valid) != (c.valid == 3) {
			t.Errorf("%s: the program says %+v, %v", c.name, v, err)
		}
	}
}

// jwksX is a key as the document of keys has it.
func jwksX(public ed25519.PublicKey) string {
	text := string(keyring.JWKS([]report.PublicKey{{Public: public}}))
	_, x, _ := strings.Cut(text, `"x": "`)
	return x[:43]
}

// TestScreeningPage holds the tables of docs/screening.md against the program:
// lists, elements, flags, fields, and the words of another service.
func TestScreeningPage(t *testing.T) {
	t.Parallel()
	text := textOf(t, screeningPage)
	row := func(first string) string {
		t.Helper()
		i := strings.Index(text, "\n| `"+first+"`")
		if i < 0 {
			t.Errorf("no table has a row for %s", first)
			return ""
		}
		line, _, _ := strings.Cut(text[i+1:], "\n")
		return line
	}
	for _, l := range lists.All() {
		line, counts := row(l.Name), fmt.Sprintf("| %d days |", int(l.MaxAge.Hours()/24))
		if !strings.Contains(line, "| "+l.Publishes+" | "+l.Polled+" "+counts) {
			t.Errorf("%s: the page says %s; the list is published %s, looked at %s, %s", l.Name, line, l.Publishes, l.Polled, counts)
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[client.RelianceElement](), reflect.TypeFor[client.RelianceFlag]()} {
		for m := range api.Members(of) {
			if m.Name != "ID" {
				continue
			}
			for _, word := range m.Enum {
				row(word)
			}
		}
	}
	for f := range reflect.TypeFor[client.Report]().Fields() {
		row(f.Tag.Get("json"))
	}
	for _, path := range screen.Withheld {
		if !hasPath(reflect.TypeFor[client.ScreeningAnswer](), path) {
			t.Errorf("%s is withheld and not there", path)
		}
	}

	_, table, _ := strings.Cut(text, "| Charity Check | Here |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	said := map[string]bool{}
	quoted := regexp.MustCompile("`([^`]+)`")
	for _, line := range strings.Split(table, "\n")[1:] {
		cells := strings.Split(line, "|")
		said[quoted.FindStringSubmatch(cells[1])[1]] = true
		path := quoted.FindStringSubmatch(cells[2])
		switch gap := strings.HasPrefix(strings.TrimSpace(cells[2]), "–"); {
		case !gap && path == nil:
			t.Errorf("%s names no path and does not say why", line)
		case path != nil && !hasPath(reflect.TypeFor[client.ScreeningAnswer](), path[1]):
			t.Errorf("%s is no path of the answer", path[1])
		}
	}
	for _, word := range strings.Fields(charityCheckWords) {
		if !said[word] {
			t.Errorf("the page does not say where %s is", word)
		}
	}
}

// charityCheckWords are the fields of that service, as published.
const charityCheckWords = `organization_id organization_info_last_modified ein organization_name organization_name_aka address_line1 address_line2
	city state state_name zip filing_req_code charity_check_last_modified pub78_verified pub78_church_message pub78_organization_name pub78_ein
	pub78_city pub78_state pub78_indicator organization_types organization_type deductibility_limitation deductibility_status_description
	most_recent_pub78 bmf_status bmf_church_message bmf_organization_name bmf_ein bmf_subsection subsection_description most_recent_bmf
	irs_bmf_pub78_conflict foundation_code foundation_code_description foundation_type_code foundation_type_description foundation_509a_status
	exempt_status_code group_exemption parent_organizations ruling_month ruling_year adv_ruling_month adv_ruling_year revocation_code
	revocation_date reinstatement_date most_recent_irb bulletin_number bulletin_url effective_date irb_organization_id irb_last_modified
	ofac_status report_date`

// hasPath reports whether a type has a member at a path of names on the wire.
func hasPath(t reflect.Type, path string) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	name, rest, more := strings.Cut(path, ".")
	if t.Kind() != reflect.Struct {
		return false
	}
	for f := range t.Fields() {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "" && hasPath(f.Type, path):
			return true
		case tag == name:
			return !more || hasPath(f.Type, rest)
		}
	}
	return false
}

var workedExample = regexp.MustCompile(`(?s)(<!-- begin worked example -->\n).*?(<!-- end worked example -->)`)

// TestWorkedExample holds the worked example of the page against the example of
// the API.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	world.Small.Publish(t, data)
	code, out, errs := command(t, "get", "--data", data, "/api/v1/screening/00-0000007?example=potential_match")
	var answer struct{ client.ScreeningRecord }
	if err := json.Unmarshal([]byte(out), &answer); code != 0 || err != nil {
		t.Fatalf("exit %d: %v: %s", code, err, errs)
	}
	if len(answer.Compliance.OFACSanctionsScreen.PotentialMatches) == 0 {
		t.Fatalf("the example has no match: %s", out)
	}
	m := answer.Compliance.OFACSanctionsScreen.PotentialMatches[0]
	var b bytes.Buffer
	fmt.Fprintf(&b, "We compare the invented organization *%s* with the invented entity\n*%s*. ", m.QueryName, m.MatchedName)
	fmt.Fprintf(&b, "Its number on the list is %d. We paired these words:\n\n", m.EntNum)
	fmt.Fprintln(&b, "| Word of the organization | Word of the list | Likeness | Weight |\n|---|---|---:|---:|")
	paired, left := 0.0, likeness.Words(m.QueryName)
	for _, p := range m.Aligned {
		fmt.Fprintf(&b, "| %s | %s | %v | %v |\n", p.Query, p.List, p.Similarity, p.Weight)
		if p.Similarity != 1 {
			t.Errorf("the example is too hard to follow: %+v", p)
		}
		paired += p.Weight
		left = slices.DeleteFunc(left, func(w string) bool { return w == p.Query })
	}
	// The name contains the listed name, which gives it less than its words do.
	if len(m.Aligned) != len(likeness.Words(m.MatchedName)) || len(left) == 0 || !slices.Equal(m.Flags, []string{"contains the listed name " + m.MatchedName}) {
		t.Errorf("the example is too hard to follow: %+v", m)
	}
	// What the engine gives the side that is covered better.
	const better = 0.4
	share := (m.Score - better) / (1 - better)
	fmt.Fprintf(&b, "\nWe ignore legal forms, so these are all the words of the entity, and the share of its weight is 1. The words %s of the\n", strings.Join(left, " and "))
	fmt.Fprintf(&b, "organization have no partner. The pairs weigh %.2f. With the unpaired words, the organization's name weighs %.2f, so its share is %.4f.\n", paired, paired/share, share)
	fmt.Fprintf(&b, "The score is %.1f × 1 + %.1f × %.4f = **%v**. It is at least 0.75, so the match is in the record; it is below 0.90, so its strength is `%s`.\n", better, 1-better, share, m.Score, m.Strength)
	text := []byte(textOf(t, screeningPage))
	want := workedExample.ReplaceAllFunc(text, func(old []byte) []byte {
		m := workedExample.FindSubmatch(old)
		return slices.Concat(m[1], []byte("\n"), b.Bytes(), []byte("\n"), m[2])
	})
	golden.Check(t, screeningPage, string(want))
}
