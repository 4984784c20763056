// Package source is the catalog of all outside data that we read. For each
// source it says who publishes it, where, how often and under what terms, which
// files it has, and which files are acceptable. Four users read the catalog:
// fetch downloads the files, refresh keeps the compliance lists current, synth
// invents the same files, and `grantgraph fetch --list` prints it. The service
// uses snapshot/lists instead. The packages below this one each read one
// format.
package source

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Source is one publication that we read.
type Source struct {
	Name      string        `json:"name"`
	Title     string        `json:"title"`
	Publisher string        `json:"publisher"`
	Page      string        `json:"page"`  // page for people
	Takes     string        `json:"takes"` // what we use from it
	Licence   string        `json:"licence"`
	Folder    string        `json:"folder"`    // below the sources folder
	Publishes string        `json:"publishes"` // how often the publisher revises it
	Polled    string        `json:"polled"`    // how often we ask for it, in words
	Every     time.Duration `json:"-"`         // the same as a duration
	// Compliance is the source's name among the compliance sources in the
	// dataset's metadata. It is empty for other sources.
	Compliance string `json:"compliance,omitempty"`
	Base       string `json:"address,omitempty"` // common start of its file addresses; a mirror replaces it
	// MinRows is the fewest rows that its main file can plausibly have. A
	// shorter file is refused, even if we hold no earlier file.
	MinRows  int64  `json:"min_rows,omitempty"`
	MaxBytes int64  `json:"max_bytes"` // largest file that we accept
	Markup   bool   `json:"-"`         // its files are web pages, which we refuse from other sources
	Verified string `json:"verified"`  // the real data that its reader was tested on, or that there was none

	plan  func(ctx context.Context, s *Source, w Web, ask Request) ([]RemoteFile, error)
	check func(path string) (Contents, error)
}

// How often we ask for sources.
const (
	quarterHourly = 15 * time.Minute
	daily         = 24 * time.Hour
	weekly        = 7 * daily
)

// Largest files that we accept.
const (
	megabyte = 1 << 20
	gigabyte = 1 << 30
)

const (
	publicDomain = "US federal government work, public domain"
	ogl          = "Open Government Licence v3.0"
	publicRecord = "California public record, no licence stated"
)

// All lists the catalog in the order of fetching: small lists first, large
// archives last.
func All() []Source { return slices.Clone(catalog) }

// Names lists the names of the catalog in the same order.
func Names() []string {
	names := make([]string, len(catalog))
	for i := range catalog {
		names[i] = catalog[i].Name
	}
	return names
}

// Find returns the source with a name. It also accepts the names that the
// metadata uses for compliance sources.
func Find(name string) (Source, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	i := slices.IndexFunc(catalog, func(s Source) bool { return name != "" && (s.Name == name || s.Compliance == name) })
	if i < 0 {
		return Source{}, false
	}
	return catalog[i], true
}

