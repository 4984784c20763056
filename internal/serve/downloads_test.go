package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/downloads"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/snapshot/remote"
)

// releasedFiles are the files of an invented release: one for each paid plan.
var releasedFiles = map[string]account.Plan{"orgs/orgs-all.csv.gz": account.Plus, "board_link/board_link-all.parquet": account.Pro}

const releasedVersion = "20260102T030405Z"

// publishRelease puts a release into a store, and returns the content of its file for the Plus plan.
func publishRelease(t *testing.T, s remote.Store, version string) string {
	t.Helper()
	put := func(name, content string) {
		if err := s.Put(t.Context(), downloads.Folder(version)+"/"+name, strings.NewReader(content), int64(len(content))); err != nil {
			t.Fatal(err)
		}
	}
	p := &warehouse.DataPackage{Version: version, Created: time.Unix(1, 0)}
	var plus string
	for name, plan := range releasedFiles {
		content := strings.Repeat(version+" "+name+" ", 100)
		if plan == account.Plus {
			plus = content
		}
		sum := sha256.Sum256([]byte(content))
		table, _, _ := strings.Cut(name, "/")
		p.Resources = append(p.Resources, warehouse.Resource{Table: table, Path: name, Schema: table + "/schema.json", MediaType: "application/vnd.apache.parquet",
			Bytes: int64(len(content)), Hash: "sha256:" + hex.EncodeToString(sum[:]), Plan: plan})
		put(name, content)
	}
	body, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	put(warehouse.SumsName, "sums\n")
	put("orgs/schema.json", `{"fields": []}`)
	put("orgs/secret.txt", "not described")
	put(warehouse.PackageName, string(body))
	if err := downloads.Publish(t.Context(), s, p, 2); err != nil {
		t.Fatal(err)
	}
	return plus
}

// downloader asks a service for files, as one key.
type downloader struct {
	t    *testing.T
	base string
	key  string
}

func (d downloader) ask(method, path string, header ...string) (*http.Response, string) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, d.base+path, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	if d.key != "" {
		r.Header.Set("X-API-Key", d.key)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return answer, string(body)
}

