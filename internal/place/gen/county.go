package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"grantgraph/internal/place"
	"grantgraph/internal/table"
)

type point struct{ lon, lat float64 }

type county struct {
	fips, name, state string
	rings             [][]point
	min, max          point
}

// readCounties decodes a TopoJSON file. Boundaries are rings of arcs that neighbours share; an arc is a list of steps on an
// integer grid, and a negative number means the arc's complement, walked backwards.
func readCounties(path string) ([]county, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var topo struct {
		Transform struct{ Scale, Translate [2]float64 }
		Arcs      [][][2]float64
		Objects   struct {
			Counties struct {
				Geometries []struct {
					Type       string
					ID         string
					Arcs       json.RawMessage
					Properties struct{ Name string }
				}
			}
		}
	}
	if err := json.Unmarshal(b, &topo); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	arcs := make([][]point, len(topo.Arcs))
	for i, a := range topo.Arcs {
		var x, y float64
		for _, d := range a {
			x, y = x+d[0], y+d[1]
			arcs[i] = append(arcs[i], point{
				x*topo.Transform.Scale[0] + topo.Transform.Translate[0],
				y*topo.Transform.Scale[1] + topo.Transform.Translate[1],
			})
		}
	}
	var list []county
	for _, g := range topo.Objects.Counties.Geometries {
		state, ok := place.StateOfFIPS(g.ID)
		if !ok || len(g.ID) != 5 {
			return nil, fmt.Errorf("%s: county code %q", path, g.ID)
		}
		var polygons [][][]int
		switch g.Type {
		case "Polygon":
			polygons = make([][][]int, 1)
			err = json.Unmarshal(g.Arcs, &polygons[0])
		case "MultiPolygon":
			err = json.Unmarshal(g.Arcs, &polygons)
		default:
			err = fmt.Errorf("geometry %q", g.Type)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: county %s: %w", path, g.ID, err)
		}
		c := county{fips: g.ID, name: g.Properties.Name, state: state,
			min: point{math.Inf(1), math.Inf(1)}, max: point{math.Inf(-1), math.Inf(-1)}}
		for _, p := range polygons {
			for _, r := range p {
				ring, ok := join(arcs, r)
				if !ok {
					return nil, fmt.Errorf("%s: county %s uses an arc that is not there", path, g.ID)
				}
				c.rings = append(c.rings, ring)
			}
		}
		for _, r := range c.rings {
			for _, p := range r {
				c.min = point{min(c.min.lon, p.lon), min(c.min.lat, p.lat)}
				c.max = point{max(c.max.lon, p.lon), max(c.max.lat, p.lat)}
			}
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b county) int { return strings.Compare(a.fips, b.fips) })
	return list, nil
}

// join strings arcs together into a ring.
func join(arcs [][]point, ring []int) (out []point, ok bool) {
	for _, i := range ring {
		k := max(i, ^i)
		if k >= len(arcs) {
			return nil, false
		}
		arc := arcs[k]
		if i < 0 {
			arc = slices.Clone(arc)
			slices.Reverse(arc)
		}
		out = append(out, arc...)
	}
	return out, true
}

// reach is how far, in kilometres, a point may lie off every boundary of its state and still belong to the nearest county:
// coasts and lakes are drawn coarsely.
const reach = 30.0

// doubt is how close to a boundary, in kilometres, a point may lie before the town is asked.
const doubt = 0.7

func locate(z *zip, counties []county) {
	for _, at := range [...]*point{z.post, z.area} {
		if at == nil {
			continue
		}
		c := nearest(*at, z.state, counties)
		if c == nil {
			continue
		}
		for i := range counties {
			o := &counties[i]
			if o != c && o.state == c.state && o.near(*at, 0.03) && o.distance(*at) < doubt {
				z.close = append(z.close, split(o.fips, *at))
			}
		}
		fips := split(c.fips, *at)
		switch {
		case z.fips == "":
			z.fips, z.state = fips, c.state
		case z.fips != fips:
			z.other = fips
		}
	}
}

// follow lets towns decide about ZIP codes in doubt.
func follow(list []zip, counties []county) {
	names := make(map[string]string, len(counties))
	for _, c := range counties {
		names[c.fips] = c.name
	}
	type town struct{ city, state string }
	areas := make(map[town]map[string]int)
	for _, z := range list {
		if z.area == nil || z.city == "" || z.fips == "" || z.other != "" || len(z.close) > 0 {
			continue
		}
		t := town{z.city, z.state}
		if areas[t] == nil {
			areas[t] = make(map[string]int)
		}
		areas[t][z.fips]++
	}
	for i := range list {
		z := &list[i]
		if z.fips == "" {
			continue
		}
		own := func(f string) bool { return namedAfter(f, z.city, names) }
		if own(z.fips) {
			continue
		}
		near := append(slices.Clone(z.close), z.other)
		if i := slices.IndexFunc(near, own); i >= 0 {
			z.fips, z.other = near[i], z.fips
			continue
		}
		all, most, fips := 0, 0, ""
		for f, n := range areas[town{z.city, z.state}] {
			all += n
			if n > most || n == most && f < fips {
				most, fips = n, f
			}
		}
		clear := fips != "" && 2*most > all
		switch {
		case clear && fips == z.fips:
		case clear && (z.area == nil || z.other == fips || slices.Contains(z.close, fips)):
			z.fips, z.other = fips, z.fips
		case z.other == "" && len(z.close) > 0:
			z.other = z.close[0]
		}
	}
}

