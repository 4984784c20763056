package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v3"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/snapshot/remote"
)

// TestHAProxyConfig has HAProxy itself read the configuration that operators get,
// as it is and with TLS.
func TestHAProxyConfig(t *testing.T) {
	t.Parallel()
	program := haproxy()
	if program == "" {
		t.Skip("no HAProxy to read its configuration; scripts/require installs it")
	}
	text := textOf(t, "../../deploy/haproxy.cfg")
	dir := t.TempDir()
	// The lines that a comment offers instead of another.
	tls := strings.NewReplacer(`    bind "${FRONT}"`, "", "    # bind 0.0.0.0:443 ssl", "    bind 0.0.0.0:443 ssl", "/etc/haproxy/certs", dir,
		"    # http-response set-header Strict", "    http-response set-header Strict").Replace(text)
	key := filepath.Join(dir, "site.pem")
	made := exec.Command("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=grants.example.org", "-keyout", key+".key", "-out", key)
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	both, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := os.ReadFile(key + ".key")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, append(both, private...), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"as it is": text, "with TLS": tls} {
		path := filepath.Join(t.TempDir(), "haproxy.cfg")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(program, "-c", "-f", path).CombinedOutput(); err != nil || bytes.Contains(out, []byte("WARNING")) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	if tls == text || strings.Contains(tls, "# bind") {
		t.Error("there is no line for TLS")
	}
}

// TestProxyConfigs has Caddy and nginx read the configurations that operators get. nginx
// reads it as one site of a whole configuration, with a certificate that the test makes.
func TestProxyConfigs(t *testing.T) {
	t.Parallel()
	server := "/usr/sbin/nginx" // where Debian has it, and the path of most users not
	if _, err := os.Stat(server); err != nil {
		server = "nginx"
	}
	needs(t, "caddy", server, "openssl")
	dir := t.TempDir()
	caddy := exec.CommandContext(t.Context(), "caddy", "validate", "--adapter", "caddyfile", "--config", "../../deploy/Caddyfile")
	caddy.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir)
	if out, err := caddy.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	made := exec.CommandContext(t.Context(), "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=grants.example.org",
		"-keyout", filepath.Join(dir, "privkey.pem"), "-out", filepath.Join(dir, "fullchain.pem"))
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// Ports that need no rights, and IPv4 alone: a container may have no more.
	site := strings.NewReplacer("/etc/letsencrypt/live/grants.example.org", dir, "listen [::]:80;", "", "listen [::]:443 ssl http2;", "",
		"listen 80;", "listen 127.0.0.1:18080;", "listen 443", "listen 127.0.0.1:18443").Replace(textOf(t, "../../deploy/nginx.conf"))
	path := filepath.Join(dir, "nginx.conf")
	whole := "pid " + dir + "/pid; error_log stderr; events {} http { access_log off; client_body_temp_path " + dir + "; proxy_temp_path " + dir +
		"; fastcgi_temp_path " + dir + "; uwsgi_temp_path " + dir + "; scgi_temp_path " + dir + ";\n" + site + "}\n"
	if err := os.WriteFile(path, []byte(whole), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), server, "-t", "-p", dir, "-c", path).CombinedOutput(); err != nil || bytes.Contains(out, []byte("[warn]")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// serveSettings are the variables by which the server is set.
func serveSettings(t *testing.T) map[string]bool {
	t.Helper()
	var c cli
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"GRANTGRAPH_CONFIG": true}
	for _, command := range parser.Model.Children {
		if command.Name == "serve" {
			for _, flag := range command.Flags {
				known["GRANTGRAPH_"+strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))] = true
			}
		}
	}
	return known
}

