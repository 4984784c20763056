package deflate64

import (
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// plain hides every method of a reader but Read, so that it is buffered.
type plain struct{ io.Reader }

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 64))
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	words := func(n int) []byte {
		var b bytes.Buffer
		for b.Len() < n {
			fmt.Fprintf(&b, "<Grant><Name>Fund %d</Name><Amt>%d</Amt></Grant>\n", rng.IntN(3000), rng.IntN(90000))
		}
		return b.Bytes()[:n]
	}
	far := append(append(noise(600), noise(windowSize-600)...), []byte("end")...)
	copy(far[windowSize-1:], far[:4]) // a distance of almost the whole window
	inputs := map[string][]byte{
		"empty":      nil,
		"one byte":   {42},
		"noise":      noise(200_000),
		"words":      words(700_000),
		"run":        bytes.Repeat([]byte{'a'}, 300_000),
		"short runs": bytes.Repeat([]byte("abcabcd"), 40_000),
		"far":        append(far, far...),
		"far exact":  bytes.Repeat(noise(windowSize), 3),
	}
	for name, data := range inputs {
		for k := storedBlock; k <= mixedBlocks; k++ {
			packed := encode(data, k, rng)
			for how, r := range map[string]io.Reader{
				"buffered": plain{bytes.NewReader(packed)},
				"exact":    bytes.NewReader(packed),
				"bytewise": plain{iotest.OneByteReader(bytes.NewReader(packed))},
			} {
				got, err := io.ReadAll(NewReader(r))
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s, blocks %d, %s: %d bytes of %d, %v", name, k, how, len(got), len(data), err)
				}
			}
		}
	}
}

// TestFollows checks that an io.ByteReader is left where the stream ends.
func TestFollows(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		packed := encode([]byte("to be followed by something"), mixedBlocks, rng)
		r := bufio.NewReader(bytes.NewReader(append(packed, "tail"...)))
		if _, err := io.Copy(io.Discard, NewReader(r)); err != nil {
			t.Fatal(err)
		}
		if rest, _ := io.ReadAll(r); string(rest) != "tail" {
			t.Fatalf("the stream is followed by %q", rest)
		}
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	data := bytes.Repeat([]byte("an invented sentence, repeated. "), 4000)
	packed := encode(data, dynamicBlock, rng)
	for n := 0; n < len(packed)-1; n += 1 + n/50 {
		_, err := io.Copy(io.Discard, NewReader(plain{bytes.NewReader(packed[:n])}))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut at %d of %d: %v", n, len(packed), err)
		}
	}
	for name, stream := range map[string][]byte{
		"block type":    {0x07},
		"stored length": {0x01, 5, 0, 5, 0},
		"before start":  encodeTokens([]token{{literal: 'a'}, {length: 3, dist: 2}}),
	} {
		var damage *CorruptError
		if _, err := io.Copy(io.Discard, NewReader(bytes.NewReader(stream))); !errors.As(err, &damage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := NewReader(bytes.NewReader(packed))
	r.Close()
	if _, err := r.Read(make([]byte, 1)); err == nil {
		t.Error("reading goes on after Close")
	}
}

func encodeTokens(list []token) []byte {
	w := &bitWriter{}
	w.put(1, 1)
	w.put(2, 2)
	w.dynamic(list, rand.New(rand.NewPCG(5, 6)))
	return w.out
}

// TestForeignEncoder reads a stream that 7-Zip made (7z a -mm=Deflate64) of an
// invented text.
func TestForeignEncoder(t *testing.T) {
	t.Parallel()
	packed, err := os.ReadFile("testdata/7zip.deflate64")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(NewReader(plain{bytes.NewReader(packed)}))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != foreignText() {
		t.Errorf("unpacked to %d bytes, want %d", len(got), len(foreignText()))
	}
}

// foreignText is the text that was given to 7-Zip: lines that repeat at
// distances beyond the 32 KiB of plain Deflate, and a run beyond 258 bytes.
func foreignText() string {
	var b strings.Builder
	for round := range 3 {
		for i := range 450 {
			fmt.Fprintf(&b, "Line %d: in that year the Fund for Invented Purposes of a Town That Is Not on Any Map gave %d dollars.\n", i, (i*7919+13)%100_000)
		}
		b.WriteString(strings.Repeat("=", 70_000*round))
	}
	return b.String()
}

func FuzzReader(f *testing.F) {
	rng := rand.New(rand.NewPCG(8, 9))
	for k := storedBlock; k <= mixedBlocks; k++ {
		f.Add(encode([]byte("some text, some text, some more text"), k, rng))
	}
	var small bytes.Buffer
	w, _ := flate.NewWriter(&small, 9)
	io.WriteString(w, strings.Repeat("plain deflate is read as well, ", 6))
	w.Close()
	f.Add(small.Bytes())
	f.Fuzz(func(t *testing.T, packed []byte) {
		const limit = 1 << 20
		got, err := io.ReadAll(io.LimitReader(NewReader(bytes.NewReader(packed)), limit))
		buffered, err2 := io.ReadAll(io.LimitReader(NewReader(plain{bytes.NewReader(packed)}), limit))
		if !bytes.Equal(got, buffered) || (err == nil) != (err2 == nil) {
			t.Fatalf("%d bytes (%v) read exactly, %d bytes (%v) buffered", len(got), err, len(buffered), err2)
		}
		// A stream that plain Deflate unpacks to less than 258 bytes uses none of
		// the codes whose meaning differs.
		want, wantErr := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), limit))
		if wantErr == nil && len(want) < 258 && (err != nil || !bytes.Equal(got, want)) {
			t.Fatalf("%q (%v), plain deflate says %q", got, err, want)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 64))
	var text bytes.Buffer
	for text.Len() < 4<<20 {
		fmt.Fprintf(&text, "<RecipientBusinessName><BusinessNameLine1Txt>FUND %d</BusinessNameLine1Txt></RecipientBusinessName><Amt>%d</Amt>\n", rng.IntN(3000), rng.IntN(90000))
	}
	packed := encode(text.Bytes(), dynamicBlock, rng)
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := io.Copy(io.Discard, NewReader(plain{bytes.NewReader(packed)})); err != nil {
			b.Fatal(err)
		}
	}
}