// TestDownloads downloads files of a release: by plan, in parts, and at the price of what is sent.
func TestDownloads(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	store, err := remote.Open(data, remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	content := publishRelease(t, store, releasedVersion)
	s := startWith(t, Options{Data: data, Log: slog.New(slog.DiscardHandler)})
	keys := map[account.Plan]string{}
	for _, plan := range []account.Plan{account.Free, account.Plus, account.Pro} {
		if keys[plan], _, err = s.Store().Create(t.Context(), plan, "", ""); err != nil {
			t.Fatal(err)
		}
	}
	at := downloads.Root + releasedVersion + "/"
	plus := downloader{t, s.URL(), keys[account.Plus]}
	tag := func() string {
		answer, _ := plus.ask("HEAD", at+"orgs/orgs-all.csv.gz")
		return answer.Header.Get("ETag")
	}()
	left := 250
	for _, c := range []struct {
		plan   account.Plan
		method string
		file   string
		header []string
		status int
		body   string
		cost   int // of a Plus key
	}{
		{account.Plus, "GET", "orgs/orgs-all.csv.gz", nil, 200, content, 1},
		{account.Plus, "GET", "orgs/orgs-all.csv.gz", []string{"Range", "bytes=5-9"}, 206, content[5:10], 1},
		{account.Plus, "GET", "orgs/orgs-all.csv.gz", []string{"Range", "bytes=-5"}, 206, content[len(content)-5:], 1},
		{account.Plus, "GET", "orgs/orgs-all.csv.gz", []string{"Range", "bytes=0-1,4-5,0-1"}, 200, content, 1},
		{account.Plus, "GET", "orgs/orgs-all.csv.gz", []string{"Range", "bytes=5-9", "If-Range", tag}, 206, content[5:10], 1},
		{account.Plus, "GET", "orgs/orgs-all.csv.gz", []string{"Range", "bytes=5-9", "If-Range", `"of another release"`}, 200, content, 1},
		{account.Plus, "GET", "orgs/orgs-all.csv.gz", []string{"Range", "bytes=99999-"}, 416, "", 0},
		{account.Plus, "GET", "orgs/orgs-all.csv.gz", []string{"If-None-Match", tag}, 304, "", 0},
		{account.Plus, "HEAD", "orgs/orgs-all.csv.gz", nil, 200, "", 0},
		{account.Plus, "POST", "orgs/orgs-all.csv.gz", nil, 404, "", 0},
		{account.Plus, "GET", "board_link/board_link-all.parquet", nil, 402, `"error":"plan_required"`, 0},
		{account.Plus, "GET", "orgs/secret.txt", nil, 404, `"error":"not_found"`, 0},
		{account.Plus, "GET", "orgs/../../../../accounts.db", nil, 307, "", 0},
		{account.Plus, "GET", "orgs%2f..%2f..%2f..%2faccounts.db", nil, 404, `"error":"not_found"`, 0},
		{account.Free, "GET", "orgs/orgs-all.csv.gz", nil, 402, `"error":"plan_required"`, 0},
		{"", "GET", "orgs/orgs-all.csv.gz", nil, 401, `"error":"no_key"`, 0},
		{"", "GET", warehouse.PackageName, nil, 200, releasedVersion, 0},
		{"", "GET", warehouse.SumsName, nil, 200, "sums\n", 0},
		{"", "GET", "orgs/schema.json", nil, 200, "fields", 0},
	} {
		answer, body := downloader{t, s.URL(), keys[c.plan]}.ask(c.method, at+c.file, c.header...)
		whole := answer.StatusCode < 300 && c.plan != ""
		if answer.StatusCode != c.status || whole && body != c.body || !strings.Contains(body, c.body) {
			t.Errorf("%s %s %v as %q: %d %.200s", c.method, c.file, c.header, c.plan, answer.StatusCode, body)
		}
		if answer.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s %v is compressed again", c.file, c.header)
		}
		if left -= c.cost; c.cost > 0 && answer.Header.Get("X-Calls-Remaining") != strconv.Itoa(left) {
			t.Errorf("%s %v leaves %s calls, want %d", c.file, c.header, answer.Header.Get("X-Calls-Remaining"), left)
		}
	}
	if answer, body := (downloader{t, s.URL(), keys[account.Pro]}).ask("GET", at+"board_link/board_link-all.parquet"); answer.StatusCode != 200 || len(body) == 0 {
		t.Errorf("a Pro key gets %d", answer.StatusCode)
	}
	// A key without calls gets nothing, and no header of the file.
	key, err := s.Store().Find(t.Context(), plus.key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store().Charge(t.Context(), key.ID, left); err != nil {
		t.Fatal(err)
	}
	answer, body := plus.ask("GET", at+"orgs/orgs-all.csv.gz", "Range", "bytes=0-3")
	if answer.StatusCode != 402 || !strings.Contains(body, `"quota_exhausted"`) || answer.Header.Get("Content-Range")+answer.Header.Get("ETag") != "" {
		t.Errorf("without calls: %d %s %v", answer.StatusCode, body, answer.Header)
	}
	// A file that is not as described is not sent.
	if err := os.Truncate(filepath.Join(data, downloads.Folder(releasedVersion), "board_link", "board_link-all.parquet"), 10); err != nil {
		t.Fatal(err)
	}
	if answer, body := (downloader{t, s.URL(), keys[account.Pro]}).ask("GET", at+"board_link/board_link-all.parquet"); answer.StatusCode != 503 {
		t.Errorf("a damaged file: %d %s", answer.StatusCode, body)
	}
	if answer, body := (downloader{t, s.URL(), ""}).ask("GET", "/downloads"); answer.StatusCode != 200 || !strings.Contains(body, "orgs/orgs-all.csv.gz") {
		t.Errorf("the page: %d", answer.StatusCode)
	}
}

// TestDownloadsSignedIn: a click on a page of ours is paid by the account that is signed in; a link elsewhere is not.
func TestDownloadsSignedIn(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	store, err := remote.Open(data, remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	content := publishRelease(t, store, releasedVersion)
	s := startWith(t, Options{Data: data, Log: slog.New(slog.DiscardHandler)})
	a, err := s.Store().SignUp(t.Context(), "ada@example.org", "correct horse battery", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store().SetAccountPlan(t.Context(), a.ID, account.Plus); err != nil {
		t.Fatal(err)
	}
	session, _, err := s.Store().SignIn(t.Context(), a.Email, "correct horse battery", "")
	if err != nil {
		t.Fatal(err)
	}
	for from, status := range map[string]int{"same-origin": 200, "cross-site": 401, "none": 401} {
		answer, body := downloader{t, s.URL(), ""}.ask("GET", downloads.Root+releasedVersion+"/orgs/orgs-all.csv.gz", "Cookie", "session="+session, "Sec-Fetch-Site", from)
		if answer.StatusCode != status || status == 200 && body != content {
			t.Errorf("from %s: %d %.100s", from, answer.StatusCode, body)
		}
	}
}

// TestDownloadsFromBucket: a bucket gives the bytes itself, at an address that is good for the range that was paid.
func TestDownloadsFromBucket(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "tester")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "tester-secret")
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	bucket := httptest.NewServer(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server())
	t.Cleanup(bucket.Close)
	store, err := remote.Open("s3://bucket/prefix?endpoint="+url.QueryEscape(bucket.URL), remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var content string
	for _, version := range []string{"20251102T030405Z", "20251202T030405Z", releasedVersion} {
		content = publishRelease(t, store, version)
	}
	data := t.TempDir()
	publish(t, data, world.Small)
	s := startWith(t, Options{Data: data, Downloads: store, Log: slog.New(slog.DiscardHandler)})
	key, _, err := s.Store().Create(t.Context(), account.Plus, "", "")
	if err != nil {
		t.Fatal(err)
	}
	d := downloader{t, s.URL(), key}
	file := downloads.Root + releasedVersion + "/orgs/orgs-all.csv.gz"
	for part, want := range map[string]string{"": content, "bytes=5-9": content[5:10]} {
		var header []string
		if part != "" {
			header = []string{"Range", part}
		}
		answer, body := d.ask("GET", file, header...)
		to, err := url.Parse(answer.Header.Get("Location"))
		if err != nil || answer.StatusCode != 302 || body != "" || !strings.HasPrefix(to.String(), bucket.URL) || to.Query().Get("X-Amz-Expires") != "60" ||
			strings.Contains(to.Query().Get("X-Amz-SignedHeaders"), "range") != (part != "") || answer.Header.Get("X-Calls-Remaining") == "" {
			t.Fatalf("range %q: %d to %s: %v", part, answer.StatusCode, to, err)
		}
		got, body := downloader{t, "", ""}.ask("GET", to.String(), header...)
		if got.StatusCode/100 != 2 || body != want {
			t.Errorf("the bucket answers %d %.100s", got.StatusCode, body)
		}
	}
	if answer, _ := d.ask("HEAD", file); answer.StatusCode != 200 || answer.ContentLength != int64(len(content)) {
		t.Errorf("HEAD: %d, %d bytes", answer.StatusCode, answer.ContentLength)
	}
	// Two releases are kept, and each says what changed since the one before.
	_, body := d.ask("GET", downloads.Root+downloads.IndexName)
	var index downloads.Index
	if err := json.Unmarshal([]byte(body), &index); err != nil || len(index.Releases) != 2 || index.Releases[0].Version != releasedVersion ||
		index.Releases[0].Changes != "../api/v1/changes?since=20251202T030405Z" {
		t.Errorf("%v: %s", err, body)
	}
	if answer, _ := d.ask("GET", downloads.Root+"20251102T030405Z/"+warehouse.SumsName); answer.StatusCode != 404 {
		t.Errorf("an old release is still served: %d", answer.StatusCode)
	}
	if left := strings.Count(listed(t, store), "20251102T030405Z"); left != 0 {
		t.Errorf("%d files of an old release are left", left)
	}
}

func listed(t *testing.T, s remote.Store) string {
	t.Helper()
	var keys strings.Builder
	if err := s.List(t.Context(), "downloads/", func(o remote.Info) error { keys.WriteString(o.Key + "\n"); return nil }); err != nil {
		t.Fatal(err)
	}
	return keys.String()
}
