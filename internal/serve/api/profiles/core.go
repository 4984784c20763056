package profiles

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/irscode"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
)

func (p Parts) core(ctx context.Context, c *api.Call, found *profile.Profile, absent *absences) (core client.ProfileCore, err error) {
	g := p.Graph(c.Data)
	given, err := g.Sums(ctx, found.EIN, graph.Gave)
	if err != nil {
		return core, err
	}
	received, err := g.Sums(ctx, found.EIN, graph.Received)
	if err != nil {
		return core, err
	}
	core.Given = client.ProfileGiven{
		TotalAmount: given.Total, GrantCount: given.Grants, RecipientCount: given.Parties, FirstFiscalYear: api.OrNull(given.FirstYear),
		LastFiscalYear: api.OrNull(given.LastYear),
		NetOfReversals: given.Total + found.Account.Sums(profile.AnyYear)[grant.Reversals],
	}
	core.Received = client.ProfileReceived{
		TotalAmount: received.Total, GrantCount: received.Grants, FunderCount: received.Parties, FirstFiscalYear: api.OrNull(received.FirstYear),
		LastFiscalYear: api.OrNull(received.LastYear),
	}
	core.Organization = organization(c.Base, &found.Organization)
	core.Organization.KnownFrom = knownFrom(found, given.Grants > 0, received.Grants > 0)
	if found.Latest != nil {
		f := financials(c, found.EIN, found.Latest)
		core.Financials = &f
	} else {
		absent.unfiled("financials")
	}
	core.Standing = p.standing(c, found.EIN)
	core.Filings = []client.ProfileReturn{}
	for _, f := range found.Filings {
		core.Filings = append(core.Filings, returnOf(c, found.EIN, &f))
	}
	return core, nil
}

func returnOf(c *api.Call, filer ein.EIN, f *profile.Filing) client.ProfileReturn {
	return client.ProfileReturn{
		ObjectID: api.OrNull(f.ObjectID), ReturnType: f.ReturnType, FiscalYear: int(f.FiscalYear), TaxPeriodEnd: f.PeriodEnd,
		Amended: f.Amended, URL: c.FilingURL(filer, f.ObjectID),
	}
}

func pageURL(base string, e ein.EIN, name string) string {
	return base + "/org/" + e.String() + "/" + search.Slug(name)
}

func organization(base string, o *profile.Organization) client.ProfileOrganization {
	w := client.ProfileOrganization{
		EIN: o.EIN.String(), Name: o.Name, AlsoKnownAs: append([]string{}, o.AlsoKnown...), FormerNames: append([]string{}, o.Former...),
		Street: api.OrNull(o.Street), City: api.OrNull(o.City), State: api.OrNull(o.State), ZIP: api.OrNull(o.ZIP), CountyFIPS: api.OrNull(o.County),
		SubsectionCode: api.OrNull(o.Subsection), SubsectionLabel: api.OrNull(irscode.SubsectionLabel(o.Subsection)),
		FoundationCode: api.OrNull(o.Foundation), FoundationType: api.OrNull(irscode.FoundationType(o.Foundation)),
		FoundationLabel: api.OrNull(irscode.FoundationLabel(o.Foundation)),
		Deductibility:   api.OrNull(irscode.DeductibilityLabel(o.Deductible)),
		Mission:         api.OrNull(cmp.Or(o.Mission, o.Activity)), WebsiteURL: api.OrNull(o.Website),
		Kind: o.Kind, Type: o.Type, FunderType: api.OrNull(o.FunderKind),
		URL: pageURL(base, o.EIN, o.Name),
	}
	if strings.Trim(o.Group, "0") != "" {
		w.GroupExemption = &o.Group // with its leading zeros
	}
	if county, known := place.Shipped().County(o.County); known {
		w.CountyName = &county.Name
	}
	w.RulingYear, w.RulingMonth = irscode.RulingDate(o.Ruling)
	if year, err := strconv.Atoi(o.Formed); err == nil && year > 0 {
		w.FormationYear = &year
	}
	code := o.Code()
	w.NTEECode = api.OrNull(string(code))
	if code != "" {
		w.NTEELabel = api.OrNull(cmp.Or(ntee.Title(code), code.Label()))
	}
	switch letter := code.Major(); {
	case letter != 0:
		w.Subject, w.SubjectLabel, w.SubjectSource = api.OrNull(string(rune(letter))), api.OrNull(ntee.Label(letter)), api.OrNull("registered")
	case o.InferredCause != "":
		w.Subject, w.SubjectLabel, w.SubjectSource = &o.InferredCause, api.OrNull(ntee.Label(o.InferredCause[0])), api.OrNull("inferred")
		w.SubjectConfidence = &o.InferredConfidence
	}
	return w
}

