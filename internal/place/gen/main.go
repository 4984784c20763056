// Gen makes the table of ZIP codes and counties that package place ships.
//
//	go run ./internal/place/gen -boundaries counties.json -points zcta.tsv -zips zips.tsv -out internal/place/zips.gz
//
// It reads three plain files of public facts:
//
//   - boundaries: Census cartographic county boundaries as TopoJSON, with an
//     object "counties" whose geometries carry the five-digit code as id and
//     the bare name ("Cook") as property name;
//   - points: the Census Gazetteer of ZIP code tabulation areas, tab separated,
//     of which the columns GEOID, INTPTLAT and INTPTLONG are used;
//   - zips: post office ZIP codes, tab separated with the columns ZIP, CITY,
//     STATE, LAT and LON, including those for boxes only, which have no area.
//
// With -middles FILE it writes the points of the Census alone, from which
// distances between ZIP codes are computed, and reads only -points.
//
// A point belongs to the county of its state whose boundary holds it, or whose boundary is nearest where the point falls in the
// water. The post office's point is where the town is, the Census's the middle of the area. Where the two lie in one county, so
// does the ZIP code. Where they do not, the ZIP code lies in both, and the town comes first, because that is where
// organizations are. Boundaries are drawn coarsely and points put carelessly, so the town has a say as well: a ZIP code that is
// in doubt (its points disagree, lie close to a boundary, or it is for boxes only and has no area) goes where most of the
// town's other areas lie, and keeps the county of its own point as the second. A town that is a county of its own (an
// independent city, a municipio) keeps the ZIP codes that touch it.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/place"
)

func main() {
	boundaries := flag.String("boundaries", "", "county boundaries, TopoJSON")
	points := flag.String("points", "", "ZCTA internal points, tab separated")
	zips := flag.String("zips", "", "ZIP codes with city and state, tab separated")
	out := flag.String("out", "zips.gz", "file to write")
	middles := flag.String("middles", "", "file to write the points alone to")
	flag.Parse()
	var err error
	if *middles != "" {
		var count, size int
		if count, size, err = writePoints(*middles, *points); err == nil {
			fmt.Printf("%d points; %d bytes\n", count, size)
		}
	} else {
		err = run(*boundaries, *points, *zips, *out, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

type zip struct {
	code, city, state string
	post, area        *point   // where the post office and the Census put it
	fips, other       string   // the county, and the second one where there are two
	close             []string // counties whose boundary is close to a point
}

func run(boundaries, points, zips, out string, log io.Writer) error {
	counties, err := readCounties(boundaries)
	if err != nil {
		return err
	}
	list, err := readZIPs(zips)
	if err != nil {
		return err
	}
	if list, err = addPoints(list, points); err != nil {
		return err
	}
	for i := range list {
		locate(&list[i], counties)
	}
	follow(list, counties)
	placed, split := 0, 0
	for _, z := range list {
		if z.fips != "" {
			placed++
		}
		if z.other != "" {
			split++
		}
	}
	list = slices.DeleteFunc(list, func(z zip) bool { return z.state == "" })
	names := countyNames(counties)
	size, err := write(out, names, list)
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "%d ZIP codes, %d with a county, %d with two; %d counties; %d bytes\n", len(list), placed, split, len(names), size)
	return nil
}

// readTable reads a tab-separated file with a header and yields the wanted columns of each row.
func readTable(path string, want []string, row func(f []string) error) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var header []string
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		f := each.Of(strings.Split(line, "\t"), strings.TrimSpace)
		if n == 1 {
			header = f
		}
		picked := make([]string, len(want))
		for i, w := range want {
			at := slices.Index(header, w)
			if at < 0 {
				return fmt.Errorf("%s has no column %s", path, w)
			}
			if at < len(f) {
				picked[i] = f[at]
			}
		}
		if n == 1 {
			continue
		}
		if err := row(picked); err != nil {
			return fmt.Errorf("%s line %d: %w", path, n, err)
		}
	}
	return nil
}

