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
	if b.Held() != 0 || b.intake.open.count != 0 || b.intake.strangers.count != 0 {
		t.Errorf("%d bytes are held in the end", b.Held())
	}
}

// TestStrangersBodies sends many large bodies without a key. They cannot have what
// small requests are kept for, nor what other networks need.
func TestStrangersBodies(t *testing.T) {
	t.Parallel()
	const size = 256 << 20
	b := New(size, Options{Timer: over})
	var holds []*Hold
	read := func(address string, bytes int, known bool) error {
		r := httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("x", bytes)))
		_, hold, err := b.ReadBody(r, Sender{address, known}, 2<<20)
		holds = append(holds, hold)
		return err
	}
	refused := 0
	for i := range 100 {
		if err := read(fmt.Sprintf("2001:db8::%x", i), 1<<20, false); busySlug(err) {
			refused++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if held := b.Held(); refused < 90 || held > size/strangersPart/4 {
		t.Errorf("one household holds %d bytes, %d bodies were refused", held, refused)
	}
	for i := range 400 { // as many as it likes, from everywhere
		_ = read(fmt.Sprintf("10.%d.%d.1", i/250, i%250), 1<<20, false)
	}
	if held := b.Held(); held > size/strangersPart {
		t.Errorf("strangers hold %d bytes", held)
	}
	if err := read("192.0.2.1", 1<<10, false); err != nil {
		t.Errorf("a small body from a network that has none: %v", err)
	}
	// Large requests take the rest; then small ones and known callers have an eighth.
	large := take(t, b, size-size/keptPart-b.Held())
	if err := read("198.51.100.1", 1<<10, false); !busySlug(err) {
		t.Errorf("a stranger has bytes that are kept for small requests: %v", err)
	}
	if err := read("198.51.100.1", 1<<10, true); err != nil {
		t.Errorf("a known caller: %v", err)
	}
	take(t, b, 64<<10).Release()
	for _, h := range append(holds, large) {
		h.Release()
	}
	if b.Held() != 0 || b.intake.strangers.count != 0 || len(b.intake.strangers.around) != 0 {
		t.Errorf("%d bytes are held in the end, of strangers %d", b.Held(), b.intake.strangers.count)
	}
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
