package irs990

import (
	"embed"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"grantgraph/internal/table"
)

// The files below schema say which elements are read and what they mean. An element that no file names is skipped. The columns:
//
//	under    the group that the element is in
//	element  its spellings in the generations of the schema, newest first, with bars between them
//	reads    how the element is read
//	into     a field of Return, or, with a small first letter, of Reader; or the name of a group
//
// How an element is read:
//
//	value, code            its text, amount or mark is kept; code is for texts that repeat between returns
//	total, end, revenue    it is a group of which one column is kept
//	name                   it is a business name, of which one line or two are kept
//	address                it is an address; a foreign address is marked as such, and the filer's address is cloned
//	group, item, form      its children are in another group; an item is passed to the sink when it ends
//	special                see specials
//	through                its children mean what they mean in the group itself
//	like                   there is no element: the group has the rows of another group as well
//
//go:embed schema
var schemaFiles embed.FS

var root = func() *node {
	s := schema{rows: map[string][]table.Row{}, used: map[string]bool{}}
	files, err := schemaFiles.ReadDir("schema")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		name := path.Join("schema", f.Name())
		text, err := schemaFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		for _, r := range table.Read(name, string(text), "under", "element", "reads", "into") {
			s.rows[r.Text("under")] = append(s.rows[r.Text("under")], r)
		}
	}
	n := s.group("Return")
	n.open = func(rd *Reader, attrs []byte) *node {
		rd.ret.Version = rd.intern(string(attribute(attrs, "returnVersion")))
		return nil
	}
	for name, rows := range s.rows {
		if !s.used[name] {
			rows[0].Fail("nothing leads to the group %s", name)
		}
	}
	return n
}()

// schema makes the tree of nodes from the rows of the files.
type schema struct {
	rows map[string][]table.Row // by group
	used map[string]bool
}

// rowsOf returns the rows of a group, including the rows of groups that it is "like".
func (s *schema) rowsOf(name string) (list []table.Row) {
	if s.rows[name] == nil {
		panic("irs990: the schema has no group " + name)
	}
	s.used[name] = true
	for _, r := range s.rows[name] {
		if r.Text("reads") == "like" {
			list = append(list, s.rowsOf(r.Text("into"))...)
		} else {
			list = append(list, r)
		}
	}
	return list
}

func (s *schema) group(name string) *node {
	children, through := map[string]*node{}, ""
	for _, r := range s.rowsOf(name) {
		if r.Text("reads") == "through" {
			through = r.Text("element")
		} else {
			children[r.Text("element")] = s.node(r)
		}
	}
	n := group(children)
	if through == "" {
		return n
	}
	inner := *n
	inner.children = maps.Clone(n.children)
	return n.with(map[string]*node{through: &inner})
}

func (s *schema) node(r table.Row) *node {
	into := r.Text("into")
	switch r.Text("reads") {
	case "value":
		return leaf(into)
	case "code":
		f := fieldAt(into)
		return lasting(func(rd *Reader, v string) { f.setText(rd, rd.intern(v)) })
	case "total":
		return group(map[string]*node{"TotalAmt|Total": leaf(into)})
	case "end":
		return group(map[string]*node{"EOYAmt|EOY": leaf(into)})
	case "revenue":
		return group(map[string]*node{"TotalRevenueColumnAmt|TotalRevenueColumn": leaf(into)})
	case "name":
		lines := map[string]*node{}
		for i, field := range strings.Fields(into) {
			lines[fmt.Sprintf("BusinessNameLine%dTxt|BusinessNameLine%[1]d", i+1)] = leaf(field)
		}
		return group(lines)
	case "address":
		return s.address(into)
	case "foreign address":
		n := s.address(into)
		n.open = func(rd *Reader, _ []byte) *node { rd.abroad = true; return nil }
		return n
	case "filer address":
		n := s.address(into)
		n.close = (*Reader).keepAddress
		return n
	case "group":
		return s.group(into)
	case "item":
		return item(s.group(into), into)
	case "form":
		return mainForm(into, s.group(into))
	case "special":
		if specials[into] != nil {
			return specials[into]
		}
	}
	r.Fail("it is not known how to read %s into %s", r.Text("reads"), into)
	return nil
}

// address makes the group of an address. Its texts stay in the arena.
func (s *schema) address(into string) *node {
	children := map[string]*node{}
	for _, r := range s.rowsOf("address") {
		f := fieldAt(into + "." + r.Text("into"))
		children[r.Text("element")] = &node{text: f.setText}
	}
	return group(children)
}

