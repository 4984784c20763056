package profiles

import (
	"testing"

	"grantgraph/internal/serve/profile"
	"grantgraph/internal/snapshot"
)

func TestWhyUnfiled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		id   profile.Identity
		want string
	}{
		"in no list":                   {profile.Identity{Sources: snapshot.SourceLine, FilingReq: "02"}, NoFilingRead},
		"a notice":                     {profile.Identity{Sources: snapshot.SourceBMF, FilingReq: "02"}, Files990N},
		"a church":                     {profile.Identity{Sources: snapshot.SourceBMF, FilingReq: "06", Foundation: "10"}, NotRequiredToFile},
		"part of a group":              {profile.Identity{Sources: snapshot.SourceBMF, FilingReq: "03"}, NotRequiredToFile},
		"a private foundation":         {profile.Identity{Sources: snapshot.SourceBMF, FilingReq: "00", Foundation: "04", LastPeriod: "202312"}, NoFilingRead},
		"on paper":                     {profile.Identity{Sources: snapshot.SourceBMF, FilingReq: "01", LastPeriod: "201812"}, FilesOnPaper},
		"electronically, but not read": {profile.Identity{Sources: snapshot.SourceBMF, FilingReq: "01", LastPeriod: "202212"}, NoFilingRead},
		"nothing known":                {profile.Identity{Sources: snapshot.SourceBMF}, NoFilingRead},
	} {
		p := &profile.Profile{Organization: profile.Organization{Identity: c.id}}
		if reason, detail := whyUnfiled(p); reason != c.want || detail == "" {
			t.Errorf("%s: %s, want %s: %s", name, reason, c.want, detail)
		}
		p.Filings = []profile.Filing{{ReturnType: "990T"}}
		if reason, _ := whyUnfiled(p); reason != NotOnThisForm {
			t.Errorf("%s, with a 990-T: %s", name, reason)
		}
	}
}
