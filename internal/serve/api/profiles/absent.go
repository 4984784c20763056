package profiles

import (
	"fmt"
	"slices"

	"grantgraph/client"
	"grantgraph/internal/irscode"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/snapshot"
)

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
		return NotOnThisForm, "The only returns of the organization that were read are about a tax (Form 990-T) and do not have it."
	}
	if p.Sources&snapshot.SourceBMF == 0 {
		return NoFilingRead, "No return of the organization was read, and the current master file does not list it."
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
		return FilesOnPaper, fmt.Sprintf("The latest return that the master file knows of is for the period that ended in %s; returns of that time "+
			"could be filed on paper, and no electronic one was read.", monthOf(p.LastPeriod))
	}
	return NoFilingRead, "No return of the organization was among those that were read."
}

func monthOf(period string) string {
	if len(period) != 6 {
		return period
	}
	return period[:4] + "-" + period[4:]
}
