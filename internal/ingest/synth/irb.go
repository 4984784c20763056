package synth

import (
	"bytes"
	"fmt"
	"time"
)

// The Internal Revenue Bulletin: a web page a week. Most have rulings and
// notices only; some announce organizations whose determination was revoked,
// by name and place, in the wordings of different years; and one announces a
// suit, which is no revocation.

// bulletins is how many weeks of the bulletin there are.
const bulletins = 60

// issue is a bulletin by year and number, the number of its week.
type issue struct {
	year, number int
	day          time.Time
}

// issueAt is the k-th of the world's bulletins; the last is of October 2026.
func issueAt(k int) issue {
	day := time.Date(2026, time.October, 12, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -7*(bulletins-1-k))
	y, n := day.ISOWeek()
	if n == 1 { // the year's first comes out on its first working day
		day = time.Date(y, time.January, 2, 0, 0, 0, 0, time.UTC)
	}
	return issue{y, n, day}
}

func (i issue) String() string { return fmt.Sprintf("%d-%02d", i.year, i.number) }

// Ways in which a bulletin lists organizations.
const (
	tableNew  = iota // table with dates, wording since 2023
	tableOld         // table with dates, wording until 2022
	plainList        // lines of name and place without dates
	untitled         // table under an announcement without a title
	listings
)

// bulletins writes all of them.
func (d *listWriter) bulletins() error {
	for k := range bulletins {
		is := issueAt(k)
		l, err := d.create(fmt.Sprintf("irb/%s_IRB.html", is))
		if err != nil {
			return err
		}
		defer l.h.abandon()
		l.Write(d.page(is, k))
		l.rows = int64(len(d.w.named(k)))
		if err := d.finish(l); err != nil {
			return err
		}
		d.counts["irb_bulletins"]++
	}
	return nil
}

// named are the organizations that the k-th bulletin names: the newest names
// those that are still on every list, others are spread over one week in four.
func (w *world) named(k int) []int {
	late := min(bulletinLate, len(w.bulletinOrder))
	if k == bulletins-1 {
		return w.bulletinOrder[:late]
	}
	const every = 4
	if k%every != 1 {
		return nil
	}
	rest, weeks := w.bulletinOrder[late:], bulletins/every
	lo, hi := len(rest)*(k/every)/weeks, len(rest)*(k/every+1)/weeks
	return rest[lo:hi]
}

func (d *listWriter) page(is issue, k int) []byte {
	var b bytes.Buffer
	date := is.day.Format("January 2, 2006")
	r := rng{sub(d.w.seed, 'b', k)}
	first := 3 + is.number*2/3
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\" dir=\"ltr\">\n<head>\n<meta charset=\"utf-8\" />\n<title>Internal Revenue Bulletin: %[1]s | Internal Revenue Service</title>\n</head>\n<body>\n<nav><ul><li><a href=\"/irb\">Bulletins</a></li><li><a href=\"#HIGH\">Highlights</a></li></ul></nav>\n<main>\n<h1>Internal Revenue Bulletin: %[1]s</h1>\n<p class=\"date\">%[2]s</p>\n", is, date)
	b.WriteString("<h2 id=\"HIGH\">HIGHLIGHTS OF THIS ISSUE</h2>\n<p>These synopses are intended only as aids to the reader in identifying the subject matter covered. They may not be relied upon as authoritative interpretations.</p>\n")
	named := d.w.named(k)
	suit := k%23 == 11
	if len(named) > 0 {
		fmt.Fprintf(&b, "<h3>EXEMPT ORGANIZATIONS</h3>\n<p><a href=\"#AN%[1]d\">Announcement %[2]d-%[1]d, page %[3]d.</a></p>\n<p>Revocation of IRC 501(c)(3) Organizations for failure to meet the code section requirements. Contributions made to the organizations by individual donors are no longer deductible under IRC 170(b)(1)(A).</p>\n", first, is.year, 400+r.n(600))
	}
	fmt.Fprintf(&b, "<h3>INCOME TAX</h3>\n<p>Rev. Rul. %d-%d, page %d.</p>\n<p>Federal rates; adjusted federal rates; adjusted federal long-term rate. Tables set forth the rates for %s.</p>\n",
		is.year, 1+is.number/2, 300+r.n(90), is.day.AddDate(0, 1, 0).Format("January 2006"))
	b.WriteString("<h2>Part I</h2>\n<h3>Section 1274.&#8212;Determination of Issue Price</h3>\n<table border=\"1\"><tr><th>Period</th><th>Annual</th><th>Semiannual</th></tr>")
	for _, term := range []string{"Short-term", "Mid-term", "Long-term"} {
		fmt.Fprintf(&b, "<tr><td>%s</td><td>%d.%02d%%</td><td>%d.%02d%%</td></tr>", term, 3+r.n(2), r.n(100), 3+r.n(2), r.n(100))
	}
	b.WriteString("</table>\n<h2>Part III</h2>\n<h3>Notice of inflation adjustment factors</h3>\n<p>This notice publishes the factors &amp; reference prices for the calendar year.</p>\n<h2>Part IV</h2>\n")
	if len(named) > 0 {
		d.announce(&b, is, k, first, named)
	}
	if suit {
		d.litigation(&b, is, first+1, &r)
	}
	b.WriteString("<h2>Definition of Terms</h2>\n<p>Revoked describes situations where the position in the previously published ruling is not correct and the correct position is being stated in a new ruling.</p>\n</main>\n<footer><p>The Internal Revenue Bulletin is the authoritative instrument for announcing official rulings.</p></footer>\n</body>\n</html>\n")
	return b.Bytes()
}