// namedAfter reports whether the county is a town of its own, an independent city or a municipio, and bears the name of the ZIP
// code's town. Such a ZIP code belongs to it even where most of the mail goes to the county around it.
func namedAfter(fips, city string, names map[string]string) bool {
	if fips == "" || city == "" {
		return false
	}
	return (fips[:2] == "72" || isOwn(fips)) && strings.EqualFold(accents.Replace(names[fips]), city)
}

var accents = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n")

// nearest is the county that holds the point, or the nearest one within reach.
func nearest(at point, state string, counties []county) (found *county) {
	best := reach
	for i := range counties {
		c := &counties[i]
		if state != "" && c.state != state || !c.near(at, 1) {
			continue
		}
		if c.holds(at) {
			return c
		}
		if d := c.distance(at); d < best {
			best, found = d, c
		}
	}
	return found
}

// near reports whether at lies in the county's box grown by margin degrees.
func (c *county) near(at point, margin float64) bool {
	return at.lon >= c.min.lon-margin && at.lon <= c.max.lon+margin && at.lat >= c.min.lat-margin && at.lat <= c.max.lat+margin
}

// holds counts how often a ray to the east crosses the boundary.
func (c *county) holds(at point) bool {
	in := false
	for _, r := range c.rings {
		for i, j := 0, len(r)-1; i < len(r); j, i = i, i+1 {
			a, b := r[i], r[j]
			if (a.lat > at.lat) != (b.lat > at.lat) && at.lon < (b.lon-a.lon)*(at.lat-a.lat)/(b.lat-a.lat)+a.lon {
				in = !in
			}
		}
	}
	return in
}

// distance is how far at lies from the boundary, in kilometres.
func (c *county) distance(at point) float64 {
	best := math.Inf(1)
	kx, ky := 111.32*math.Cos(at.lat*math.Pi/180), 110.57
	for _, r := range c.rings {
		for i, j := 0, len(r)-1; i < len(r); j, i = i, i+1 {
			ax, ay := (r[i].lon-at.lon)*kx, (r[i].lat-at.lat)*ky
			bx, by := (r[j].lon-at.lon)*kx, (r[j].lat-at.lat)*ky
			dx, dy := bx-ax, by-ay
			t := 0.0
			if l := dx*dx + dy*dy; l > 0 {
				t = max(0, min(1, -(ax*dx+ay*dy)/l))
			}
			best = min(best, math.Hypot(ax+t*dx, ay+t*dy))
		}
	}
	return best
}

// split gives Valdez-Cordova, which boundary files of before 2020 still have, to its two successors. The Chugach range parts
// them; no ZIP code point lies near the parallel used here.
func split(fips string, at point) string {
	switch {
	case fips != "02261":
		return fips
	case at.lat < 61.35:
		return "02063"
	default:
		return "02066"
	}
}

func countyNames(list []county) []place.County {
	var names []place.County
	add := func(fips, name, state string) {
		names = append(names, place.County{FIPS: fips, Name: fullName(fips, name), State: state})
	}
	for _, c := range list {
		if c.fips == "02261" {
			add("02063", "Chugach", c.state)
			add("02066", "Copper River", c.state)
		} else {
			add(c.fips, c.name, c.state)
		}
	}
	slices.SortFunc(names, func(a, b place.County) int { return strings.Compare(a.FIPS, b.FIPS) })
	return names
}

//go:embed kinds.tsv
var kindList string

// kinds are what counties are called that are no County, by their code or that of their state.
var kinds = table.Map("kinds.tsv", kindList, "fips", "kind")

// fullName adds to a bare name what kind of county it is.
func fullName(fips, name string) string {
	kind := cmp.Or(kinds[fips], kinds[fips[:2]], "County")
	if isOwn(fips) {
		kind = "city"
	}
	if kind == "none" || strings.HasSuffix(name, " "+kind) {
		return name
	}
	return name + " " + kind
}

func isOwn(fips string) bool {
	return fips[2:] >= "510" && slices.Contains([]string{"24", "29", "51"}, fips[:2])
}