// TestSystemdUnit holds the unit against what docs/security.md says of it, and
// against the settings that there are.
func TestSystemdUnit(t *testing.T) {
	t.Parallel()
	text := textOf(t, "../../deploy/grantgraph.service")
	has := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, _, _ := strings.Cut(line, "=")
		has[name], has[line] = true, true
	}
	_, section, _ := strings.Cut(textOf(t, "../../docs/security.md"), "## Confining the service")
	section, _, _ = strings.Cut(section, "\n## ")
	said := 0
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		switches, _, _ := strings.Cut(line[2:], "|")
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(switches, -1) {
			if said++; !strings.HasPrefix(m[1], "@") && !has[m[1]] {
				t.Errorf("docs/security.md says %s, and the unit does not", m[1])
			}
		}
	}
	if said < 25 {
		t.Errorf("docs/security.md names %d switches", said)
	}
	known := serveSettings(t)
	for _, m := range regexp.MustCompile(`(?m)^Environment=([A-Z_]+)=`).FindAllStringSubmatch(text, -1) {
		if !known[m[1]] {
			t.Errorf("there is no setting %s", m[1])
		}
	}
	program, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return // a machine without systemd has nobody to ask
	}
	unit := filepath.Join(t.TempDir(), "grantgraph.service")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(unit, []byte(strings.ReplaceAll(text, "/usr/local/bin/grantgraph", self)), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, "verify", "--man=no", unit).CombinedOutput(); err != nil || len(bytes.TrimSpace(out)) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestAlertsAndDashboard asks a server of a fleet for its metrics: each one that
// an alert or the dashboard rests on must be there.
func TestAlertsAndDashboard(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	world.Small.Publish(t, data)
	store, err := remote.Open(t.TempDir(), remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	follower, err := remote.NewFollower(remote.FollowOptions{Store: store, Data: t.TempDir(), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	from := t.TempDir()
	if _, err := (remote.Publication{Store: store, Area: remote.Snapshots}).Publish(t.Context(), world.Small.Publish(t, from)); err != nil {
		t.Fatal(err)
	}
	if err := follower.First(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, leader, err := (&serveCmd{Sources: t.TempDir(), Database: secret.NewURL("postgres://nobody@127.0.0.1/none")}).lists(store, log)
	if err != nil {
		t.Fatal(err)
	}
	opt := serve.Options{Data: data, Admin: "127.0.0.1:0", BaseURL: "http://localhost", Log: log, Metrics: []prometheus.Collector{follower, leader}}
	if opt.Entrance, err = serve.Bind(opt); err != nil {
		t.Fatal(err)
	}
	_, admin := opt.Entrance.Addresses()
	s, err := serve.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/v1/meta", nil))
	r, err := http.Get(admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	shown, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{"up": true} // which Prometheus itself adds
	for line := range strings.Lines(string(shown)) {
		if !strings.HasPrefix(line, "#") {
			name, _, _ := strings.Cut(strings.FieldsFunc(line, func(r rune) bool { return r == '{' || r == ' ' })[0], "{")
			there[name] = true
		}
	}

	var rules struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For string
				Labels           map[string]string
				Annotations      map[string]string
			}
		}
	}
	decode := yaml.NewDecoder(strings.NewReader(textOf(t, "../../deploy/alerts.yaml")))
	decode.KnownFields(true)
	if err := decode.Decode(&rules); err != nil {
		t.Fatal(err)
	}
	expressions := map[string]string{}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if r.Alert == "" || r.Expr == "" || r.Annotations["summary"] == "" || r.Annotations["action"] == "" || r.Labels["severity"] == "" || expressions[r.Alert] != "" {
				t.Errorf("%+v is not whole", r)
			}
			expressions[r.Alert] = r.Expr
		}
	}
	alerts := len(expressions)

	var board struct {
		UID, Title string
		Panels     []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr, RefID string }
		}
	}
	if err := json.Unmarshal([]byte(textOf(t, "../../deploy/dashboard.json")), &board); err != nil {
		t.Fatal(err)
	}
	for _, p := range board.Panels {
		if p.Title == "" || len(p.Targets) == 0 || p.GridPos.W == 0 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%+v is not whole", p)
		}
		for _, q := range p.Targets {
			expressions[fmt.Sprint(p.Title, " ", q.RefID)] = q.Expr
		}
	}
	if alerts < 10 || len(board.Panels) < 10 {
		t.Errorf("%d alerts, %d panels", alerts, len(board.Panels))
	}
	name := regexp.MustCompile(`\b(grantgraph|process|go)_[a-z_]+\b|\bup\b`)
	used := map[string]bool{}
	for where, expr := range expressions {
		expr = regexp.MustCompile(`"[^"]*"`).ReplaceAllString(expr, `""`)
		for _, metric := range name.FindAllString(expr, -1) {
			if used[metric] = true; !there[metric] {
				t.Errorf("%s: there is no metric %s", where, metric)
			}
		}
		if strings.Count(expr, "(") != strings.Count(expr, ")") || strings.Count(expr, "{") != strings.Count(expr, "}") {
			t.Errorf("%s: %s does not close what it opens", where, expr)
		}
	}
	for metric := range there {
		base := strings.TrimSuffix(strings.TrimSuffix(metric, "_count"), "_sum")
		if strings.HasPrefix(metric, "grantgraph_") && !used[metric] && !used[base+"_bucket"] && !slices.Contains([]string{"grantgraph_store_pulled_total"}, metric) {
			t.Errorf("%s is in no alert and on no panel", metric)
		}
	}
}