func knownFrom(p *profile.Profile, given, received bool) []string {
	list := []string{}
	for _, s := range []struct {
		known bool
		word  string
	}{
		{p.Sources&snapshot.SourceBMF != 0, "master_file"},
		{p.Sources&snapshot.SourceOldBMF != 0, "earlier_master_file"},
		{len(p.Filings) > 0 || p.Sources&snapshot.SourceFiler != 0, "returns"},
		{p.Sources&snapshot.SourcePub78 != 0, "publication_78"},
		{p.Sources&snapshot.SourceRevoked != 0, "revocation_list"},
		{given, "grants_given"},
		{received || p.Sources&(snapshot.SourceFunders|snapshot.SourceLine) != 0, "grants_received"},
	} {
		if s.known {
			list = append(list, s.word)
		}
	}
	return list
}

func (p Parts) standing(c *api.Call, e ein.EIN) client.ProfileStanding {
	x := p.Screener(c.Data).Exemption(e, p.Clock())
	return client.ProfileStanding{
		InBMF: x.InBMF, Pub78Verified: x.Pub78Verified, Revoked: x.Revoked,
		RevocationDate: api.OrNull(x.RevocationDate), ReinstatementDate: api.OrNull(x.ReinstatementDate), AsOf: api.OrNull(x.AsOf),
	}
}

func financials(c *api.Call, filer ein.EIN, f *snapshot.Financial) client.ProfileFinancials {
	return client.ProfileFinancials{
		FiscalYear: int(f.TaxYear), ReturnType: f.ReturnType, TaxPeriodEnd: f.PeriodEnd,
		TotalRevenue: f.TotalRevenue, TotalExpenses: f.TotalExpenses, TotalAssets: f.TotalAssets, TotalLiabilities: f.TotalLiabilities,
		NetAssets: f.NetAssets, GrantsPaid: f.GrantsPaid, MonthsLiquid: f.MonthsLiquid,
		Filing: client.ProfileReturnReference{
			ObjectID: api.OrNull(f.ObjectID), ReturnType: f.ReturnType, TaxPeriodEnd: f.PeriodEnd, URL: c.FilingURL(filer, f.ObjectID),
		},
	}
}

// Applications is what a private foundation tells applicants, nil for others.
func Applications(p *profile.Profile) *client.ProfileApplications {
	if len(p.Applications) == 0 && (!mayHold(p) || len(p.Filings) == 0) {
		return nil
	}
	a := &client.ProfileApplications{AcceptsApplications: grant.NotStated, Contacts: []client.ApplicationContact{}}
	for _, s := range p.Applications {
		a.AcceptsApplications, a.FiscalYear, a.ObjectID = s.Accepts, api.OrNull(int(s.TaxYear)), api.OrNull(s.ObjectID)
		if s.Number > 0 {
			a.Contacts = append(a.Contacts, client.ApplicationContact{
				Name: api.OrNull(s.Name), Street: api.OrNull(s.Street), City: api.OrNull(s.City), State: api.OrNull(s.State), ZIP: api.OrNull(s.ZIP),
				Country: api.OrNull(s.Country), Phone: api.OrNull(s.Phone), Email: api.OrNull(s.Email), Form: api.OrNull(s.Form),
				Deadlines: api.OrNull(s.Deadlines), Restrictions: api.OrNull(s.Restrictions), Masked: s.Masked,
			})
		}
	}
	return a
}

