// Package powerloss is a file system for tests that loses what was not synced. It is put under a folder, carries out every
// change there as the kernel does, and keeps a record of them. Afterwards it cuts the power after each of them and lays out the
// folders that a machine may find when it starts again.
//
// It assumes as little as a file system may keep. Content that was not synced is lost, cut short, zeros, or there. A name made,
// moved or removed is lost or there, whatever came before or after it, until its folder was synced; moving within one folder is
// one step, between two folders it is two. What another program writes is seen when it is synced, and lost before.
package powerloss

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"grantgraph/internal/disk"
)

type Recorder struct {
	disk.OS
	root string
	base *node
	stop func()

	mu  sync.Mutex
	log []change
}

// Record begins to record what is done below root. What is there is durable.
func Record(t testing.TB, root string) *Recorder {
	t.Helper()
	r := &Recorder{root: filepath.Clean(root)}
	var err error
	if r.base, err = load(r.root); err != nil {
		t.Fatal(err)
	}
	r.stop = disk.Mount(r.root, r)
	t.Cleanup(r.stop)
	return r
}

type change struct {
	kind     string
	path, to []string // below the root
	data     []byte
	perm     fs.FileMode
	at       int64 // of a write
}

func (c *change) String() string {
	s := c.kind + " " + strings.Join(c.path, "/")
	if c.to != nil {
		s += " to " + strings.Join(c.to, "/")
	}
	return s
}

// split is a path below the root, name by name. Those elsewhere are a mistake of the test.
func (r *Recorder) split(path string) []string {
	rel, err := filepath.Rel(r.root, filepath.Clean(path))
	if err != nil || strings.HasPrefix(rel, "..") {
		panic(fmt.Sprintf("%s is not below %s", path, r.root))
	}
	if rel == "." {
		return nil
	}
	return strings.Split(rel, string(filepath.Separator))
}

// do carries out a change and takes it down when it was one.
func (r *Recorder) do(c change, carry func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := carry(); err != nil {
		return err
	}
	r.log = append(r.log, c)
	return nil
}

func (r *Recorder) Create(path string, perm fs.FileMode, fresh bool) (disk.Handle, error) {
	var h disk.Handle
	err := r.do(change{kind: "create", path: r.split(path), perm: perm}, func() (err error) {
		h, err = r.OS.Create(path, perm, fresh)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &handle{r: r, path: path, Handle: h}, nil
}

func (r *Recorder) Mkdir(path string, perm fs.FileMode) error {
	return r.do(change{kind: "mkdir", path: r.split(path)}, func() error { return r.OS.Mkdir(path, perm) })
}

func (r *Recorder) Rename(from, to string) error {
	if err := r.checkKnown(from); err != nil {
		return err
	}
	return r.do(change{kind: "rename", path: r.split(from), to: r.split(to)}, func() error { return r.OS.Rename(from, to) })
}

func (r *Recorder) Exchange(a, b string) error {
	return r.do(change{kind: "exchange", path: r.split(a), to: r.split(b)}, func() error { return r.OS.Exchange(a, b) })
}

func (r *Recorder) Link(from, to string) error {
	return r.do(change{kind: "link", path: r.split(from), to: r.split(to)}, func() error { return r.OS.Link(from, to) })
}

func (r *Recorder) Remove(path string) error {
	return r.do(change{kind: "remove", path: r.split(path)}, func() error { return r.OS.Remove(path) })
}

// checkKnown takes note of a file that another program wrote, when it is moved.
func (r *Recorder) checkKnown(path string) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return nil // a folder
	}
	return r.do(change{kind: "see", path: r.split(path), data: body}, func() error { return nil })
}

func (r *Recorder) Sync(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	c := change{kind: "sync", path: r.split(path)}
	if !st.IsDir() {
		c.kind = "sync file"
		if c.data, err = os.ReadFile(path); err != nil {
			return err
		}
	}
	return r.do(c, func() error { return nil })
}

type handle struct {
	disk.Handle
	r    *Recorder
	path string
	at   int64
}

func (h *handle) Write(p []byte) (n int, err error) {
	err = h.r.do(change{kind: "write", path: h.r.split(h.path), data: bytes.Clone(p), at: h.at}, func() (err error) {
		n, err = h.Handle.Write(p)
		return err
	})
	h.at += int64(n)
	return n, err
}

// Sync does not wait for the true disk.
func (h *handle) Sync() error { return h.r.Sync(h.path) }

type node struct {
	folder bool
	perm   fs.FileMode

	content []byte // as the kernel has it
	synced  []byte // as the disk has it
	dirty   bool

	names   map[string]*node // as the kernel has them
	durable map[string]*node // as the disk has them
	pending []entries        // what the disk has not got yet
}

