package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Two square counties of Illinois side by side, Cook from 0 to 1 degrees east
// and DuPage from 1 to 2, sharing an arc that DuPage walks backwards.
const squares = `{"type":"Topology","transform":{"scale":[0.5,0.5],"translate":[0,0]},
"objects":{"counties":{"type":"GeometryCollection","geometries":[
 {"type":"Polygon","arcs":[[0,1]],"id":"17031","properties":{"name":"Cook"}},
 {"type":"MultiPolygon","arcs":[[[2,-1]]],"id":"17043","properties":{"name":"DuPage"}}]}},
"arcs":[[[2,0],[0,2]],[[2,2],[-2,0],[0,-2],[2,0]],[[2,0],[2,0],[0,2],[-2,0]]]}`

func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	boundaries := write("b.json", squares)
	points := write("p.tsv", "GEOID\tALAND\tINTPTLAT\tINTPTLONG  \n60001\t1\t0.5\t0.5\n60002\t1\t0.5\t1.6\n60003\t1\t0.5\t0.5\n60008\t1\t0.5\t1.5\n")
	zips := write("z.tsv", "ZIP\tCITY\tSTATE\tLAT\tLON\n"+
		"60001\tElm\tIL\t0.4\t0.4\n"+ // both points in Cook
		"60002\tOak\tIL\t0.4\t1.4\n"+ // both in DuPage
		"60003\tFir\tIL\t0.4\t1.4\n"+ // town in DuPage, area in Cook
		"60004\tElm\tIL\t0.4\t1.4\n"+ // a box in Elm, pointed elsewhere
		"60005\tAsh\tIL\t0.4\t-0.1\n"+ // in the water near Cook
		"60006\tYew\tIL\t0.4\t-9\n"+ // nowhere near
		"60007\tMailer 12\tIL\t0.4\t0.4\n"+
		"09001\tApo\tAE\t50\t9\n")
	out := filepath.Join(dir, "out.gz")
	var log bytes.Buffer
	if err := run(boundaries, points, zips, out, &log); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	want := "counties 2\n17031\tCook County\n17043\tDuPage County\nzips 9\n" +
		"9001\tApo\tAE\n" +
		"51000\tElm\tIL\t17031\n" +
		"1\tOak\t\t17043\n" +
		"1\tFir\t\t\t17031\n" +
		"1\tElm\t\t17031\t17043\n" +
		"1\tAsh\n" +
		"1\tYew\t\t-\n" +
		"1\t-\t\t17031\n" +
		"1\t\t\t17043\n"
	if string(got) != want {
		t.Errorf("wrote\n%s\nwant\n%s", got, want)
	}
	if !strings.Contains(log.String(), "9 ZIP codes, 7 with a county, 2 with two") {
		t.Errorf("log: %s", &log)
	}
	for _, bad := range [][3]string{
		{"none", points, zips}, {points, points, zips}, {boundaries, zips, zips}, {boundaries, points, points},
		{write("s.json", strings.Replace(squares, "17031", "99031", 1)), points, zips},
		{write("a.json", strings.Replace(squares, "[2,-1]", "[7,-1]", 1)), points, zips},
		{write("g.json", strings.Replace(squares, `"Polygon"`, `"Point"`, 1)), points, zips},
	} {
		if err := run(bad[0], bad[1], bad[2], out, io.Discard); err == nil {
			t.Errorf("run accepts %v", bad)
		}
	}
}

func TestFullName(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"17031", "Cook", "Cook County"}, {"22071", "Orleans", "Orleans Parish"}, {"51600", "Fairfax", "Fairfax city"}, {"51059", "Fairfax", "Fairfax County"},
		{"51095", "James City", "James City County"}, {"24510", "Baltimore", "Baltimore city"}, {"32510", "Carson City", "Carson City"},
		{"02020", "Anchorage", "Anchorage Municipality"}, {"02013", "Aleutians East", "Aleutians East Borough"}, {"72127", "San Juan", "San Juan Municipio"},
		{"11001", "District of Columbia", "District of Columbia"}, {"48510", "Elm", "Elm County"}, {"60010", "Eastern", "Eastern District"},
	} {
		if got := fullName(c[0], c[1]); got != c[2] {
			t.Errorf("fullName(%s, %s) = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	if got := split("02261", point{-146.3, 61.1}); got != "02063" { // Valdez
		t.Error(got)
	}
	if got := split("02261", point{-145.5, 62.1}); got != "02066" { // Glennallen
		t.Error(got)
	}
	if got := split("17031", point{}); got != "17031" {
		t.Error(got)
	}
}

// TestPoints writes the points of areas and reads them back by their codes.
func TestPoints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "p.tsv"), filepath.Join(dir, "points.gz")
	if err := os.WriteFile(in, []byte("GEOID\tINTPTLAT\tINTPTLONG\n60002\t0.5004\t-1.6\n00601\t0.5\t0.5006\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	count, _, err := writePoints(out, in)
	if err != nil || count != 2 {
		t.Fatal(count, err)
	}
	packed, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for rest := raw[1:]; len(rest) > 0; {
		v, n := binary.Varint(rest)
		got, rest = append(got, v), rest[n:]
	}
	if want := []int64{601, 59401, 500, 0, 501, -2101}; raw[0] != 2 || !slices.Equal(got, want) {
		t.Errorf("%d points, %v, want %v", raw[0], got, want)
	}
	if err := os.WriteFile(in, []byte("GEOID\tINTPTLAT\tINTPTLONG\n6000\t0.5\t1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := writePoints(out, in); err == nil {
		t.Error("a code of four digits is taken")
	}
}