// Reconciliation says where the grant dollars of each return are, latest first.
func Reconciliation(c *api.Call, p *profile.Profile) []client.ReturnAccount {
	list := []client.ReturnAccount{}
	for _, account := range p.Account.Returns() {
		of, sums := &account[0], account.Sums(profile.AnyYear)
		i := slices.IndexFunc(p.Filings, func(f profile.Filing) bool { return f.ObjectID == of.ObjectID && f.PeriodEnd == of.PeriodEnd })
		if i < 0 {
			continue // older than the returns that a profile lists
		}
		r := client.ReturnAccount{ProfileReturn: returnOf(c, p.EIN, &p.Filings[i]), InRows: sums[grant.Itemized],
			NetOfReversals: sums[grant.Itemized] + sums[grant.Reversals], OutsideRows: sums.Outside(), Amounts: []client.AccountAmount{}}
		for _, a := range account {
			if a.Kind == grant.DeclaredTotal {
				r.DeclaredTotal = &a.Amount
			}
			if kind, known := grant.AmountOf(a.Kind); known {
				r.Amounts = append(r.Amounts, client.AccountAmount{Kind: a.Kind, Label: kind.Label, Given: a.Given, LineCount: int64(a.Lines), TotalAmount: a.Amount})
			}
		}
		list = append(list, r)
	}
	return list
}

const (
	Plan                  = "plan"                     // the plan of the key does not include it
	NoFilingRead          = "no_filing_read"           // no return of the organization was read
	FilesOnPaper          = "files_on_paper"           // its returns are older than electronic filing
	Files990N             = "files_990n"               // it files a notice without figures
	NotRequiredToFile     = "not_required_to_file"     // such as a church
	NotOnThisForm         = "not_on_this_form"         // its form does not ask for it
	NotAPrivateFoundation = "not_a_private_foundation" // only private foundations list their investments
	NoneFound             = "none_found"               // we looked and found none
	SourceNotLoaded       = "source_not_loaded"        // the files with this data were not read
)

// What the master file and forms call things.
const (
	noticeCode            = "02" // files Form 990-N
	groupReturnCode       = "03"
	privateFoundationForm = "990PF"
	// efileMandatory is about the first period that everybody had to file electronically.
	efileMandatory = "202107"
)

const noInvestments = "Only private foundations list their investments."

// notRequired are the codes of those who need not file.
var notRequired = []string{"00", "06", "07", "13", "14"}

type absences struct {
	profile *profile.Profile
	list    []client.Absent
}

func (a *absences) add(part, reason, detail string) {
	a.list = append(a.list, client.Absent{Part: part, Reason: reason, Detail: detail})
}

func (a *absences) none(part, detail string) { a.add(part, NoneFound, detail) }

func (a *absences) unfiled(part string) {
	reason, detail := whyUnfiled(a.profile)
	a.add(part, reason, detail)
}

// whyUnfiled says why no return was read, as far as the master file tells.
func whyUnfiled(p *profile.Profile) (reason, detail string) {
	if len(p.Filings) > 0 {
		return NotOnThisForm, "The only returns we have of this organization are Forms 990-T, which do not include it."
	}
	if p.Sources&snapshot.SourceBMF == 0 {
		return NoFilingRead, "We have no return of this organization, and the current master file does not list it."
	}
	switch private := irscode.PrivateFoundation(p.Foundation); { // private foundations file another form, which has its own code
	case p.FilingReq == noticeCode:
		return Files990N, "The organization may file Form 990-N, an electronic notice without figures."
	case p.FilingReq == groupReturnCode:
		return NotRequiredToFile, "The master file says that the organization is covered by the return of a group."
	case !private && slices.Contains(notRequired, p.FilingReq):
		return NotRequiredToFile, "The master file says that the organization is not required to file a return."
	}
	if p.LastPeriod != "" && p.LastPeriod < efileMandatory {
		return FilesOnPaper, fmt.Sprintf("According to the master file, the latest return is for the period that ended in %s. Organizations could "+
			"file on paper then, and we have no electronic return.", monthOf(p.LastPeriod))
	}
	return NoFilingRead, "We have no return of this organization."
}

func monthOf(period string) string {
	if len(period) != 6 {
		return period
	}
	return period[:4] + "-" + period[4:]
}
