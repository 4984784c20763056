// Package clients makes the clients that a service offers to programs, and serves them as packages: for Python, TypeScript and Go.
// Their types and methods are written from the OpenAPI document when somebody first asks for them. The bytes depend on nothing but
// the program, except those of the Go module, whose name is that of the host.
package clients

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"go/format"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"

	"grantgraph"
	"grantgraph/internal/each"
	"grantgraph/internal/serve/api"
)

// Root is where the packages are served.
const Root = "/clients/"

// Config says what the packages are made of.
type Config struct {
	OpenAPI  func(base string) ([]byte, error)
	Examples func(base string) (api.Examples, error)
	BaseURL  string
	Failed   func(error) // is told why a package could not be made
}

// Handler serves the packages.
func Handler(c Config) http.Handler {
	made := sync.OnceValues(c.make)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "Use GET or HEAD.", http.StatusMethodNotAllowed)
			return
		}
		files, err := made()
		if err != nil {
			c.Failed(err)
			http.Error(w, "The clients could not be made. The log of the service says why.", http.StatusInternalServerError)
			return
		}
		f, ok := files[strings.TrimPrefix(r.URL.Path, Root)]
		if !ok {
			http.Error(w, "There is no such file. "+c.BaseURL+"/docs/guide/clients lists the clients.", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", f.kind)
		w.Header().Set("ETag", f.tag)
		w.Header().Set("Cache-Control", "public, max-age=300")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
	})
}

// file is one file that is served.
type file struct {
	kind, tag string
	body      []byte
}

// example is the address of the service in the packages: they are the same at every host.
const example = "https://grants.example.org"