// TestAlertsAreRaised has Prometheus itself evaluate the alerts over series of old lists,
// an old dataset and a disk that fills.
func TestAlertsAreRaised(t *testing.T) {
	t.Parallel()
	needs(t, "promtool")
	if out, err := exec.CommandContext(t.Context(), "promtool", "test", "rules", "../../deploy/alerts_test.yaml").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestDockerfile holds the rules of the image: each stage begins from a
// named release, nothing is fetched but from the distribution, and it runs as nobody
// in particular.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(textOf(t, "../../deploy/Dockerfile"), "\\\n", " ")
	kept := map[string]bool{}
	for line := range strings.Lines(textOf(t, "../../.dockerignore")) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			kept[name] = true
		}
	}
	known := serveSettings(t)
	stage, user, last, bases := 0, "", map[string]string{}, map[string]string{}
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.TrimSpace(rest)
		if word == "" || strings.HasPrefix(word, "#") {
			continue
		}
		last[word] = rest
		switch word {
		case "ARG":
			name, value, _ := strings.Cut(rest, "=")
			bases["${"+name+"}"] = value
		case "FROM":
			stage, user = stage+1, ""
			image, _, _ := strings.Cut(rest, " ")
			if base, ok := bases[image]; ok {
				image = base // can be pinned by digest with --build-arg
			} else {
				t.Errorf("%s cannot be pinned by digest", image)
			}
			if _, tag, ok := strings.Cut(image, ":"); !ok || tag == "latest" {
				t.Errorf("%s names no release", image)
			}
		case "COPY":
			parts := strings.Fields(rest)
			if strings.HasPrefix(parts[0], "--from=") {
				continue
			}
			for _, from := range parts[:len(parts)-1] {
				if _, err := os.Stat(filepath.Join("../..", from)); err != nil || stage != 1 {
					t.Errorf("COPY %s: %v", from, err)
				}
				if !kept[from] {
					t.Errorf(".dockerignore leaves out %s", from)
				}
			}
		case "RUN":
			if strings.Contains(rest, "apt-get install") && (!strings.Contains(rest, "--no-install-recommends") || !strings.Contains(rest, "rm -rf /var/lib/apt/lists")) {
				t.Errorf("RUN %s leaves what nobody needs", rest)
			}
			if strings.Contains(rest, "curl") || strings.Contains(rest, "wget") || strings.Contains(rest, "sudo") {
				t.Errorf("RUN %s", rest)
			}
		case "USER":
			user = rest
		case "ENV":
			for _, set := range strings.Fields(rest) {
				name, value, _ := strings.Cut(set, "=")
				if !known[name] {
					t.Errorf("there is no setting %s", name)
				}
				if name == "GRANTGRAPH_ADMIN" && !strings.HasPrefix(value, "127.0.0.1:") {
					t.Errorf("metrics are open to the network at %s", value)
				}
			}
		case "ENTRYPOINT", "CMD":
			if !json.Valid([]byte(rest)) {
				t.Errorf("%s %s is run by a shell, which does not pass signals on", word, rest)
			}
		case "WORKDIR", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK":
		default:
			t.Errorf("%s has no place here", word)
		}
	}
	if stage != 2 || user == "" || strings.HasPrefix(user, "root") || strings.HasPrefix(user, "0") || last["STOPSIGNAL"] != "SIGTERM" {
		t.Errorf("%d stages, run as %q, stopped by %q", stage, user, last["STOPSIGNAL"])
	}
	// Every package comes along, and everything that the program embeds.
	for _, name := range []string{"client", "cmd", "internal"} {
		if !strings.Contains(text, "COPY "+name+" ./"+name) {
			t.Errorf("%s does not come along", name)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^//go:embed (.*)$`).FindAllStringSubmatch(textOf(t, "../../docs.go"), -1) {
		for _, name := range strings.Fields(m[1]) {
			along := false
			for folder := range kept {
				along = along || (name == folder || strings.HasPrefix(name, folder+"/")) && strings.Contains(text, folder)
			}
			if !along {
				t.Errorf("%s is embedded, and does not come along", name)
			}
		}
	}
	if modules := textOf(t, "../../go.mod"); !strings.Contains(text, "golang:"+regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(modules)[1]) {
		t.Error("the image builds with another Go than go.mod says")
	}
}

