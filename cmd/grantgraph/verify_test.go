package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/serve/screen"
)

// seedSigner signs with the key of a seed.
type seedSigner account.SigningKey

func (s seedSigner) Sign(_ context.Context, message func(string) ([]byte, error)) ([]byte, error) {
	m, err := message(s.ID)
	if err != nil {
		return nil, err
	}
	return ed25519.Sign(ed25519.NewKeyFromSeed([]byte(s.Seed.Reveal())), m), nil
}

// seedKey makes a key that is the same in every run.
func seedKey(letter string) account.SigningKey {
	return keyring.NewKey([]byte(strings.Repeat(letter, ed25519.SeedSize)), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
}

// issueReport makes a report of a name, as JSON and as PDF.
func issueReport(t *testing.T, key account.SigningKey, name string) (document, pdf []byte) {
	t.Helper()
	content := client.NameReportContent{Subject: client.ScreenedName{Name: name}}
	content.Compliance.OFACSanctionsScreen.ScreenProvenance = client.ScreenProvenance{Screened: true, Status: screen.Clear, Source: "ofac", Revised: new("2026-10-13")}
	r, err := report.Issue(t.Context(), seedSigner(key), content, "https://grants.example/verify", time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	if err == nil {
		document, err = json.Marshal(r)
	}
	if err == nil {
		pdf, err = report.PDF(document)
	}
	if err != nil {
		t.Fatal(err)
	}
	return document, pdf
}

func TestVerify(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key, other := seedKey("k"), seedKey("o")
	public := func(k account.SigningKey) report.PublicKey { return report.PublicKey{ID: k.ID, Public: k.Public} }
	document, pdf := issueReport(t, key, "Harborlight\x1b[31m\nreport.json: valid")
	good, page := put("report.json", document), put("report.pdf", pdf)
	bad := put("bad.json", bytes.Replace(document, []byte("2026-10-13"), []byte("2026-10-14"), 1))
	repainted := put("repainted.pdf", append(bytes.Clone(pdf), '\n'))
	no := put("no.json", []byte("{}"))
	large := put("large.pdf", append([]byte("%PDF-1.7\n"), make([]byte, 5<<20)...))
	absent := filepath.Join(dir, "absent")
	empty := t.TempDir()

	keys := map[string]string{
		"set":    put("keys.json", keyring.JWKS([]report.PublicKey{public(other), public(key)})),
		"pem":    put("key.pem", public(key).PEM()),
		"base64": put("key.txt", []byte(base64.RawURLEncoding.EncodeToString(key.Public)+"\n")),
	}
	for form, file := range keys {
		code, out, errs := command(t, "verify", "--data", empty, "--key", file, good, page)
		if code != 0 || errs != "" || strings.Count(out, ": valid\n  of ") != 2 || strings.Contains(out, "Do not trust it") {
			t.Errorf("%s: exit %d: %s%s", form, code, out, errs)
		}
	}
	set := keys["set"]
	otherSet := put("other.json", keyring.JWKS([]report.PublicKey{public(other)}))
	damaged := put("damaged.json", bytes.Replace(keyring.JWKS([]report.PublicKey{public(key)}), []byte(`"kid": "`), []byte(`"kid": "x`), 1))
	_, out, _ := command(t, "verify", "--data", empty, "--key", set, good)
	if want := good + `: valid
  of      Harborlight?[31m report.json: valid
  issued  2026-03-04T05:06:07Z
  lists   ofac 2026-10-13
  key     ` + key.ID + "\n  report  "; !strings.HasPrefix(out, want) || strings.Count(out, "\n") != 6 {
		t.Errorf("%s", out)
	}

	for name, c := range map[string]struct {
		args []string
		code int
		out  string
		errs string
	}{
		"two keys":           {[]string{"--key", otherSet, "--key", keys["pem"], good}, 0, ": valid\n", ""},
		"changed":            {[]string{"--key", set, good, bad}, 1, "bad.json: NOT valid: The signature does not match", ""},
		"changed and no":     {[]string{"--key", set, no, bad}, 1, "NOT valid", ""},
		"repainted":          {[]string{"--key", set, repainted, good}, 2, "cannot be verified: The attached report is intact", ""},
		"no report":          {[]string{"--key", set, no}, 2, "no.json: cannot be verified: this is JSON, but there is no report in it", ""},
		"large":              {[]string{"--key", set, large}, 2, "larger than 2097152", ""},
		"key of another":     {[]string{"--key", otherSet, good}, 2, "cannot be verified: The report names the key", ""},
		"no keys":            {[]string{good}, 2, "cannot be verified: The report names the key", "Try: curl -o keys.json"},
		"absent":             {[]string{"--key", set, absent, good}, 1, "report.json: valid", "absent does not exist"},
		"absent key":         {[]string{"--key", "secret-api-key", good}, 1, "", "--key names a file that does not exist"},
		"key is no key":      {[]string{"--key", no, good}, 2, "cannot be verified: The report names the key", "not keys to verify with"},
		"damaged key":        {[]string{"--key", damaged, page}, 2, "cannot be verified: The report names the key", "not keys to verify with"},
		"one key damaged":    {[]string{"--key", set, "--key", damaged, good}, 2, "cannot be verified: The report names the key", "not keys to verify with"},
		"damaged, changed":   {[]string{"--key", damaged, bad}, 1, "NOT valid", "not keys to verify with"},
		"key is a folder":    {[]string{"--key", dir, good}, 1, "", "is a directory"},
		"no files":           {nil, 2, "", "expected"},
		"report is a folder": {[]string{"--key", set, dir}, 1, "", "1 of 1 files could not be read"},
	} {
		code, out, errs := command(t, append([]string{"verify", "--data", empty}, c.args...)...)
		if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errs, c.errs) || c.out == "" && out != "" || strings.Contains(out+errs, "secret-api-key") {
			t.Errorf("%s: exit %d: %s%s", name, code, out, errs)
		}
	}
	if files, err := os.ReadDir(empty); err != nil || len(files) > 0 {
		t.Errorf("verifying left something in the data directory: %v %v", files, err)
	}
	if code, _, errs := command(t, "verify", "--data", absent, good); code != 1 || !strings.Contains(errs, "does not exist") {
		t.Errorf("exit %d: %s", code, errs)
	}
	var o, e bytes.Buffer
	if code := run(t.Context(), []string{"verify", "--data", empty, "--key", set, "-"}, bytes.NewReader(document), &o, &e); code != 0 || !strings.HasPrefix(o.String(), "-: valid\n") {
		t.Errorf("standard input: exit %d: %s%s", code, &o, &e)
	}

	code, out, errs := command(t, "verify", "--json", "--data", empty, "--key", set, good, bad, no)
	var results []struct {
		File, Status string
		Reason       *string
		Verdict      *struct {
			SignatureValid *bool `json:"signature_valid"`
		}
	}
	if err := json.Unmarshal([]byte(out), &results); err != nil || code != 1 || errs != "" || len(results) != 3 {
		t.Fatalf("exit %d: %v: %s%s", code, err, out, errs)
	}
	if r := results; r[0].Status != "valid" || r[0].Reason != nil || !*r[0].Verdict.SignatureValid || r[1].Status != "not_valid" || *r[1].Verdict.SignatureValid ||
		r[2].Status != "unverifiable" || r[2].Reason == nil || r[2].Verdict != nil || r[0].File != good {
		t.Errorf("%s", out)
	}
}

// TestVerifyWithOwnKeys takes the keys of the service whose data directory it is,
// retired ones included.
func TestVerifyWithOwnKeys(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	store, err := account.OpenSQLite(serve.Accounts(data), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	key := seedKey("k")
	if err := store.FirstSigningKey(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if _, _, err := keyring.New(store, time.Now).Rotate(t.Context(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	document, _ := issueReport(t, key, "Harborlight")
	path := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(path, document, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := command(t, "verify", "--data", data, path); code != 0 || !strings.Contains(out, ": valid\n") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	forged := seedKey("k")
	forged.Seed = secret.New(strings.Repeat("f", ed25519.SeedSize))
	document, _ = issueReport(t, forged, "Harborlight")
	if err := os.WriteFile(path, document, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := command(t, "verify", "--data", data, path); code != 1 || !strings.Contains(out, ": NOT valid: ") || !strings.Contains(out, "Do not trust it") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}