// keepAddress clones the texts of the filer's address, so that they outlive the arena.
func (rd *Reader) keepAddress() error {
	a := &rd.ret.Address
	for _, p := range []*string{&a.Line1, &a.Line2, &a.City, &a.ZIP, &a.Province} {
		*p = strings.Clone(*p)
	}
	a.State, a.Country = rd.intern(a.State), rd.intern(a.Country)
	rd.release()
	return nil
}

// field is a place in a Reader, or in the Return that it fills.
type field struct {
	inReturn bool
	offset   uintptr
	kind     reflect.Type
}

// fieldAt finds a field by its path: names of fields, and places in arrays.
func fieldAt(path string) field {
	f := field{kind: reflect.TypeFor[Reader]()}
	if f.inReturn = path[0] < 'a'; f.inReturn {
		f.kind = reflect.TypeFor[Return]()
	}
	for name := range strings.SplitSeq(path, ".") {
		if f.kind.Kind() == reflect.Array {
			i, err := strconv.Atoi(name)
			if err != nil || i >= f.kind.Len() {
				panic("irs990: the schema names the field " + path)
			}
			f.kind = f.kind.Elem()
			f.offset += uintptr(i) * f.kind.Size()
			continue
		}
		found, ok := f.kind.FieldByName(name)
		if !ok {
			panic("irs990: the schema names the field " + path)
		}
		for _, i := range found.Index {
			inner := f.kind.Field(i)
			f.kind, f.offset = inner.Type, f.offset+inner.Offset
		}
	}
	return f
}

func (f field) at(rd *Reader) unsafe.Pointer {
	if f.inReturn {
		return unsafe.Add(unsafe.Pointer(rd.ret), f.offset)
	}
	return unsafe.Add(unsafe.Pointer(rd), f.offset)
}

// setText sets a text. The first one filed wins, as it does for every field.
func (f field) setText(rd *Reader, v string) {
	if p := (*string)(f.at(rd)); *p == "" {
		*p = v
	}
}

// leaf reads a value into a field. A text of an item stays in the arena until the item ends; a text of the Return is cloned.
func leaf(path string) *node {
	f := fieldAt(path)
	switch f.kind {
	case reflect.TypeFor[Amount]():
		return &node{amount: func(rd *Reader) *Amount { return (*Amount)(f.at(rd)) }}
	case reflect.TypeFor[bool]():
		return &node{mark: func(rd *Reader) *bool { return (*bool)(f.at(rd)) }}
	case reflect.TypeFor[string]():
		if !f.inReturn {
			return &node{text: f.setText}
		}
		return lasting(func(rd *Reader, v string) {
			if p := (*string)(f.at(rd)); *p == "" {
				*p = strings.Clone(v)
			}
		})
	}
	panic("irs990: the schema reads a value into " + path)
}

// lasting reads a text outside list items. set copies what it keeps, because the value is released right after.
func lasting(set func(rd *Reader, v string)) *node {
	return &node{text: func(rd *Reader, v string) {
		set(rd, v)
		rd.release()
	}}
}

// specials are the elements that need code instead of just a field.
var specials = map[string]*node{
	"mission": lasting(func(rd *Reader, v string) { rd.mission = strings.Clone(v) }),
	"purpose": lasting(func(rd *Reader, v string) { rd.purpose = strings.Clone(v) }),
	"program": lasting(func(rd *Reader, v string) {
		if len(rd.ret.Programs) < MaxPrograms {
			rd.ret.Programs = append(rd.ret.Programs, strings.Clone(v))
		}
	}),
	"state": lasting(func(rd *Reader, v string) {
		if len(rd.ret.States) < maxStates {
			rd.ret.States = append(rd.ret.States, rd.intern(v))
		}
	}),
	"501c3": lasting(func(rd *Reader, v string) {
		if rd.ret.Subsection == "" && marked([]byte(v)) {
			rd.ret.Subsection = "3"
		}
	}),
	"501c": {open: func(rd *Reader, attrs []byte) *node {
		if rd.ret.Subsection != "" {
			return nil
		}
		for _, name := range [...]string{"organization501cTypeTxt", "typeOf501cOrganization"} {
			if v := attribute(attrs, name); len(v) > 0 && len(v) <= 8 {
				rd.ret.Subsection = rd.intern(string(v))
			}
		}
		return nil
	}},
	"501c_990t": lasting(func(rd *Reader, v string) {
		if rd.ret.Subsection == "" {
			rd.ret.Subsection = rd.intern(strings.Trim(v, "cC()"))
		}
	}),
}

