package synth

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"
)

// Shard names one monthly zip.
type Shard struct{ Year, Month int }

func (s Shard) month() int { return s.Year*12 + s.Month - 1 }

func shardOf(month int) Shard { return Shard{month / 12, month%12 + 1} }

// Batch is the name of the shard's zip without its ending.
func (s Shard) Batch() string { return fmt.Sprintf("%d_TEOS_XML_%02dA", s.Year, s.Month) }

// storedEvery is how many shards there are to one that does not compress.
const storedEvery = 37

const (
	xmlHead  = `<?xml version="1.0" encoding="utf-8"?>` + "\n"
	badStart = xmlHead + `<Return xmlns="http://www.irs.gov/efile" returnVersion="2021v4.2"><ReturnHeader binaryAttachmentCnt="0">` +
		`<ReturnTs>2022-05-12T10:00:00-05:00</ReturnTs><TaxPeriodEndDt>2021-12-31</TaxPeriodEndDt>`
)

// badMembers are members that are no returns, as every large archive has some.
var badMembers = [...]struct{ name, text string }{
	{"truncated", badStart + "<ReturnTypeCd>990PF</ReturnTypeCd><Filer><EI"},
	{"html", "<!DOCTYPE html><html><head><title>503 Service Unavailable</title></head><body><h1>Service Unavailable</h1>" +
		"<p>Please try again later.</body></html>\n"},
	{"empty", ""},
	{"not_utf8", badStart + "<ReturnTypeCd>990EZ</ReturnTypeCd><Filer><EIN>{EIN}</EIN><BusinessName><BusinessNameLine1Txt>" +
		"CAF\xc9 DES AMIS \xff\xfe CLUB</BusinessNameLine1Txt></BusinessName></Filer></ReturnHeader><ReturnData/></Return>"},
	{"wrong_root", xmlHead + `<Acknowledgements xmlns="http://www.irs.gov/efile"><Acknowledgement><SubmissionId>0</SubmissionId>` +
		`</Acknowledgement></Acknowledgements>`},
}

const badKinds = len(badMembers)

type shardWriter struct {
	*gen
	zw       *zip.Writer
	batch    []byte
	folder   string
	when     time.Time
	method   uint16
	progress func(lines int)
}

// shard writes one zip with everything filed in its month, and its share of the truth and of the index.
func (g *gen) shard(ctx context.Context, s Shard, out io.Writer, sh *recorder, p *flate.Writer, progress func(lines int)) (tally, error) {
	w, m := g.w, s.month()
	g.out = sh
	sw := &shardWriter{gen: g, zw: newZip(out, p), batch: []byte(s.Batch()), progress: progress, method: zip.Deflate,
		when: time.Date(s.Year, time.Month(s.Month), 20, 12, 0, 0, 0, time.UTC)}
	if (m-firstMonth)%storedEvery == storedEvery-1 {
		sw.method = zip.Store
	}
	if s.Year >= 2024 {
		sw.folder = s.Batch() + "/"
	}
	for fiscal := firstFiscal; fiscal <= lastFiscal; fiscal++ {
		for c := range cohorts {
			filed := w.filed(c, fiscal)
			if filed > m || filed < m-11 {
				continue
			}
			if err := ctx.Err(); err != nil {
				return tally{}, err
			}
			if err := sw.cohort(c, fiscal, filed, m); err != nil {
				return tally{}, err
			}
		}
	}
	err := errors.Join(sw.spoil(m), sw.zw.Close())
	return sh.tally, err
}