func readZIPs(path string) ([]zip, error) {
	var list []zip
	err := readTable(path, []string{"ZIP", "CITY", "STATE", "LAT", "LON"}, func(f []string) error {
		state, ok := place.State(f[2])
		if !ok || len(f[0]) != 5 {
			return fmt.Errorf("bad ZIP code %q in state %q", f[0], f[2])
		}
		z := zip{code: f[0], state: state}
		if !strings.ContainsAny(f[1], "0123456789&/") { // a large mailer, not a town
			z.city = f[1]
		}
		r, _ := place.RegionOf(state)
		if f[3] != "" && r.FIPS != "" {
			var err error
			if z.post, err = parsePoint(f[3], f[4]); err != nil {
				return err
			}
		}
		list = append(list, z)
		return nil
	})
	slices.SortFunc(list, func(a, b zip) int { return strings.Compare(a.code, b.code) })
	return list, err
}

// addPoints adds the Census's points, and the areas that the post office list lacks.
func addPoints(list []zip, path string) ([]zip, error) {
	known := len(list)
	err := readTable(path, []string{"GEOID", "INTPTLAT", "INTPTLONG"}, func(f []string) error {
		at, err := parsePoint(f[1], f[2])
		if err != nil {
			return err
		}
		i, ok := slices.BinarySearchFunc(list[:known], f[0], func(z zip, c string) int { return strings.Compare(z.code, c) })
		if ok {
			if r, _ := place.RegionOf(list[i].state); r.FIPS != "" {
				list[i].area = at
			}
			return nil
		}
		list = append(list, zip{code: f[0], area: at})
		return nil
	})
	slices.SortFunc(list, func(a, b zip) int { return strings.Compare(a.code, b.code) })
	return list, err
}

func parsePoint(lat, lon string) (*point, error) {
	y, err := strconv.ParseFloat(lat, 64)
	if err != nil {
		return nil, err
	}
	x, err := strconv.ParseFloat(lon, 64)
	return &point{x, y}, err
}

// write encodes the table in the form that package place documents.
func write(path string, counties []place.County, list []zip) (size int, err error) {
	var text bytes.Buffer
	fmt.Fprintf(&text, "counties %d\n", len(counties))
	for _, c := range counties {
		fmt.Fprintf(&text, "%s\t%s\n", c.FIPS, c.Name)
	}
	fmt.Fprintf(&text, "zips %d\n", len(list))
	code, city, state, fips := 0, "-", "", "-"
	for _, z := range list {
		n, err := strconv.Atoi(z.code)
		if err != nil {
			return 0, err
		}
		fmt.Fprintf(&text, "%d\t%s\t%s\t%s\t%s", n-code, change(&city, z.city), change(&state, z.state), change(&fips, z.fips), z.other)
		text.Truncate(len(bytes.TrimRight(text.Bytes(), "\t")))
		text.WriteByte('\n')
		code = n
	}
	return pack(path, text.Bytes())
}

func pack(path string, raw []byte) (size int, err error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	if _, err = w.Write(raw); err == nil {
		err = w.Close()
	}
	return packed.Len(), errors.Join(err, os.WriteFile(path, packed.Bytes(), 0o644))
}

// change returns what to write for a value that is left out when it repeats.
func change(last *string, now string) string {
	now = cmp.Or(now, "-")
	if *last == now {
		return ""
	}
	*last = now
	return now
}

// pointUnit is what coordinates are counted in, in degrees. Package place has the same.
const pointUnit = 0.001

// writePoints encodes the middles of areas in the form that package place documents.
func writePoints(path, points string) (count, size int, err error) {
	type area struct{ code, lat, lon int64 }
	var list []area
	err = readTable(points, []string{"GEOID", "INTPTLAT", "INTPTLONG"}, func(f []string) error {
		at, err := parsePoint(f[1], f[2])
		if err != nil {
			return err
		}
		code, err := strconv.ParseUint(f[0], 10, 17)
		if err != nil || len(f[0]) != 5 {
			return strconv.ErrSyntax
		}
		list = append(list, area{int64(code), int64(math.Round(at.lat / pointUnit)), int64(math.Round(at.lon / pointUnit))})
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	slices.SortFunc(list, func(a, b area) int { return cmp.Compare(a.code, b.code) })
	raw := binary.AppendUvarint(nil, uint64(len(list)))
	for _, column := range []func(*area) int64{
		func(a *area) int64 { return a.code }, func(a *area) int64 { return a.lat }, func(a *area) int64 { return a.lon },
	} {
		var last int64
		for i := range list {
			v := column(&list[i])
			raw = binary.AppendVarint(raw, v-last)
			last = v
		}
	}
	size, err = pack(path, raw)
	return len(list), size, err
}