// make writes all packages. Together they have less than a megabyte.
func (c *Config) make() (map[string]file, error) {
	raw, err := c.OpenAPI(example)
	if err != nil {
		return nil, err
	}
	examples, err := c.Examples(example)
	if err != nil {
		return nil, err
	}
	reference, err := api.Describe(example, examples)
	if err != nil {
		return nil, err
	}
	s, err := describe(raw, reference)
	if err != nil {
		return nil, err
	}
	all := map[string]file{}
	for _, write := range []func(*source, map[string]file) error{pythonPackages, npmPackage, c.goModule} {
		if err := write(s, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// add serves a file under a name.
func add(all map[string]file, name, kind string, body []byte) {
	sum := sha256.Sum256(body)
	all[name] = file{kind, `"` + hex.EncodeToString(sum[:16]) + `"`, body}
}

// entry is a file in a package.
type entry struct {
	name string
	body []byte
}

// pythonPackages writes the module as a file, as a wheel and as a source distribution.
func pythonPackages(s *source, all map[string]file) error {
	const folder = "clients/python/"
	module, err := s.fill(grantgraph.Clients, folder+"grantgraph.py.tmpl")
	if err != nil {
		return err
	}
	project, err := grantgraph.Clients.ReadFile(folder + "pyproject.toml")
	if err != nil {
		return err
	}
	readme, err := grantgraph.Clients.ReadFile(folder + "README.md")
	if err != nil {
		return err
	}
	var about struct {
		Project struct {
			Name, Description string
			Python            string              `toml:"requires-python"`
			Optional          map[string][]string `toml:"optional-dependencies"`
		}
	}
	if err := toml.Unmarshal(project, &about); err != nil {
		return err
	}
	p := about.Project
	metadata := fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: %s\nRequires-Python: %s\n", p.Name, s.Version, p.Description, p.Python)
	for extra, needs := range p.Optional {
		metadata += "Provides-Extra: " + extra + "\n"
		for _, need := range needs {
			metadata += fmt.Sprintf("Requires-Dist: %s ; extra == '%s'\n", need, extra)
		}
	}
	metadata += "Description-Content-Type: text/markdown\n\n" + string(readme)
	stem := p.Name + "-" + s.Version
	info := stem + ".dist-info/"
	list := []entry{
		{p.Name + "/__init__.py", module},
		{p.Name + "/py.typed", nil},
		{info + "METADATA", []byte(metadata)},
		{info + "WHEEL", []byte("Wheel-Version: 1.0\nGenerator: grantgraph\nRoot-Is-Purelib: true\nTag: py3-none-any\n")},
	}
	var record strings.Builder
	for _, e := range list {
		sum := sha256.Sum256(e.body)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", e.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(e.body))
	}
	wheel, err := zipped(append(slices.Clone(list), entry{info + "RECORD", []byte(record.String() + info + "RECORD,,\n")}))
	if err != nil {
		return err
	}
	sources, err := tarred(stem+"/", append(list[:2:2], entry{"PKG-INFO", []byte(metadata)}, entry{"pyproject.toml", project}, entry{"README.md", readme}))
	if err != nil {
		return err
	}
	add(all, p.Name+".py", "text/x-python; charset=utf-8", module)
	add(all, stem+"-py3-none-any.whl", "application/zip", wheel)
	add(all, stem+".tar.gz", "application/gzip", sources)
	return nil
}

// npmPackage writes the package for TypeScript and JavaScript.
func npmPackage(s *source, all map[string]file) error {
	const folder = "clients/typescript/grantgraph/"
	var list []entry
	for _, name := range []string{"package.json", "index.js", "index.d.ts"} {
		body, err := s.fill(grantgraph.Clients, folder+name+".tmpl")
		if err != nil {
			return err
		}
		list = append(list, entry{name, body})
	}
	readme, err := grantgraph.Clients.ReadFile(folder + "README.md")
	if err != nil {
		return err
	}
	archive, err := tarred("package/", append(list, entry{"README.md", readme}))
	if err != nil {
		return err
	}
	add(all, "grantgraph-"+s.Version+".tgz", "application/gzip", archive)
	return nil
}

// goModule writes package client as a module whose path begins with the host, and what the go command asks a module proxy for. The
// version has a digest of the code, because the go command expects the same code of the same version forever.
func (c *Config) goModule(s *source, all map[string]file) error {
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		return err
	}
	module := path.Join(base.Hostname(), base.Path, Root, "go")
	operations, err := s.fill(grantgraph.Clients, "clients/go/operations.go.tmpl")
	if err != nil {
		return err
	}
	if operations, err = format.Source(operations); err != nil {
		return err
	}
	mod := []byte("module " + module + "\n\ngo 1.26\n")
	list := []entry{{"go.mod", mod}, {"operations.go", operations}}
	names, err := fs.Glob(grantgraph.Clients, "client/*.go")
	if err != nil {
		return err
	}
	for _, name := range names {
		code, err := grantgraph.Clients.ReadFile(name)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(name, "_test.go") {
			list = append(list, entry{path.Base(name), code})
		}
	}
	digest := sha256.New()
	for _, e := range list {
		fmt.Fprintf(digest, "%s %d %s", e.name, len(e.body), e.body)
	}
	version := fmt.Sprintf("v%s-x%x", s.Version, digest.Sum(nil)[:6])
	archive, err := zipped(each.Of(list, func(e entry) entry { return entry{module + "@" + version + "/" + e.name, e.body} }))
	if err != nil {
		return err
	}
	info := []byte(`{"Version":"` + version + `"}`)
	proxy := "goproxy/" + module + "/@"
	add(all, "go", "text/html; charset=utf-8", fmt.Appendf(nil, "<!doctype html><title>%[1]s</title><meta name=\"go-import\" content=\"%[1]s mod %[2]sgoproxy\">"+
		"<p>go get %[1]s\n", module, c.BaseURL+Root))
	add(all, proxy+"latest", "application/json", info)
	add(all, proxy+"v/list", "text/plain; charset=utf-8", []byte(version+"\n"))
	add(all, proxy+"v/"+version+".info", "application/json", info)
	add(all, proxy+"v/"+version+".mod", "text/plain; charset=utf-8", mod)
	add(all, proxy+"v/"+version+".zip", "application/zip", archive)
	return nil
}

// zipped is a ZIP archive without times, so that the same files are the same bytes.
func zipped(list []entry) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range list {
		w, err := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.body); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

// tarred is the same as a compressed tar archive, in a folder.
func tarred(folder string, list []entry) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	for _, e := range list {
		if err := t.WriteHeader(&tar.Header{Name: path.Join(folder, e.name), Mode: 0o644, Size: int64(len(e.body)), ModTime: time.Unix(0, 0)}); err != nil {
			return nil, err
		}
		if _, err := t.Write(e.body); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}
