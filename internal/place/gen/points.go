package main

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
)

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