// entries are names set in one step; nil is a name that is gone.
type entries map[string]*node

func newFolder() *node {
	return &node{folder: true, perm: 0o755, names: map[string]*node{}, durable: map[string]*node{}}
}

func (n *node) set(e entries) {
	apply(n.names, e)
	n.pending = append(n.pending, e)
}

// setBoth sets names in two folders, in one step if the folders are the same.
func setBoth(a *node, first entries, b *node, second entries) {
	if a == b {
		maps.Copy(second, first)
	} else {
		a.set(first)
	}
	b.set(second)
}

func apply(names map[string]*node, e entries) {
	for name, to := range e {
		if to == nil {
			delete(names, name)
		} else {
			names[name] = to
		}
	}
}

// load reads a tree as one that is durable.
func load(path string) (*node, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.IsDir() {
		body, err := os.ReadFile(path)
		return &node{content: body, synced: body, perm: st.Mode().Perm()}, err
	}
	n := newFolder()
	list, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		child, err := load(filepath.Join(path, e.Name()))
		if err != nil {
			return nil, err
		}
		n.names[e.Name()], n.durable[e.Name()] = child, child
	}
	return n, nil
}

// find walks to a node; nil when it is not known.
func (n *node) find(path []string) *node {
	for _, name := range path {
		if n == nil {
			return nil
		}
		n = n.names[name]
	}
	return n
}

// folderOf finds the folder of a path. Those that another program made come into being here, with names that are not durable.
func (n *node) folderOf(path []string) (*node, string) {
	for _, name := range path[:len(path)-1] {
		next := n.names[name]
		if next == nil {
			next = newFolder()
			n.set(entries{name: next})
		}
		n = next
	}
	return n, path[len(path)-1]
}

func (root *node) do(c *change) {
	switch c.kind {
	case "create":
		dir, name := root.folderOf(c.path)
		if f := dir.names[name]; f != nil {
			f.content, f.dirty = nil, true
			return
		}
		dir.set(entries{name: {perm: c.perm, dirty: true}})
	case "write":
		f := root.find(c.path)
		f.content = append(f.content[:c.at:c.at], c.data...)
		f.dirty = true
	case "see", "sync file":
		dir, name := root.folderOf(c.path)
		f := dir.names[name]
		if f == nil {
			f = &node{perm: 0o644}
			dir.set(entries{name: f})
		}
		if !bytes.Equal(f.content, c.data) || f.content == nil {
			f.content, f.dirty = c.data, true
		}
		if c.kind == "sync file" {
			f.synced, f.dirty = f.content, false
		}
	case "mkdir":
		dir, name := root.folderOf(c.path)
		dir.set(entries{name: newFolder()})
	case "rename":
		from, old := root.folderOf(c.path)
		to, name := root.folderOf(c.to)
		setBoth(to, entries{name: from.names[old]}, from, entries{old: nil})
	case "exchange":
		a, x := root.folderOf(c.path)
		b, y := root.folderOf(c.to)
		setBoth(a, entries{x: b.names[y]}, b, entries{y: a.names[x]})
	case "link":
		from, old := root.folderOf(c.path)
		to, name := root.folderOf(c.to)
		to.set(entries{name: from.names[old]})
	case "remove":
		dir, name := root.folderOf(c.path)
		if dir.names[name] != nil { // else it was never known
			dir.set(entries{name: nil})
		}
	case "sync":
		dir := root.find(c.path)
		if dir == nil {
			parent, name := root.folderOf(c.path)
			dir = newFolder()
			parent.set(entries{name: dir})
		}
		for _, e := range dir.pending {
			apply(dir.durable, e)
		}
		dir.pending = nil
	default:
		panic("no such change: " + c.kind)
	}
}

func (n *node) copy() *node {
	m := *n
	if n.folder {
		m.names, m.durable = map[string]*node{}, map[string]*node{}
		for name, child := range n.names {
			c := child.copy()
			m.names[name], m.durable[name] = c, c
		}
	}
	return &m
}

// What may become of content that was not synced.
const (
	lost = iota
	there
	halved
	zeros
	fates
)

// fate says what of the pending things a power cut left: names by their folder and number, and the content of files.
type fate struct {
	name    func(folder *node, i int) bool
	content func(file *node) int
}

// tree is what is found after a power cut: contents by path, folders ending in a slash.
type tree map[string]found

type found struct {
	content []byte
	perm    fs.FileMode
}

func (n *node) left(path string, f fate, into tree, depth int) {
	if depth > 20 {
		return // a folder that was moved into itself by names that were lost
	}
	if !n.folder {
		body := n.content
		if n.dirty {
			switch f.content(n) {
			case lost:
				body = n.synced
			case halved:
				body = body[:len(body)/2]
			case zeros:
				body = make([]byte, len(body))
			}
		}
		into[path] = found{body, n.perm}
		return
	}
	into[path+"/"] = found{perm: n.perm}
	names := maps.Clone(n.durable)
	for i, e := range n.pending {
		if f.name(n, i) {
			apply(names, e)
		}
	}
	for name, child := range names {
		child.left(path+"/"+name, f, into, depth+1)
	}
}