var catalog = []Source{
	{
		Name: "ofac", Title: "Specially Designated Nationals list", Publisher: "US Treasury, Office of Foreign Assets Control",
		Page:  "https://sanctionslist.ofac.treas.gov/Home/SdnList",
		Takes: "names, aliases, addresses and remarks of sanctioned parties; the consolidated list when it is there", Licence: publicDomain,
		Folder: "ofac", Publishes: "irregular", Polled: "every 15 minutes", Every: quarterHourly, Compliance: "ofac",
		Base:    "https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports",
		MinRows: 10_000, MaxBytes: 256 * megabyte,
		Verified: "five whole postings of the list, 2021 to 2024, and the files that belong to it of 2019 and later; 133,118 rows",
		plan:     planOFAC, check: checkOFAC,
	},
	{
		Name: "pub78", Title: "Publication 78 data", Publisher: "Internal Revenue Service",
		Page:  "https://www.irs.gov/charities-non-profits/tax-exempt-organization-search-bulk-data-downloads",
		Takes: "organizations to which gifts are deductible, with their deductibility codes", Licence: publicDomain,
		Folder: "pub78", Publishes: "monthly", Polled: "every 15 minutes", Every: quarterHourly, Compliance: "pub78",
		Base: "https://apps.irs.gov/pub/epostcard", MinRows: 1_000_000, MaxBytes: gigabyte,
		Verified: "32 rows of September 2026 and 604 older ones; a whole posting was not seen",
		plan:     planFile("data-download-pub78.zip"), check: checkPub78,
	},
	{
		Name: "revocation", Title: "Automatic revocation of exemption list", Publisher: "Internal Revenue Service",
		Page:  "https://www.irs.gov/charities-non-profits/tax-exempt-organization-search-bulk-data-downloads",
		Takes: "organizations that lost their exemption for not filing, with dates of revocation, posting and reinstatement", Licence: publicDomain,
		Folder: "revocation", Publishes: "monthly", Polled: "every 15 minutes", Every: quarterHourly, Compliance: "revocation",
		Base: "https://apps.irs.gov/pub/epostcard", MinRows: 1_000_000, MaxBytes: gigabyte,
		Verified: "32 rows of September 2026; a whole posting was not seen",
		plan:     planFile("data-download-revocation.zip"), check: checkRevocation,
	},
	{
		Name: "bmf", Title: "Exempt Organizations Business Master File", Publisher: "Internal Revenue Service, Statistics of Income",
		Page:  "https://www.irs.gov/charities-non-profits/exempt-organizations-business-master-file-extract-eo-bmf",
		Takes: "the register of exempt organizations, all four regions", Licence: publicDomain,
		Folder: "bmf", Publishes: "monthly", Polled: "every 15 minutes", Every: quarterHourly, Compliance: "bmf",
		Base: "https://www.irs.gov/pub/irs-soi", MinRows: 200_000, MaxBytes: gigabyte,
		Verified: "20 state extracts and region 4 of April 2026, 256,022 rows",
		plan:     planBMF, check: checkBMF,
	},
	{
		Name: "irb", Title: "Internal Revenue Bulletin", Publisher: "Internal Revenue Service",
		Page:  "https://www.irs.gov/irb",
		Takes: "announcements of organizations whose determination was revoked", Licence: publicDomain,
		Folder: "irb", Publishes: "weekly", Polled: "daily", Every: daily, Compliance: "irb",
		Base: "https://www.irs.gov/irb", MaxBytes: 64 * megabyte, Markup: true,
		Verified: "text excerpts of three bulletins; no whole bulletin page was seen",
		plan:     planIRB, check: checkIRB,
	},
	{
		Name: "careg", Title: "Registry of Charities and Fundraisers", Publisher: "California Attorney General",
		Page:  "https://oag.ca.gov/charities/reports",
		Takes: "registration status of charities: the four lists of one day", Licence: publicRecord,
		Folder: "careg", Publishes: "monthly", Polled: "daily", Every: daily, Compliance: "ca_registry",
		Base: "https://oag.ca.gov/sites/all/files/agweb/pdfs/charities/reports", MinRows: 50_000, MaxBytes: 512 * megabyte,
		Verified: "no real file could be seen; written from published descriptions of the layout",
		plan:     planCAReg, check: checkCAReg,
	},
	{
		Name: "caftb", Title: "Revoked exempt organizations", Publisher: "California Franchise Tax Board",
		Page:  "https://www.ftb.ca.gov/file/business/types/charities-nonprofits/index.html",
		Takes: "organizations whose California exemption was revoked, when a list that can be read is linked", Licence: publicRecord,
		Folder: "caftb", Publishes: "weekly", Polled: "weekly", Every: weekly, Compliance: "ca_ftb",
		Base: "https://www.ftb.ca.gov/file/business/types/charities-nonprofits/index.html", MinRows: 100, MaxBytes: 256 * megabyte,
		Verified: "no real file could be seen; the reader goes by the header of what it is given",
		plan:     planCAFTB, check: checkCAFTB,
	},
	{
		Name: "census", Title: "ZIP to county relationship file", Publisher: "US Census Bureau",
		Page:  "https://www.census.gov/geographies/reference-files/time-series/geo/relationship-files.2020.html",
		Takes: "which counties a ZIP code area lies in", Licence: publicDomain,
		Folder: "census", Publishes: "irregular", Polled: "weekly", Every: weekly,
		Base: "https://www2.census.gov/geo/docs/maps-data/data/rel2020/zcta520", MinRows: 25_000, MaxBytes: 64 * megabyte,
		Verified: "the 2020 layout as published; a table made from it is shipped, so the file is optional",
		plan:     planFile("tab20_zcta520_county20_natl.txt"), check: checkCensus,
	},
	{
		Name: "stateaward", Title: "State payments and grants", Publisher: "open data portals of nine states",
		Page:  "https://www.data.gov/",
		Takes: "grants and payments of CT, NJ, VT, MD, MA, OR, DE, OK and FL to organizations", Licence: "terms of each portal, mostly public domain",
		Folder: "stateaward", Publishes: "irregular", Polled: "weekly", Every: weekly, MinRows: 100, MaxBytes: 8 * gigabyte,
		Verified: "no real file could be seen; columns are mapped state by state",
		plan:     planStates, check: checkStates,
	},
	{
		Name: "ukcharity", Title: "Register of charities, England and Wales", Publisher: "Charity Commission for England and Wales",
		Page:  "https://register-of-charities.charitycommission.gov.uk/register/full-register-download",
		Takes: "the thirteen tables of the public extract, without email addresses and telephone numbers", Licence: ogl,
		Folder: "uk", Publishes: "daily", Polled: "daily", Every: daily,
		Base: "https://ccewuksprdoneregsadata1.blob.core.windows.net/data/json", MinRows: 1000, MaxBytes: 2 * gigabyte,
		Verified: "three tables of September 2024, 181,183 rows; the others by their published field list",
		plan:     planUK, check: checkUK,
	},
	{
		Name: "fac", Title: "Single audits of federal award recipients", Publisher: "Federal Audit Clearinghouse (GSA)",
		Page:  "https://www.fac.gov/data/download/current/",
		Takes: "which EIN and which UEI belong to one organization", Licence: publicDomain,
		Folder: "fac", Publishes: "weekly", Polled: "weekly", Every: weekly,
		Base: "https://app.fac.gov/dissemination/public-data/gsa/full", MinRows: 50_000, MaxBytes: 4 * gigabyte,
		Verified: "no real file could be seen; columns by the published dictionary",
		plan:     planFile("general.csv"), check: checkFAC,
	},
	{
		Name: "usaspending", Title: "Award data archive", Publisher: "US Treasury, USAspending.gov",
		Page:  "https://www.usaspending.gov/download_center/award_data_archive",
		Takes: "federal grants and contracts by fiscal year, 2017 on, all agencies", Licence: publicDomain,
		Folder: "usaspending", Publishes: "monthly", Polled: "weekly", Every: weekly,
		Base: "https://api.usaspending.gov/api/v2", MaxBytes: 16 * gigabyte,
		Verified: "real responses of the interface and the data dictionary; no whole archive was seen",
		plan:     planUSAspending, check: checkUSAspending,
	},
	{
		Name: "irs990", Title: "Form 990 series returns", Publisher: "Internal Revenue Service",
		Page:  "https://www.irs.gov/charities-non-profits/form-990-series-downloads",
		Takes: "e-filed Forms 990, 990-EZ and 990-PF, and the yearly indexes of them", Licence: publicDomain,
		Folder: "990", Publishes: "monthly", Polled: "every 15 minutes", Every: quarterHourly,
		Base: "https://apps.irs.gov/pub/epostcard/990/xml", MinRows: 1, MaxBytes: 16 * gigabyte,
		Verified: "871 real returns, schemas of 2008 to 2025, and the heads of real indexes",
		plan:     plan990, check: check990,
	},
}
