package irs990

import (
	"bytes"
	"cmp"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Bounds on what one return can make a Reader hold.
const (
	MaxText     = 32 << 10 // bytes of one text value; longer ones are cut there
	MaxPrograms = 64       // program texts kept per return
	maxStates   = 128
	maxRecord   = 1 << 20 // bytes of all the values of one list item
	maxInterned = 1 << 12
)

// Reader reads returns. It keeps its buffers between returns, so one Reader per worker reads any number of
// them without allocating per line. It is not safe for concurrent use.
type Reader struct {
	scanner
	ret  *Return
	sink *Sink

	arena   []byte // the values of the item being read
	used    int    // bytes handed out of arenas since the item began
	scratch []byte // a value being unescaped
	interns map[string]string

	// The item being read, and values that its record has no field for.
	grant              Grant
	person             Person
	holding, second    Holding
	related            Related
	application        Application
	aside              Aside
	benefits, expenses Amount
	abroad             bool // the item has a foreign address group

	once
}

// once holds values that a return may state in several places, until finish chooses one.
type once struct {
	mission, purpose     string // 990 Part III, 990-EZ
	netAssets, assetsFMV Amount // where the balance sheet repeats a line
	income               [3]Amount
	addends              addends
}

func NewReader() *Reader { return &Reader{interns: make(map[string]string)} }

// Read reads one return from r to its end. It resets ret and fills it, calling the sink for every item of
// every list in the order of the document; a nil sink only tallies. The strings of Return belong to the
// caller; strings passed to the sink are only valid during the call.
//
// A document that is damaged or not a return gives a *FormatError. By then the sink has received the items
// before the damage, so a caller that needs all or nothing must hold the items back until Read returns.
func (rd *Reader) Read(r io.Reader, ret *Return, sink *Sink) error {
	if sink == nil {
		sink = &Sink{}
	}
	*ret = Return{Programs: ret.Programs[:0], States: ret.States[:0]}
	rd.reset(r)
	rd.ret, rd.sink = ret, sink
	rd.once = once{}
	rd.release()
	err := rd.run()
	rd.finish()
	rd.ret, rd.sink, rd.src = nil, nil, nil
	return err
}

// run is the state machine: the innermost frame's node says what the next element means.
func (rd *Reader) run() error {
	if err := rd.prologue(); err != nil {
		return err
	}
	done := false // the root element has closed
	for {
		if rd.end-rd.pos < lookahead && !rd.eof {
			if err := rd.fill(); err != nil {
				return err
			}
		}
		body := rd.buf[rd.pos:rd.end]
		i := bytes.IndexByte(body, '<')
		if i != 0 {
			piece := body
			if i > 0 {
				piece = body[:i]
			}
			if len(rd.frames) > 0 {
				rd.gather(piece)
			} else if !blank(piece) {
				return rd.stray(piece)
			}
			rd.pos += len(piece)
			if i < 0 {
				if !rd.eof {
					continue
				}
				return rd.ended(done)
			}
		}
		if rd.end-rd.pos < 2 {
			if err := rd.more("a tag"); err != nil {
				return err
			}
			continue
		}
		var err error
		switch rd.buf[rd.pos+1] {
		case '/':
			err = rd.closeTag()
			done = len(rd.frames) == 0
		case '!':
			err = rd.declaration()
		case '?':
			err = rd.instruction()
		default:
			if done {
				return rd.fail(rd.pos, "a second document follows the return")
			}
			err = rd.openTag()
			done = len(rd.frames) == 0
		}
		if err != nil {
			return err
		}
	}
}

// ended reports an error if the input ended before the return was complete.
func (rd *Reader) ended(done bool) error {
	if n := len(rd.frames); n > 0 {
		return rd.fail(rd.end, "the document ends before </%s>", quoted(rd.names[rd.frames[n-1].name:]))
	}
	if !done {
		return rd.fail(rd.end, "the document has no elements")
	}
	return nil
}

func (rd *Reader) stray(piece []byte) error {
	if rd.base+int64(rd.pos) < 4 {
		return rd.fail(rd.pos, "it begins with %q and is not XML", quoted(bytes.TrimSpace(piece)))
	}
	return rd.fail(rd.pos, "text outside the return: %q", quoted(bytes.TrimSpace(piece)))
}

// openTag reads a start tag. The common case is a leaf that is entirely in the
// window, <Name>text</Name>. It is handled here, without the stack.
func (rd *Reader) openTag() error {
	tag, plain, err := rd.tagEnd()
	if err != nil {
		return err
	}
	next := rd.pos + 1 + len(tag) + 1
	name, attrs, empty := tag, []byte(nil), false
	if !plain {
		if name, attrs, empty, err = rd.splitTag(tag); err != nil {
			return err
		}
	}
	if len(name) > maxName {
		return rd.fail(rd.pos, "an element name is longer than %d bytes", maxName)
	}
	meaning := skip
	if n := len(rd.frames); n > 0 {
		if parent := rd.frames[n-1].node; parent != skip {
			meaning = parent.find(local(name))
		}
	} else if string(local(name)) == "Return" {
		meaning = root
	} else {
		return rd.fail(rd.pos, "the root element is <%s>, not <Return>", quoted(name))
	}
	if meaning.open != nil {
		if other := meaning.open(rd, attrs); other != nil {
			meaning = other
		}
	}
	if empty {
		rd.pos = next
		return rd.leave(meaning, nil)
	}
	body := rd.buf[next:rd.end]
	if i := bytes.IndexByte(body, '<'); i >= 0 && i <= MaxText {
		after := body[i:]
		if n := len(name); len(after) > n+2 && after[1] == '/' && after[n+2] == '>' && string(after[2:n+2]) == string(name) {
			rd.pos = next + i + n + 3
			return rd.leave(meaning, body[:i])
		}
	}
	err = rd.push(name, meaning)
	rd.pos = next
	return err
}

func (rd *Reader) splitTag(tag []byte) (name, attrs []byte, empty bool, err error) {
	if n := len(tag); n > 0 && tag[n-1] == '/' {
		tag, empty = tag[:n-1], true
	}
	i := 0
	for i < len(tag) && nameByte[tag[i]] {
		i++
	}
	if i == 0 || i < len(tag) && !isSpace[tag[i]] {
		return nil, nil, false, rd.fail(rd.pos, "malformed tag <%s>", quoted(tag))
	}
	return tag[:i], tag[i:], empty, nil
}

// closeTag reads an end tag and checks that it matches the open element.
func (rd *Reader) closeTag() error {
	var tag []byte
	for {
		i := bytes.IndexByte(rd.buf[rd.pos:rd.end], '>')
		if i >= 0 {
			tag = rd.buf[rd.pos+2 : rd.pos+i]
			break
		}
		if err := rd.more("a tag"); err != nil {
			return err
		}
	}
	top := len(rd.frames) - 1
	if top < 0 {
		return rd.fail(rd.pos, "</%s> ends nothing", quoted(tag))
	}
	f := rd.frames[top]
	name := rd.names[f.name:]
	if !bytes.HasPrefix(tag, name) || !blank(tag[len(name):]) {
		return rd.fail(rd.pos, "</%s> where </%s> was due", quoted(tag), quoted(name))
	}
	rd.pos += len(tag) + 3
	rd.frames, rd.names = rd.frames[:top], rd.names[:f.name]
	var text []byte
	if f.text >= 0 {
		text = rd.text[f.text:]
	}
	err := rd.leave(f.node, text)
	if f.text >= 0 {
		rd.text = rd.text[:f.text]
	}
	return err
}

// declaration reads markup that begins with <!: comments and character data. It
// refuses a document type, so a document cannot declare entities.
func (rd *Reader) declaration() error {
	if rd.end-rd.pos < 9 && !rd.eof {
		if err := rd.fill(); err != nil {
			return err
		}
	}
	body := rd.buf[rd.pos:rd.end]
	switch {
	case bytes.HasPrefix(body, []byte("<!--")):
		return rd.skipPast(4, "-->", "a comment", nil)
	case bytes.HasPrefix(body, []byte("<![CDATA[")):
		if len(rd.frames) == 0 {
			return rd.fail(rd.pos, "character data outside the return")
		}
		return rd.skipPast(9, "]]>", "character data", rd.literal)
	case bytes.HasPrefix(body, []byte("<!DOCTYPE")):
		return rd.fail(rd.pos, "a document type declaration is not accepted")
	}
	return rd.fail(rd.pos, "malformed declaration %q", quoted(body[:min(len(body), 12)]))
}

// literal gathers character data, in which an ampersand is an ampersand.
func (rd *Reader) literal(piece []byte) {
	for {
		i := bytes.IndexByte(piece, '&')
		if i < 0 {
			rd.gather(piece)
			return
		}
		rd.gather(piece[:i])
		rd.gather([]byte("&amp;"))
		piece = piece[i+1:]
	}
}

func (rd *Reader) leave(n *node, text []byte) error {
	switch {
	case n == skip:
		return nil
	case n.text != nil:
		if v, ok := rd.value(text); !ok {
			return rd.fail(rd.pos, "the values of one list item are longer than %d bytes", maxRecord)
		} else if v != "" {
			n.text(rd, v)
		}
	case n.amount != nil:
		if a := n.amount(rd); !a.Set {
			*a = parseAmount(rd.plain(text))
		}
	case n.mark != nil:
		if marked(rd.plain(text)) {
			*n.mark(rd) = true
		}
	case n.close != nil:
		return n.close(rd)
	}
	return nil
}

// plain resolves the references in an amount or a check mark. Values without
// references, nearly all of them, are returned without a copy.
func (rd *Reader) plain(raw []byte) []byte {
	if bytes.IndexByte(raw, '&') < 0 {
		return raw
	}
	rd.scratch = unescape(rd.scratch[:0], raw)
	return rd.scratch
}

// value makes a string of a raw text: trimmed, entities resolved, valid UTF-8,
// cut to MaxText. It is in the arena and valid until release.
func (rd *Reader) value(raw []byte) (v string, ok bool) {
	cut := len(raw) > MaxText
	if cut {
		raw = wholeReferences(raw[:MaxText])
	}
	for len(raw) > 0 && isSpace[raw[0]] {
		raw = raw[1:]
	}
	for len(raw) > 0 && isSpace[raw[len(raw)-1]] {
		raw = raw[:len(raw)-1]
	}
	if len(raw) == 0 {
		return "", true
	}
	for _, c := range raw {
		if !plainByte[c] {
			rd.scratch = bytes.TrimSpace(unescape(rd.scratch[:0], raw))
			raw = rd.scratch
			break
		}
	}
	// Replacing invalid UTF-8 may have made the value longer again.
	if len(raw) > MaxText {
		cut = true
		n := MaxText
		for n > 0 && !utf8.RuneStart(raw[n]) {
			n--
		}
		raw = raw[:n]
	}
	if cut {
		rd.ret.Cut++
	}
	if rd.used += len(raw); rd.used > maxRecord {
		return "", false
	}
	if cap(rd.arena)-len(rd.arena) < len(raw) {
		// Values already handed out keep the old block alive; it is never written to again.
		rd.arena = make([]byte, 0, max(2*cap(rd.arena), 4<<10, len(raw)))
	}
	at := len(rd.arena)
	rd.arena = append(rd.arena, raw...)
	if len(raw) == 0 {
		return "", true
	}
	return unsafe.String(&rd.arena[at], len(raw)), true
}

// release ends an item: its values may be overwritten.
func (rd *Reader) release() {
	rd.arena, rd.used, rd.abroad = rd.arena[:0], 0, false
}

// intern returns a permanent string for a value that repeats between returns.
func (rd *Reader) intern(v string) string {
	if s, ok := rd.interns[v]; ok {
		return s
	}
	s := strings.Clone(v)
	if len(s) <= 32 && len(rd.interns) < maxInterned {
		rd.interns[s] = s
	}
	return s
}

// maxAddends is the largest number of form lines that make up one figure of Books.
const maxAddends = 6

// addends holds the form lines behind each figure of Books that is a sum of several lines. They are summed
// when the return ends: a line that was filed twice counts once, and a line that was not filed adds nothing.
// Each field has the name of its figure in Books.
type addends struct {
	Investments, Events                                [maxAddends]Amount
	Receivables, Securities, OtherInvestments          [maxAddends]Amount
	OtherAssets, Debt, OtherLiabilities, RestrictedNet [maxAddends]Amount
}

var summed = func() (list [][2]field) {
	for f := range reflect.TypeFor[addends]().Fields() {
		list = append(list, [2]field{fieldAt("addends." + f.Name), fieldAt("Books." + f.Name)})
	}
	return list
}()

func (a Amount) add(b Amount) Amount {
	if !b.Set {
		return a
	}
	return Amount{Value: a.Value + b.Value, Set: true}
}

// finish settles the fields that can come from more than one place.
func (rd *Reader) finish() {
	r := rd.ret
	r.Mission = cmp.Or(rd.mission, r.Activity, rd.purpose)
	r.Money.NetAssets = r.Money.NetAssets.Or(rd.netAssets)
	r.Money.AssetsFMV = r.Money.AssetsFMV.Or(rd.assetsFMV)
	for _, a := range rd.income {
		r.Money.InvestmentIncome = r.Money.InvestmentIncome.add(a)
	}
	r.Money.GrantsPaid = r.Money.GrantsPaid.Or(r.Declared.PFPaidCharity).Or(r.Declared.PFPaidBooks)
	rd.finishBooks()
}

// finishBooks sums the figures that several lines make up, and copies lines that were read for other figures.
func (rd *Reader) finishBooks() {
	r, b := rd.ret, &rd.ret.Books
	switch r.Form {
	case "990EZ", "990EO":
		rd.addends.Investments[0] = r.Money.InvestmentIncome
		b.OtherIncome = r.Money.OtherIncome
	case "990PF":
		copy(rd.addends.Investments[:], rd.income[:2])
		b.AssetSales, b.OtherIncome = rd.income[2], r.Money.OtherIncome
	}
	for _, s := range summed {
		total := (*Amount)(s[1].at(rd))
		for _, a := range (*[maxAddends]Amount)(s[0].at(rd)) {
			*total = total.add(a)
		}
	}
}