// cohort writes what a cohort sends in month m: its returns, its amendments, or second copies of last month's returns.
func (sw *shardWriter) cohort(c, fiscal, filed, m int) error {
	w := sw.w
	if filed != m && w.amendedIn(c, fiscal) != m && filed != m-1 {
		return nil
	}
	for r := c; r < w.funders; r += cohorts {
		if err := sw.funderMonth(r, fiscal, filed, m); err != nil {
			return err
		}
	}
	if filed != m {
		return nil
	}
	t := len(w.slots)
	for s := range t {
		for i := (c-s)&(cohorts-1)*t + s; i < w.orgs; i += cohorts * t {
			if err := sw.orgMonth(i, c, fiscal, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func (sw *shardWriter) funderMonth(r, fiscal, filed, m int) error {
	g, w, c := sw.gen, sw.w, r%cohorts
	key := sub(sub(w.seed, 'F', r), 'V', fiscal)
	share := rates.Amended990
	if funderClass(r).is(privateFoundation) {
		share = rates.AmendedPF
	}
	amended := w.amendedIn(c, fiscal)
	amends := odds(key, share)
	copies := odds(mix(key), rates.Duplicated) && filed == m-1
	if filed != m && !(amends && amended == m) && !copies {
		return nil
	}
	n, files := w.lines(r, fiscal)
	if !files {
		return nil
	}
	w.funder(r, &g.f)
	g.habits(c)
	fl := filing{fiscal: fiscal, month: filed, lines: n, form: form990, final: w.final(r, fiscal)}
	if g.pf {
		fl.form = formPF
		fl.hidden = n > 1 && n < 2000 && odds(sub(key, 'h', 0), rates.HiddenChance)
		fl.doubled = !fl.hidden && n > 0 && n < 2000 && odds(sub(key, 'd', 0), rates.PFDoubled)
		fl.totals = !fl.hidden && !fl.doubled && n < 2000 && odds(sub(key, 'd', 1), rates.PFTotalLine)
	}
	hollow := n > 0 && odds(sub(key, 'o', 0), rates.AmendedHollow)
	if filed == m {
		g.out.replaced = amends && amended <= lastMonth
		g.out.superseded = g.out.replaced && !hollow
	}
	g.out.mute = filed != m
	var err error
	if filed == m || copies {
		err = sw.file(&fl)
	}
	if filed == m && fl.form == form990 && odds(sub(key, 't', 0), rates.UnrelatedTax) {
		err = errors.Join(err, sw.file(&filing{fiscal: fiscal, month: filed, form: formT}))
	}
	g.out.superseded, g.out.replaced, g.out.mute = false, false, false
	if amends && amended == m {
		fl.version, fl.month = 1, amended
		fl.hollow, fl.doubled, fl.totals = hollow, false, false
		err = errors.Join(err, sw.file(&fl))
	}
	return err
}

func (sw *shardWriter) orgMonth(i, c, fiscal, m int) error {
	g, w := sw.gen, sw.w
	if !w.orgFiles(i, fiscal) {
		return nil
	}
	if w.org(i, &g.f); !g.f.class.is(ownReturns) || !g.f.listed {
		return nil
	}
	g.habits(c)
	fl := filing{fiscal: fiscal, month: m, form: form990}
	if g.f.money < 17*one+one/2 {
		fl.form = formEZ
	}
	g.out.orgReturns++
	return sw.file(&fl)
}

// orgFiles reports whether a recipient's own return for a year is published:
// the best known file every year, the others are seen once or not at all.
func (w *world) orgFiles(i, fiscal int) bool {
	if fiscal < 2020 || fiscal > 2024 {
		return false
	}
	share := 1500
	switch {
	case i == w.veterans:
		return true
	case i < w.wellKnown():
		return fiscal >= 2022
	case i < w.orgs/8:
		share = 6000
	}
	h := sub(w.seed, 'o', i)
	return odds(h, share) && 2020+scale(mix(h), 5) == fiscal
}

func (sw *shardWriter) file(fl *filing) error {
	g := sw.gen
	fl.object = g.w.object(fl.month, g.f.id, fl.fiscal, fl.version, fl.form)
	out, err := sw.create(fl.object)
	if err != nil {
		return err
	}
	g.x.reset(out, odds(sub(g.f.key, 'N', 0), rates.Indented))
	switch fl.form {
	case formPF:
		err = g.write990PF(fl)
	case form990:
		err = g.write990(fl)
	case formEZ:
		err = g.write990EZ(fl)
	default:
		err = g.write990T(fl)
	}
	if err != nil {
		return err
	}
	t := &g.out.tally
	t.members++
	t.xml += g.x.n
	if g.out.mute {
		t.duplicates++
		return nil
	}
	t.returns++
	t.forms[fl.form]++
	if fl.form == formPF {
		t.pfReturns++
		if fl.hidden {
			t.placeholders++
		}
	}
	if fl.lines > 0 {
		t.grantReturns++
	}
	if fl.version > 0 {
		t.amended++
	}
	if g.out.replaced && fl.form != formT {
		t.superseded++
	}
	g.out.indexRow(fl, g.f.ein, g.name, g.closing, sw.batch)
	if odds(mix(fl.object+1), rates.IndexGhost) { // the index names what is in no zip
		ghost := *fl
		ghost.object = g.w.object(fl.month, idOrg+2_800_000+int(fl.object%90_000), fl.fiscal, fl.version, fl.form)
		g.out.indexRow(&ghost, g.f.ein, g.name, g.closing, sw.batch)
	}
	if fl.lines > 0 {
		sw.progress(fl.lines)
	}
	return nil
}

func (sw *shardWriter) create(object uint64) (io.Writer, error) {
	name := string(join(nil, sw.folder, object, "_public.xml"))
	return sw.zw.CreateHeader(&zip.FileHeader{Name: name, Method: sw.method, Modified: sw.when})
}

// spoiled says which member of a month is no return, and of what kind it is;
// -1 when there is none. Every kind occurs in every world.
func (w *world) spoiled(m int) (object uint64, kind int) {
	i := m - firstMonth
	switch {
	case i%19 == 7 && i/19 < badKinds:
		kind = i / 19
	case odds(sub(w.seed, 'B', i), 800):
		kind = (i*3 + 1) % badKinds
	default:
		return 0, -1
	}
	return w.object(m, 2_900_000+i, m/12-1, 0, formEZ), kind
}

func (sw *shardWriter) spoil(m int) error {
	i := m - firstMonth
	object, kind := sw.w.spoiled(m)
	if kind < 0 {
		return nil
	}
	fl := filing{fiscal: m/12 - 1, month: m, form: formEZ, object: object}
	out, err := sw.create(fl.object)
	if err != nil {
		return err
	}
	x := &sw.x
	x.reset(out, false)
	filer := sw.w.ein(idFirm + 5000 + i)
	x.raw(strings.ReplaceAll(badMembers[kind].text, "{EIN}", filer.String()))
	sw.out.bad[kind]++
	sw.out.members++
	sw.out.indexRow(&fl, filer, []byte("UNREADABLE RETURN"), 11, sw.batch)
	return x.flush()
}
