// Package place knows where things are: states, ZIP codes, counties and countries, as tax forms name them.
//
// The table of ZIP codes and counties travels in the binary, so that a build needs no network; it is made by the command in gen
// from public Census files. A build that has the Census relationship file lays it over the shipped table (WithCensus), which
// then knows the share of each ZIP code in each county.
//
// Counties are those of the 2020 census. Connecticut replaced its eight counties by nine planning regions in 2022; the old
// counties stay canonical because most of the grant history was filed under them. County knows the planning regions by name,
// but nothing maps to them: a region is not a county and a silent translation would move grants.
package place

//go:generate go run ./gen -boundaries $COUNTY_TOPOJSON -points $ZCTA_POINTS -zips $ZIP_CITIES -out zips.gz
//go:generate go run ./gen -points $ZCTA_POINTS -middles points.gz