const (
	noLonger   = "<p>The Internal Revenue Service has revoked its determination that the organizations listed below qualify as organizations described in sections 501(c)(3) and 170(c)(2) of the Internal Revenue Code of 1986.</p>\n"
	noLongerV1 = "<p>The names of organizations that no longer qualify as organizations described in section 170(c)(2) of the Internal Revenue Code of 1986 are listed below.</p>\n"
	protection = "<p>Generally, the IRS will not disallow deductions for contributions made to a listed organization on or before the date of announcement in the Internal Revenue Bulletin that an organization no longer qualifies. If a suit for declaratory judgment has been timely filed, protection under section 7428(c) would begin on %s and would end on the date the court first determines the organization is not described in section 170(c)(2).</p>\n"
)

// announce lists organizations that were revoked.
func (d *listWriter) announce(b *bytes.Buffer, is issue, k, number int, named []int) {
	style := k / 4 % listings
	if k == bulletins-1 {
		style = tableNew
	}
	title := "Revocation of IRC 501(c)(3) Organizations for failure to meet the code section requirements"
	switch style {
	case tableOld, plainList:
		title = "Deletions From Cumulative List of Organizations, Contributions to Which are Deductible Under Section 170 of the Code"
	}
	if style != untitled {
		fmt.Fprintf(b, "<h3 class=\"title\">%s</h3>\n", title)
	}
	fmt.Fprintf(b, "<h3 id=\"AN%[1]d\">Announcement %[2]d-%[1]d</h3>\n", number, is.year)
	if style == plainList {
		b.WriteString(noLongerV1)
	} else {
		b.WriteString(noLonger)
	}
	fmt.Fprintf(b, protection, is.day.Format("January 2, 2006"))
	if style != plainList {
		b.WriteString("<table class=\"table\">\n<thead><tr><th>NAME OF ORGANIZATION</th><th>Effective Date of Revocation</th><th>LOCATION</th></tr></thead>\n<tbody>\n")
	}
	for _, i := range named {
		d.w.org(i, &d.f)
		e := &d.f
		name := bytes.ReplaceAll(appendSigned(nil, e), []byte("&"), []byte("&amp;"))
		if style == plainList {
			fmt.Fprintf(b, "<p>%s<br />\n%s, %s</p>\n", name, e.zip.City, e.zip.State)
		} else {
			h := rng{sub(e.key, 'i', 3)}
			fmt.Fprintf(b, "<tr><td><p>%s</p></td><td><p>%s</p></td>\n<td><p>%s, %s</p></td></tr>\n",
				name, time.Date(2017+h.n(7), time.Month(1+h.n(2)*6), 1, 0, 0, 0, 0, time.UTC).Format("1/2/2006"), e.zip.City, e.zip.State)
		}
		d.counts["irb_deletions"]++
		if e.listed {
			d.counts["irb_deletions_still_listed"]++
		}
	}
	if style != plainList {
		b.WriteString("</tbody>\n</table>\n")
	}
}

// litigation announces that an organization has gone to court over its
// revocation; its donors are protected meanwhile.
func (d *listWriter) litigation(b *bytes.Buffer, is issue, number int, r *rng) {
	for range 1_000 {
		d.w.org(r.n(d.w.orgs), &d.f)
		if _, named := d.w.namedInBulletin[d.f.id]; d.f.listed && !named && d.f.section == "03" {
			break
		}
	}
	fmt.Fprintf(b, "<h3 class=\"title\">Notice of Disposition of Declaratory Judgment Proceedings under Section 7428</h3>\n<h3 id=\"AN%[1]d\">Announcement %[2]d-%[1]d</h3>\n<p>This announcement serves notice to donors that the organization below has filed a petition for declaratory judgment under section 7428 of the Code. Contributions remain deductible to the extent section 7428(c) provides.</p>\n<p>%[3]s<br />%[4]s, %[5]s</p>\n",
		number, is.year, bytes.ReplaceAll(appendSigned(nil, &d.f), []byte("&"), []byte("&amp;")), d.f.zip.City, d.f.zip.State)
	d.counts["irb_litigation"]++
}

// appendSigned writes a name as its bearer does: mixed case, with the legal
// form after a comma.
func appendSigned(dst []byte, e *entity) []byte {
	if e.the {
		dst = append(dst, "The "...)
	}
	dst = append(dst, e.core...)
	switch e.suffix {
	case "":
	case "Corporation":
		dst = append(dst, " Corporation"...)
	default:
		dst = append(append(append(dst, ", "...), e.suffix...), '.')
	}
	return dst
}
