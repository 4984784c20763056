package account

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// encodings are the ways in which a key may stand in an address.
func encodings(key string) map[string]string {
	each := func(format string) string {
		var b strings.Builder
		for _, c := range []byte(key) {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
	twice := func(s string) string { return strings.ReplaceAll(s, "%", "%25") }
	return map[string]string{
		"plain": key, "upper": strings.ToUpper(key), "lower": strings.ToLower(key), "every byte": each("%%%02x"), "every byte in capitals": each("%%%02X"),
		"marks": strings.ReplaceAll(key, "_", "%5F"), "marks in small letters": strings.ReplaceAll(key, "_", "%5f"),
		"first letter": "%67" + key[1:], "last letter": key[:len(key)-1] + fmt.Sprintf("%%%02x", key[len(key)-1]),
		"twice": twice(each("%%%02x")), "marks twice": strings.ReplaceAll(key, "_", "%255F"), "three times": twice(twice(each("%%%02X"))),
		"nine times":        strings.ReplaceAll(key, "_", "%"+strings.Repeat("25", 8)+"5F"),
		"escaped digits":    strings.ReplaceAll(key, "_", "%%35%46"),
		"cut":               key[:20],
		"broken by a line":  key[:15] + "%0A" + key[15:],
		"broken by a mark":  key[:15] + "%" + key[15:],
		"broken by a quote": key[:15] + "%E2%80%99" + key[15:],
		"followed":          key + ".json", "preceded": "x" + key, "as a query": url.QueryEscape(key),
	}
}

func TestMaskKeys(t *testing.T) {
	t.Parallel()
	for _, plan := range []Plan{Free, Plus, Pro, Agent} {
		key, err := NewKey(plan, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		for name, encoded := range encodings(key) {
			for _, around := range []string{"%s", "/%s", "/api/v1/%s/grants", "/org/%s?x=1", "/a%%20b/%s", "GET /%s HTTP/1.1", `{"key":"%s"}`, "100%% of %s"} {
				said := MaskKeys(fmt.Sprintf(around, encoded))
				plain := strings.ToLower(unescape(said))
				for _, part := range []string{key[5:13], key[len(key)-12:]} {
					if strings.Contains(plain, strings.ToLower(part)) {
						t.Errorf("%s in %s is told as %s", name, around, said)
					}
				}
			}
		}
	}
	for _, s := range []string{"", "/", "/org/070000001/lantern-house", "/api/v1/grants/summary", "/a%20b", "100%", "/%zz%", "/eggs_a", "/gg_", "gg_x", "/%67%67", "key_4f5Gh6"} {
		if got := MaskKeys(s); got != s {
			t.Errorf("%q is told as %q", s, got)
		}
	}
	// Layer upon layer costs no more than its length.
	if got := MaskKeys("%" + strings.Repeat("25", 1<<20) + "67g_f_secret"); got != "gg_…" {
		t.Errorf("%.40q", got)
	}
}
