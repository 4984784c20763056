package archive

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"grantgraph/internal/ingest/source/archive/deflate64"
)

// document is an invented return, long enough to be packed.
func document(i int) string {
	return fmt.Sprintf("<Return><EIN>07%07d</EIN>%s</Return>", i, strings.Repeat(fmt.Sprintf("<Amt>%d</Amt>", i*31), 20+i*7))
}

func save(t testing.TB, name string, body []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string) *Archive {
	t.Helper()
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func read(m *Member) (string, error) {
	r, err := m.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	return string(b), err
}

// packed writes a zip of n documents. raw writes the sizes before the data
// instead of after it, and every third member unpacked.
func packed(t testing.TB, n int, raw bool) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for i := range n {
		name := fmt.Sprintf("batch/2024000000000000%02d_public.xml", i)
		body := []byte(document(i))
		var err error
		var w io.Writer
		switch {
		case !raw:
			w, err = z.Create(name)
		case i%3 == 0:
			w, err = z.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Store, CRC32: crc32.ChecksumIEEE(body),
				CompressedSize64: uint64(len(body)), UncompressedSize64: uint64(len(body))})
		default:
			small := deflate(t, body)
			w, err = z.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(body),
				CompressedSize64: uint64(len(small)), UncompressedSize64: uint64(len(body))})
			body = small
		}
		if err == nil {
			_, err = w.Write(body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// deflate packs a body by way of a zip of its own.
func deflate(t testing.TB, body []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	w, err := z.Create("x")
	if err == nil {
		_, err = w.Write(body)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := r.File[0].OpenRaw()
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(raw)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestMembers(t *testing.T) {
	t.Parallel()
	for _, raw := range []bool{false, true} {
		a := open(t, save(t, "x.zip", packed(t, 12, raw)))
		if len(a.Members) != 12 || len(a.Problems) != 0 || a.Repaired {
			t.Fatalf("%d members, problems %v", len(a.Members), a.Problems)
		}
		var wg sync.WaitGroup
		for i := range a.Members {
			wg.Go(func() {
				m := &a.Members[i]
				got, err := read(m)
				if err != nil || got != document(i) || m.Size != uint64(len(got)) {
					t.Errorf("%s: %d bytes, %v", m.Name, len(got), err)
				}
			})
		}
		wg.Wait()
	}
}

func TestSingleDocuments(t *testing.T) {
	t.Parallel()
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	io.WriteString(w, document(1))
	w.Close()
	for name, body := range map[string][]byte{"a.xml": []byte(document(1)), "a.xml.gz": gz.Bytes()} {
		a := open(t, save(t, name, body))
		if len(a.Members) != 1 || a.Members[0].Name != "a.xml" {
			t.Fatalf("%s: %+v", name, a.Members)
		}
		if got, err := read(&a.Members[0]); err != nil || got != document(1) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, body := range map[string]string{"empty.zip": "", "page.zip": "<html>not found</html>", "short.zip": "PK\x03\x04"} {
		if _, err := Open(save(t, name, []byte(body))); err == nil {
			t.Errorf("%s opens", name)
		}
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder opens")
	}
}

// TestDeflate64 puts a stream made by 7-Zip into a zip.
func TestDeflate64(t *testing.T) {
	t.Parallel()
	stream, err := os.ReadFile("deflate64/testdata/7zip.deflate64")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(deflate64.NewReader(bytes.NewReader(stream)))
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	w, err := z.CreateRaw(&zip.FileHeader{Name: "a.xml", Method: deflated64, CRC32: crc32.ChecksumIEEE(text),
		CompressedSize64: uint64(len(stream)), UncompressedSize64: uint64(len(text))})
	if err == nil {
		_, err = w.Write(stream)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	whole := open(t, save(t, "whole.zip", buf.Bytes()))
	headless := open(t, save(t, "headless.zip", buf.Bytes()[:localSize+5+len(stream)]))
	for _, a := range []*Archive{whole, headless} {
		if len(a.Members) != 1 {
			t.Fatalf("%d members, problems %v", len(a.Members), a.Problems)
		}
		if got, err := read(&a.Members[0]); err != nil || got != string(text) {
			t.Errorf("%d bytes of %d, %v", len(got), len(text), err)
		}
	}
}

// TestTruncated cuts a zip everywhere: whatever is listed is whole, and what
// was begun but is not whole is reported.
func TestTruncated(t *testing.T) {
	t.Parallel()
	for _, raw := range []bool{false, true} {
		body := packed(t, 9, raw)
		want := map[string]string{}
		for i := range 9 {
			want[fmt.Sprintf("batch/2024000000000000%02d_public.xml", i)] = document(i)
		}
		dir := t.TempDir()
		last := 0
		for cut := 1; cut < len(body); cut += 1 + cut%13 {
			path := filepath.Join(dir, "cut.zip")
			if err := os.WriteFile(path, body[:cut], 0o600); err != nil {
				t.Fatal(err)
			}
			a, err := Open(path)
			if err != nil {
				if last > 0 {
					t.Fatalf("cut at %d: %v", cut, err)
				}
				continue
			}
			if len(a.Members) < last {
				t.Fatalf("cut at %d: %d members, %d before", cut, len(a.Members), last)
			}
			last = len(a.Members)
			for i := range a.Members {
				m := &a.Members[i]
				if got, err := read(m); err != nil || got != want[m.Name] {
					t.Fatalf("cut at %d: %s: %v", cut, m.Name, err)
				}
			}
			if n := len(a.Members) + len(a.Problems); !a.Repaired || n > 9 || len(a.Problems) > 1 {
				t.Fatalf("cut at %d: repaired %v, %d members, problems %v", cut, a.Repaired, len(a.Members), a.Problems)
			}
			a.Close()
		}
		if last != 9 {
			t.Errorf("%d members before the directory, want 9", last)
		}
	}
}

// TestSizeStatedBeforehand cuts the directory off a zip whose writer put the
// unpacked size before each member though the packed size follows it.
func TestSizeStatedBeforehand(t *testing.T) {
	t.Parallel()
	body := packed(t, 3, false)
	body = body[:bytes.Index(body, directory)]
	at := 0
	for i := range 3 {
		at += bytes.Index(body[at:], localHeader)
		binary.LittleEndian.PutUint32(body[at+22:], uint32(len(document(i))))
		at += localSize
	}
	a := open(t, save(t, "x.zip", body))
	if len(a.Members) != 3 || len(a.Problems) != 0 {
		t.Fatalf("%d members, problems %v", len(a.Members), a.Problems)
	}
	for i := range a.Members {
		if got, err := read(&a.Members[i]); err != nil || got != document(i) {
			t.Errorf("%s: %d bytes, %v", a.Members[i].Name, len(got), err)
		}
	}
}

// TestDamagedMiddle destroys one member of a zip without a directory; the
// others are still found.
func TestDamagedMiddle(t *testing.T) {
	t.Parallel()
	body := packed(t, 5, false)
	end := bytes.Index(body, directory)
	second := bytes.Index(body[4:], localHeader) + 4
	copy(body[second+localSize+40:], bytes.Repeat([]byte{0xff}, 30))
	a := open(t, save(t, "x.zip", body[:end]))
	if len(a.Members) != 4 || len(a.Problems) != 1 || !strings.Contains(a.Problems[0].String(), "01_public.xml: is") {
		t.Fatalf("%d members, problems %v", len(a.Members), a.Problems)
	}
}

func TestChecksum(t *testing.T) {
	t.Parallel()
	body := packed(t, 1, true)
	body[localSize+len("batch/202400000000000000_public.xml")+3] ^= 1
	a := open(t, save(t, "x.zip", body))
	if _, err := read(&a.Members[0]); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a flipped bit reads as %v", err)
	}
}

// TestRefused lists what is in a zip but must not be read.
func TestRefused(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, h := range []zip.FileHeader{
		{Name: "folder/"},
		{Name: "readme.txt"},
		{Name: "huge.xml", Method: zip.Deflate, CompressedSize64: 10, UncompressedSize64: MaxSize + 1},
		{Name: "bomb.xml", Method: zip.Deflate, CompressedSize64: 10, UncompressedSize64: 1 << 30},
		{Name: "secret.xml", Flags: encryptedFlag},
		{Name: "modern.xml", Method: 93},
		{Name: "../../climb.xml"},
	} {
		if _, err := z.CreateRaw(&h); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	a := open(t, save(t, "x.zip", buf.Bytes()))
	if len(a.Members) != 1 || len(a.Problems) != 4 || a.Skipped != 2 {
		t.Errorf("%d members, %d skipped, problems %v", len(a.Members), a.Skipped, a.Problems)
	}
}

// TestLying has members whose size in the directory is not what they hold.
func TestLying(t *testing.T) {
	t.Parallel()
	small := deflate(t, []byte(document(3)))
	for _, size := range []int{0, 5, len(document(3)) + 1} {
		var buf bytes.Buffer
		z := zip.NewWriter(&buf)
		w, err := z.CreateRaw(&zip.FileHeader{Name: "a.xml", Method: zip.Deflate,
			CompressedSize64: uint64(len(small)), UncompressedSize64: uint64(size)})
		if err == nil {
			_, err = w.Write(small)
		}
		if err == nil {
			err = z.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		a := open(t, save(t, "x.zip", buf.Bytes()))
		if got, err := read(&a.Members[0]); err == nil || len(got) > size {
			t.Errorf("said to be %d: %d bytes, %v", size, len(got), err)
		}
	}
}

// TestLongSizes reads the 64-bit sizes of a local header.
func TestLongSizes(t *testing.T) {
	t.Parallel()
	body := []byte(document(2))
	le := binary.LittleEndian
	h := append([]byte{}, localHeader...)
	h = le.AppendUint16(h, 45)
	h = append(h, make([]byte, 8)...) // flags, method, time
	h = le.AppendUint32(h, crc32.ChecksumIEEE(body))
	h = le.AppendUint32(h, zip64Sentinel)
	h = le.AppendUint32(h, zip64Sentinel)
	h = le.AppendUint16(h, 5)
	h = le.AppendUint16(h, 20)
	h = append(h, "a.xml"...)
	h = le.AppendUint16(h, zip64Extra)
	h = le.AppendUint16(h, 16)
	h = le.AppendUint64(h, uint64(len(body)))
	h = le.AppendUint64(h, uint64(len(body)))
	a := open(t, save(t, "x.zip", append(h, body...)))
	if len(a.Members) != 1 {
		t.Fatalf("problems %v", a.Problems)
	}
	if got, err := read(&a.Members[0]); err != nil || got != string(body) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(packed(f, 2, false))
	f.Add(packed(f, 3, true))
	f.Add(packed(f, 2, false)[:300])
	f.Add([]byte(document(1)))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, body []byte) {
		file, err := os.CreateTemp(dir, "*.zip")
		if err != nil {
			t.Fatal(err)
		}
		defer os.Remove(file.Name())
		if _, err := file.Write(body); err != nil {
			t.Fatal(err)
		}
		file.Close()
		a, err := Open(file.Name())
		if err != nil {
			return
		}
		defer a.Close()
		for i := range a.Members {
			r, err := a.Members[i].Open()
			if err != nil {
				continue
			}
			n, err := io.Copy(io.Discard, io.LimitReader(r, 1<<22))
			if err == nil && n < 1<<22 && a.Members[i].Size != 0 && uint64(n) != a.Members[i].Size {
				t.Errorf("%s: %d bytes without an error, said to be %d", a.Members[i].Name, n, a.Members[i].Size)
			}
			r.Close()
		}
	})
}

func BenchmarkMember(b *testing.B) {
	a := open(b, save(b, "x.zip", packed(b, 60, true)))
	total := 0
	for i := range a.Members {
		total += int(a.Members[i].Size)
	}
	b.SetBytes(int64(total))
	b.ReportAllocs()
	for b.Loop() {
		for i := range a.Members {
			r, err := a.Members[i].Open()
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, r); err != nil {
				b.Fatal(err)
			}
			r.Close()
		}
	}
}
