package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// TestNeverShown prints, logs and encodes secrets in every way there is.
func TestNeverShown(t *testing.T) {
	t.Parallel()
	const hush = "Hush-4711"
	type settings struct {
		Token    Text
		Database URL
		List     []URL
		hidden   Text
		at       *Text
	}
	token := New(hush)
	s := settings{token, NewURL("postgres://me:" + hush + "@db.example:5432/grants?password=" + hush), []URL{NewURL("bmf=https://" + hush + "@mirror.example/bmf")}, token, &token}
	var b bytes.Buffer
	for _, verb := range strings.Fields("%v %+v %#v %s %q %x %X %d %t %10.3v %T") {
		fmt.Fprintf(&b, verb+"\n", s)
		fmt.Fprintf(&b, verb+"\n", &s)
		fmt.Fprintf(&b, verb+" "+verb+" "+verb+"\n", s.Token, s.Database, s.List)
	}
	fmt.Fprintln(&b, fmt.Errorf("with %w and %v", error(fault{s.Token}), s.Database))
	for _, h := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		slog.New(h).Info("m", "token", s.Token, "database", s.Database, "all", s, "list", s.List, "pointer", &s.Token)
	}
	if err := json.NewEncoder(&b).Encode(s); err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(&b).Encode(map[Text]URL{s.Token: s.Database}); err != nil {
		t.Fatal(err)
	}
	for _, leak := range []string{hush, fmt.Sprintf("%x", hush), fmt.Sprintf("%X", hush), "me:"} {
		if i := strings.Index(b.String(), leak); i >= 0 {
			t.Errorf("shown: …%s", b.String()[max(0, i-60):i+len(leak)])
		}
	}
	if !strings.Contains(b.String(), "(set)") || !strings.Contains(b.String(), "postgres://…@db.example:5432/grants?…") {
		t.Errorf("what is there is not said:\n%s", b.String())
	}
	if s.Token.Reveal() != hush || !strings.Contains(s.Database.Reveal(), "me:"+hush) || s.Token.Empty() {
		t.Error("a secret that cannot be told is no use")
	}
}

type fault struct{ t Text }

func (f fault) Error() string { return "fault of " + f.t.String() }

func TestURL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                         "",
		"postgres://db.example/grants":             "postgres://db.example/grants",
		"postgres://u@db.example/grants":           "postgres://…@db.example/grants",
		"smtp://user:pa%20ss@mail.example:587":     "smtp://…@mail.example:587",
		"smtp://user:p@ss/w#rd@mail.example":       "(set)",
		"host=db user=u password=secret":           "(set)",
		"host=db password=secret dbname=x://y":     "(set)",
		"bmf=https://mirror.example/a b":           "bmf=https://mirror.example/a%20b",
		"bmf=https://u:p@mirror.example/?key=v":    "bmf=https://…@mirror.example/?…",
		"secret":                                   "(set)",
		"https://mirror.example/path?x=1#fragment": "https://mirror.example/path?…",
		"://": "(set)",
	} {
		var u URL
		if err := u.UnmarshalText([]byte(in)); err != nil || u.String() != want || u.Reveal() != in || u.Empty() != (in == "") {
			t.Errorf("%q is shown as %q, want %q; %v", in, u, want, err)
		}
	}
}