func (t tree) digest() [sha256.Size]byte {
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(h, "%q %d ", path, len(t[path].content))
		h.Write(t[path].content)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// lay makes a folder that holds one tree hold another. Only what differs is written: most trees differ in a file or two.
func (t tree) lay(dir string, before tree) error {
	for _, path := range slices.Backward(slices.Sorted(maps.Keys(before))) {
		if _, ok := t[path]; ok {
			continue
		}
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(path))); err != nil {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(t)) {
		if old, ok := before[path]; ok && old.perm == t[path].perm && bytes.Equal(old.content, t[path].content) {
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(path))
		var err error
		if strings.HasSuffix(path, "/") {
			err = os.MkdirAll(to, 0o755)
		} else {
			err = os.WriteFile(to, t[path].content, t[path].perm)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// uncertain are the names and contents that the disk has not got for sure.
func (root *node) uncertain() (names []name, files []*node) {
	seen := map[*node]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if n.dirty {
			files = append(files, n)
		}
		for i, e := range n.pending {
			names = append(names, name{n, i})
			for _, k := range slices.Sorted(maps.Keys(e)) {
				walk(e[k])
			}
		}
		for _, k := range slices.Sorted(maps.Keys(n.durable)) {
			walk(n.durable[k])
		}
	}
	walk(root)
	return names, files
}

// few is how many of the last names are kept or lost one by one.
const few = 6

type name struct {
	folder *node
	i      int
}

// fatesOf are the ways in which a power cut may go: nothing of what is pending is kept, all of it, each name alone, all names
// but one, with each fate of the contents, and a number of ways drawn by lot.
func fatesOf(names []name, files []*node, lots *rand.Rand) (list []fate) {
	add := func(kept map[name]bool, rest bool, content func(*node) int) {
		list = append(list, fate{func(folder *node, i int) bool {
			if k, ok := kept[name{folder, i}]; ok {
				return k
			}
			return rest
		}, content})
	}
	for c := range fates {
		same := func(*node) int { return c }
		add(nil, false, same)
		add(nil, true, same)
		if c != there && len(files) == 0 {
			continue // the contents are all durable
		}
		for i, n := range names {
			if len(names) > few && i < len(names)-few {
				continue // the lots know them
			}
			add(map[name]bool{n: true}, false, same)
			add(map[name]bool{n: false}, true, same)
		}
	}
	if len(names)+len(files) > 1 {
		for range 24 {
			kept, contents := map[name]bool{}, map[*node]int{}
			for _, n := range names {
				kept[n] = lots.IntN(2) == 0
			}
			for _, f := range files {
				contents[f] = lots.IntN(fates)
			}
			add(kept, false, func(f *node) int { return contents[f] })
		}
	}
	return list
}

// Each stops recording, cuts the power before the first change and after each of them, and shows every folder that may then be
// found to check. done says that the last change had been made, so that success was reported. The folder is only to be read.
// What check returns fails the test, with the place of the cut.
func (r *Recorder) Each(t *testing.T, check func(dir string, done bool) error) {
	t.Helper()
	r.stop()
	log := r.log
	if len(log) == 0 {
		t.Fatal("nothing was written through disk")
	}
	root := r.base.copy()
	lots := rand.New(rand.NewPCG(1, 2))
	type outcome struct {
		tree [sha256.Size]byte
		done bool
	}
	seen, states := map[outcome]bool{}, 0
	dir, laid := filepath.Join(t.TempDir(), "after"), tree{}
	for k := 0; k <= len(log); k++ {
		if k > 0 {
			root.do(&log[k-1])
		}
		names, files := root.uncertain()
		for _, f := range fatesOf(names, files, lots) {
			left := tree{}
			root.left("", f, left, 0)
			o := outcome{left.digest(), k == len(log)}
			if seen[o] {
				continue
			}
			seen[o] = true
			states++
			if err := left.lay(dir, laid); err != nil {
				t.Fatal(err)
			}
			laid = left
			if err := check(dir, o.done); err != nil {
				when := "before the first change"
				if k > 0 {
					when = fmt.Sprintf("after change %d of %d, %s", k, len(log), &log[k-1])
				}
				t.Fatalf("the power was cut %s; found are\n  %s\n%v", when, strings.Join(slices.Sorted(maps.Keys(left)), "\n  "), err)
			}
		}
	}
	t.Logf("%d changes, %d states after a power cut", len(log), states)
}
