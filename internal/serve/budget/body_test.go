package budget

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/fault"
)

// slow is a body that says when it is waited for and sends when it is told to.
type slow struct {
	asked chan<- struct{}
	send  <-chan string
}

func (s slow) Read(b []byte) (int, error) {
	s.asked <- struct{}{}
	text, ok := <-s.send
	if !ok {
		return 0, io.EOF
	}
	return copy(b, text), nil
}

func busySlug(err error) bool {
	f, ok := fault.Of(err)
	return ok && f.Slug == Busy
}

// TestSilentBodies announces bodies and sends nothing: they have no memory, and one
// network has few of them.
func TestSilentBodies(t *testing.T) {
	t.Parallel()
	b := New(256<<20, Options{Timer: over})
	asked, send, done := make(chan struct{}), make(chan string), make(chan error)
	read := func(address string, body io.Reader) error {
		_, hold, err := b.ReadBody(httptest.NewRequest("POST", "/", body), Sender{Address: address}, 1<<20)
		hold.Release()
		return err
	}
	for i := range openOfOne {
		go func() { done <- read(fmt.Sprintf("2001:db8::%x", i+1), slow{asked, send}) }()
		<-asked
	}
	if held := b.Held(); held != 0 {
		t.Errorf("bodies of which nothing came hold %d bytes", held)
	}
	if err := read("2001:db8::ffff", strings.NewReader("x")); !busySlug(err) {
		t.Errorf("one more from the household: %v", err)
	}
	if err := read("2001:db8:1::1", strings.NewReader("x")); err != nil {
		t.Errorf("somebody else: %v", err)
	}
	for range openOfOne {
		send <- "x"
	}
	for range openOfOne {
		<-asked
	}
	close(send)
	for range openOfOne {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	empty(t, b)
}

// empty checks that a budget is whole after all requests.
func empty(t *testing.T, b *Budget) {
	t.Helper()
	if held := b.Held(); held != 0 {
		t.Errorf("%d bytes are held in the end", held)
	}
	for _, l := range []lane{b.intake.strangers, b.intake.known} {
		for _, a := range []*AtOnce{l.open, l.short, l.long} {
			if a.count != 0 || len(a.from) != 0 || len(a.around) != 0 {
				t.Errorf("%d are taken in the end, %v", a.count, a.from)
			}
		}
	}
}

// TestStrangersBodies sends many large bodies without a key. They cannot have what
// small requests are kept for, nor what other networks need.
func TestStrangersBodies(t *testing.T) {
	t.Parallel()
	const size = 256 << 20
	b := New(size, Options{Timer: over})
	var holds []*Hold
	read := func(address string, bytes int, account string) error {
		r := httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("x", bytes)))
		_, hold, err := b.ReadBody(r, Sender{address, account}, 2<<20)
		holds = append(holds, hold)
		return err
	}
	refused := 0
	for i := range 100 {
		if err := read(fmt.Sprintf("2001:db8::%x", i), 1<<20, ""); busySlug(err) {
			refused++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if held := b.Held(); refused < 90 || held > size/strangersPart/4 {
		t.Errorf("one household holds %d bytes, %d bodies were refused", held, refused)
	}
	for i := range 400 { // as many as it likes, from everywhere
		_ = read(fmt.Sprintf("10.%d.%d.1", i/250, i%250), 1<<20, "")
	}
	if held := b.Held(); held > size/strangersPart {
		t.Errorf("strangers hold %d bytes", held)
	}
	if err := read("192.0.2.1", 1<<10, ""); err != nil {
		t.Errorf("a small body from a network that has none: %v", err)
	}
	// Large requests take the rest; then small ones and known callers have an eighth.
	large := take(t, b, size-size/keptPart-b.Held())
	if err := read("198.51.100.1", 1<<10, ""); !busySlug(err) {
		t.Errorf("a stranger has bytes that are kept for small requests: %v", err)
	}
	if err := read("198.51.100.1", 1<<10, "a"); err != nil {
		t.Errorf("a known caller: %v", err)
	}
	take(t, b, 64<<10).Release()
	for _, h := range append(holds, large) {
		h.Release()
	}
	empty(t, b)
}

// crowd is what many clients hold of a budget whose bodies have arrived, save that
// nothing was done with them yet.
type crowd struct {
	*testing.T
	*Budget
	holds []*Hold
}

// sends reads a body of so many bytes, whose length is announced or not.
func (c *crowd) sends(from Sender, bytes int, announced bool) (ok bool) {
	c.Helper()
	r := httptest.NewRequest("POST", "/", io.LimitReader(zeros{}, int64(bytes)))
	if r.ContentLength = int64(bytes); !announced {
		r.ContentLength = -1
	}
	_, hold, err := c.ReadBody(r, from, 2<<20)
	if err != nil && !busySlug(err) {
		c.Fatal(err)
	}
	c.holds = append(c.holds, hold)
	return err == nil
}

// zeros is a body without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

func (c *crowd) leave() {
	for _, h := range c.holds {
		h.Release()
	}
	empty(c.T, c.Budget)
}

// TestVerifyingAmongLongBodies sends the PDF of a report while all the long bodies hang
// that strangers can send.
func TestVerifyingAmongLongBodies(t *testing.T) {
	t.Parallel()
	const pdf = 108_409
	for _, size := range []int64{64 << 20, 256 << 20, 1 << 30} {
		for _, announced := range []bool{true, false} {
			c := &crowd{T: t, Budget: New(size, Options{Timer: over})}
			sent := 0
			for i := range 100 {
				if c.sends(Sender{Address: fmt.Sprintf("10.0.%d.1", i)}, 2<<20-1, announced) {
					sent++
				}
			}
			if sent < 2 {
				t.Errorf("of %d bytes strangers can send %d long bodies", size, sent)
			}
			for i := range 5 {
				if !c.sends(Sender{Address: fmt.Sprintf("192.0.%d.1", i)}, pdf, announced) {
					t.Errorf("of %d bytes there are none for PDF %d beside %d long bodies", size, i+1, sent)
				}
			}
			c.leave()
		}
	}
}

// TestSigningInAmongShortBodies fills all that strangers share with short bodies of a few
// networks. Somebody else can still sign in, which is a tiny body.
func TestSigningInAmongShortBodies(t *testing.T) {
	t.Parallel()
	c := &crowd{T: t, Budget: New(256<<20, Options{Timer: over})}
	for i := range 100 {
		c.sends(Sender{Address: fmt.Sprintf("10.0.%d.1", i/4)}, short/bodyCopies, true)
	}
	if c.sends(Sender{Address: "192.0.2.1"}, short/bodyCopies, true) {
		t.Error("there is room for another short body, so this tests nothing")
	}
	for i := range 50 {
		if !c.sends(Sender{Address: "192.0.2.1"}, tiny/bodyCopies, i%2 == 0) {
			t.Error("a tiny body was refused")
		}
	}
	c.leave()
}

// TestGreedyAccounts sends as many long bodies as it can, for one account from several
// networks, and for many accounts from one network and from many. Paying callers
// elsewhere send theirs, and have memory for what they ask.
func TestGreedyAccounts(t *testing.T) {
	t.Parallel()
	const size = 256 << 20
	for name, g := range map[string]struct {
		sender func(i int) Sender
		most   int64
		long   bool // somebody else can send a long body
	}{
		"an account":    {func(i int) Sender { return Sender{fmt.Sprintf("10.0.%d.1", i%3), "a"} }, size / knownPart / 4, true},
		"an office":     {func(i int) Sender { return Sender{"10.0.0.1", fmt.Sprint(i)} }, size / knownPart / 2, true},
		"many accounts": {func(i int) Sender { return Sender{fmt.Sprintf("10.0.%d.1", i), fmt.Sprint(i)} }, size / knownPart, false},
		"strangers":     {func(i int) Sender { return Sender{fmt.Sprintf("10.0.%d.1", i), ""} }, size / strangersPart, true},
	} {
		c := &crowd{T: t, Budget: New(size, Options{Timer: over})}
		for i := range 96 {
			c.sends(g.sender(i), 1<<20, true)
		}
		if held := c.Held(); held > g.most || held < g.most*3/4 {
			t.Errorf("%s: long bodies hold %d bytes of %d", name, held, g.most)
		}
		for i := range 200 { // and short ones
			c.sends(g.sender(i), 128<<10, i%2 == 0)
		}
		if held := c.Held(); held > g.most+size/shortPart {
			t.Errorf("%s: all bodies hold %d bytes", name, held)
		}
		if g.long && !c.sends(Sender{"198.51.100.1", "other"}, 1<<20, true) {
			t.Errorf("%s: somebody else cannot send a long body", name)
		}
		c.holds = append(c.holds, take(t, c.Budget, 64<<20)) // as a SQL statement does
		c.holds = append(c.holds, take(t, c.Budget, size*7/8-c.Held()))
		for range 8 {
			c.holds = append(c.holds, take(t, c.Budget, size/smallPart))
		}
		if name != "many accounts" && !c.sends(Sender{"198.51.100.1", "other"}, 1<<10, true) {
			t.Errorf("%s: somebody else cannot send a short body", name)
		}
		c.leave()
	}
}

// TestPlacesOfKnownCallers has strangers everywhere take all places that they have,
// and send nothing. A known caller still has a place.
func TestPlacesOfKnownCallers(t *testing.T) {
	t.Parallel()
	b := New(256<<20, Options{Timer: over})
	asked, send, done := make(chan struct{}), make(chan string), make(chan error)
	read := func(from Sender, body io.Reader) error {
		_, hold, err := b.ReadBody(httptest.NewRequest("POST", "/", body), from, 1<<20)
		hold.Release()
		return err
	}
	for i := range openBodies {
		go func() { done <- read(Sender{Address: fmt.Sprintf("2001:db8:%x::1", i)}, slow{asked, send}) }()
		<-asked
	}
	if err := read(Sender{Address: "192.0.2.1"}, strings.NewReader("x")); !busySlug(err) {
		t.Errorf("one more stranger: %v", err)
	}
	if err := read(Sender{"192.0.2.1", "a"}, strings.NewReader("x")); err != nil {
		t.Errorf("a known caller: %v", err)
	}
	close(send)
	for range openBodies {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	empty(t, b)
}

// TestReadBody reads bodies that are too long and bodies that break off.
func TestReadBody(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, b := range []*Budget{nil, New(64<<20, Options{})} {
		for _, c := range []struct {
			body io.Reader
			want string
			err  error
		}{
			{strings.NewReader("12345"), "12345", nil},
			{strings.NewReader("123456"), "", &http.MaxBytesError{Limit: 5}},
			{io.MultiReader(strings.NewReader("12"), errReader{broken}), "", broken},
			{http.NoBody, "", nil},
		} {
			got, hold, err := b.ReadBody(httptest.NewRequest("POST", "/", c.body), Sender{}, 5)
			if err == nil && string(got) != c.want || fmt.Sprint(err) != fmt.Sprint(c.err) {
				t.Errorf("%q, %v, want %q, %v", got, err, c.want, c.err)
			}
			hold.Release()
			if b.Held() != 0 {
				t.Errorf("%d bytes are held in the end", b.Held())
			}
		}
	}
}

type errReader struct{ error }

func (e errReader) Read([]byte) (int, error) { return 0, e.error }

// deadlines is a connection that remembers its deadline.
type deadlines struct {
	http.ResponseWriter
	at time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error { d.at = at; return nil }

// TestPace checks that the deadline of a body moves with its bytes, and that there is
// none once the body has arrived.
func TestPace(t *testing.T) {
	t.Parallel()
	conn := &deadlines{ResponseWriter: httptest.NewRecorder()}
	Pace(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		first := conn.at
		if left := time.Until(first); left <= 0 || left > bodyPause {
			t.Errorf("a body of which nothing came has %v", left)
		}
		if _, err := io.ReadFull(r.Body, make([]byte, 10*bodyRate)); err != nil {
			t.Error(err)
		}
		if more := conn.at.Sub(first); more < 10*time.Second {
			t.Errorf("%d bytes have earned only %v", 10*bodyRate, more)
		}
		if _, err := io.ReadAll(r.Body); err != nil || !conn.at.IsZero() {
			t.Errorf("after the body the deadline is %v: %v", conn.at, err)
		}
	})).ServeHTTP(conn, httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("x", 10*bodyRate+1))))
	if patience(1<<40) != bodyLongest || patience(0) != bodyPause {
		t.Error(patience(1<<40), patience(0))
	}
}