// mainForm guards a form of the series: a return may carry several (a 990 and a 990-T), and only the form
// that the header names is read. If the header names no form, or an unknown one, every form is read.
func mainForm(name string, n *node) *node {
	n.open = func(rd *Reader, _ []byte) *node {
		switch form := rd.ret.Form; {
		case form == "":
			rd.ret.Form = name
		case form != name && knownForm(form) && !(form == "990O" && name == "990") && !(form == "990EO" && name == "990EZ"):
			return skip
		}
		return nil
	}
	return n
}

func knownForm(form string) bool {
	return slices.Contains([]string{"990", "990EZ", "990PF", "990T", "990O", "990EO"}, form)
}

// node is the meaning of an element in its place. A group has children and may act when it opens or closes; a
// leaf reads its text. An element that no table names gets the skip node, and so do all its children.
type node struct {
	open   func(rd *Reader, attrs []byte) *node // nil result: carry on with this node
	close  func(rd *Reader) error
	text   func(rd *Reader, v string) // v is valid until the record ends
	amount func(rd *Reader) *Amount
	mark   func(rd *Reader) *bool

	children map[string]*node
	// The children as a hash table without collisions, so that a lookup takes one probe. The multiplier was
	// chosen so that no two names of this group share a slot.
	slots []slot
	mult  uint64
	shift uint8
}

type slot struct {
	name string
	node *node
}

var skip = &node{}

func (n *node) hasValue() bool { return n.text != nil || n.amount != nil || n.mark != nil }

// find returns the meaning of a child element, or skip if the child has no meaning here.
func (n *node) find(name []byte) *node {
	if len(n.slots) == 0 {
		return skip
	}
	s := &n.slots[n.slot(digest(name))]
	if s.name == string(name) {
		return s.node
	}
	return skip
}

func (n *node) slot(d uint64) uint64 { return (d * n.mult) >> n.shift }

// digest folds a name into a word: its ends, its middle and its length. The
// names of the schema differ in one of these within any group.
func digest(name []byte) uint64 {
	l := len(name)
	if l >= 8 {
		return binary.LittleEndian.Uint64(name) ^
			bits.RotateLeft64(binary.LittleEndian.Uint64(name[l-8:]), 23) ^
			bits.RotateLeft64(binary.LittleEndian.Uint64(name[(l-8)/2:]), 41) ^ uint64(l)
	}
	var d uint64
	for _, c := range name {
		d = d<<8 | uint64(c)
	}
	return d ^ uint64(l)
}

// group makes a node from its children. A key may name several spellings, separated by bars: the generations
// of the schema differ in spelling only, and never give one spelling two meanings under the same parent.
func group(children map[string]*node) *node {
	return (&node{}).with(children)
}

func (n *node) with(children map[string]*node) *node {
	if n.children == nil {
		n.children = make(map[string]*node)
	}
	for names, child := range children {
		for name := range strings.SplitSeq(names, "|") {
			if n.children[name] != nil {
				panic(fmt.Sprintf("irs990: the element %s has two meanings under one parent", name))
			}
			n.children[name] = child
		}
	}
	n.index()
	return n
}

// index finds a multiplier that spreads the children without collision, and fills the table with it.
func (n *node) index() {
	digests := make([]uint64, 0, len(n.children))
	for name := range n.children {
		digests = append(digests, digest([]byte(name)))
	}
	size := n.spread(digests)
	n.slots = slices.Repeat([]slot{{node: skip}}, size)
	for name, child := range n.children {
		n.slots[n.slot(digest([]byte(name)))] = slot{name, child}
	}
}

// spread sets a multiplier and a shift for which no two digests share a slot, and returns the number of slots.
func (n *node) spread(digests []uint64) (size int) {
	n.mult = 0x9e3779b97f4a7c15
	for size = 1 << bits.Len(uint(2*len(digests))); size <= 1<<16; size *= 2 {
		n.shift = uint8(64 - bits.TrailingZeros(uint(size)))
		takenAt := make([]uint8, size) // the last try that used the slot
		for try := uint8(1); try <= 200; try++ {
			clash := slices.ContainsFunc(digests, func(d uint64) bool {
				taken := &takenAt[n.slot(d)]
				if *taken == try {
					return true
				}
				*taken = try
				return false
			})
			if !clash {
				return size
			}
			n.mult = n.mult*6364136223846793005 + 1442695040888963407 | 1
		}
	}
	panic("irs990: two names of one group cannot be told apart")
}