// TestComposeFile holds that what the compose file names is there.
func TestComposeFile(t *testing.T) {
	t.Parallel()
	var file struct {
		Services map[string]struct {
			Image string
			Build struct {
				Context, Dockerfile string
				Args                map[string]string
			}
			Environment map[string]string
			Volumes     []string
			Ports       []string
			ReadOnly    bool `yaml:"read_only"`
		}
		Volumes map[string]any
	}
	if err := yaml.Unmarshal([]byte(textOf(t, "../../deploy/compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	known, preset := serveSettings(t), textOf(t, "../../deploy/haproxy.cfg")
	for name, s := range file.Services {
		// Every image from elsewhere can be pinned by digest with a variable.
		images := []string{s.Image}
		if s.Build.Context != "" {
			images = slices.Collect(maps.Values(s.Build.Args))
		}
		for _, image := range images {
			variable, preset, ok := strings.Cut(image, ":-")
			if _, tag, tagged := strings.Cut(preset, ":"); !ok || !tagged || tag == "latest}" || !strings.HasSuffix(variable, "_IMAGE") {
				t.Errorf("%s: %s names no release, or cannot be pinned", name, image)
			}
		}
		if s.Build.Context != "" {
			if s.Environment["GRANTGRAPH_ADMIN"] != "" {
				t.Errorf("%s: the admin address is not that of the image, on loopback", name)
			}
			if _, err := os.Stat(filepath.Join("../../deploy", s.Build.Context, s.Build.Dockerfile)); err != nil || !s.ReadOnly {
				t.Errorf("%s: %v", name, err)
			}
		}
		for setting := range s.Environment {
			if strings.HasPrefix(setting, "GRANTGRAPH_") && !known[setting] || name == "haproxy" && !strings.Contains(preset, "presetenv "+setting+" ") {
				t.Errorf("%s: there is no setting %s", name, setting)
			}
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if strings.HasPrefix(from, ".") {
				if _, err := os.Stat(filepath.Join("../../deploy", from)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			} else if _, ok := file.Volumes[from]; !ok {
				t.Errorf("%s: there is no volume %s", name, from)
			}
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s: %s is open to everybody", name, p)
			}
		}
	}
	if len(file.Services) != 6 {
		t.Errorf("%d services", len(file.Services))
	}
}
