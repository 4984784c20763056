package screen

import (
	"grantgraph/internal/irscode"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot/lists"
)

// inCalifornia is the state whose registry is read.
const inCalifornia = "CA"

// california is what the two lists of California say. Rows are found by EIN;
// of an organization in California also rows without an EIN that have its name,
// when there is one such row and no other can be meant.
func (c *screening) california(revoked *bool) California {
	ca := California{Provenance: c.provenance(lists.CARegistry, NotListed), FTB: c.provenance(lists.CAFTB, NotListed)}
	if ca.Screened {
		ca.RegistryRecords = []RegistryRecord{}
		for _, row := range c.rows.registry {
			ca.RegistryRecords = append(ca.RegistryRecords, registryRecord(row, "ein"))
		}
		if len(ca.RegistryRecords) == 0 {
			if rows, ok := byName(c, c.tables.RegistrationsNamed); ok {
				ca.RegistryRecords = append(ca.RegistryRecords, registryRecord(rows, "name"))
			}
		}
		ca.MayOperate = mayOperate(ca.RegistryRecords)
		ca.found(&ca.Provenance, len(ca.RegistryRecords), Listed, c)
	}
	if ca.FTB.Screened {
		ca.FTBRecords = []FTBRecord{}
		for _, row := range c.rows.ftb {
			ca.FTBRecords = append(ca.FTBRecords, ftbRecord(row, "ein"))
		}
		if len(ca.FTBRecords) == 0 {
			if row, ok := byName(c, c.tables.FTBRecordsNamed); ok {
				ca.FTBRecords = append(ca.FTBRecords, ftbRecord(row, "name"))
			}
		}
		ca.found(&ca.FTB, len(ca.FTBRecords), Revoked, c)
	}
	if !ca.Screened {
		ca.RegistryRecords = nil
	}
	if !ca.FTB.Screened {
		ca.FTBRecords = nil
	}
	ca.GoodStanding = goodStanding(&ca, revoked)
	return ca
}

// found sets the status of a list. Without the master file nobody knows by what
// name and state to look, so that nothing was found means nothing then.
func (ca *California) found(p *Provenance, n int, status string, c *screening) {
	switch {
	case n > 0:
		p.Status = status
	case !c.sources.BMF.Screens:
		p.unscreen("It has no row of this EIN, but rows without an EIN are found by name, and the master file, which has the name, was not screened.")
	}
}

// byName is the one row without an EIN that has the name of an organization in
// California.
func byName[T any](c *screening, named func(key string) []T) (row T, ok bool) {
	if m := &c.rows.master; c.rows.inMaster && m.State == inCalifornia {
		if rows := named(orgname.Key(m.Name)); len(rows) == 1 {
			return rows[0], true
		}
	}
	return row, false
}

func registryRecord(c lists.Registration, basis string) RegistryRecord {
	r := RegistryRecord{
		RegistrationNumber: orNull(c.Registration), Status: orNull(c.Status), List: c.List, Name: c.Name, City: orNull(c.City), State: orNull(c.State),
		EIN: orNull(c.EIN), Issued: orNull(c.Issued), Renewed: orNull(c.Renewed), StatusSet: orNull(c.StatusSet), MatchBasis: basis,
	}
	if may, known := irscode.MayOperateInCalifornia(c.Status); known {
		r.MayOperate = &may
	}
	return r
}

func ftbRecord(c lists.FTBRecord, basis string) FTBRecord {
	return FTBRecord{EntityID: orNull(c.EntityID), Name: c.Name, City: orNull(c.City), Section: orNull(c.Section), Revoked: orNull(c.Revoked), EIN: orNull(c.EIN), MatchBasis: basis}
}

// mayOperate is what the registrations say together: one that bars it counts
// more than one that allows it.
func mayOperate(records []RegistryRecord) (may *bool) {
	for _, r := range records {
		if r.MayOperate != nil && (may == nil || !*r.MayOperate) {
			may = r.MayOperate
		}
	}
	return may
}

func goodStanding(ca *California, revoked *bool) *bool {
	switch {
	case revoked != nil && *revoked, ca.FTB.Status == Revoked, ca.MayOperate != nil && !*ca.MayOperate:
		return truth(false)
	case revoked != nil && ca.FTB.Screened && ca.Screened && ca.MayOperate != nil:
		return truth(true)
	}
	return nil
}
