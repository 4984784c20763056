package screen

import (
	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/irscode"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot/lists"
)

const inCalifornia = "CA"

// california screens against the two lists of California: by EIN, and there also by a name that occurs once without an EIN.
func (c *screening) california(revoked *bool) client.CaliforniaScreen {
	ca := client.CaliforniaScreen{ScreenProvenance: c.provenance(lists.CARegistry, NotListed), FTB: c.provenance(lists.CAFTB, NotListed)}
	ca.RegistryRecords = recordsOf(c, &ca.ScreenProvenance, Listed, c.rows.registry, &c.tables.RegistrationsNamed, registryRecord)
	ca.MayOperate = mayOperate(ca.RegistryRecords)
	ca.FTBRecords = recordsOf(c, &ca.FTB, Revoked, c.rows.ftb, &c.tables.FTBRecordsNamed, ftbRecord)
	ca.GoodStanding = goodStanding(&ca, revoked)
	return ca
}

// recordsOf returns the records of one list, nil if the list is not screened, and sets the status of the list.
func recordsOf[T, R any](c *screening, p *client.ScreenProvenance, status string, rows []T, named *Section[T],
	record func(row T, basis string) R) []R {
	if !p.Screened {
		return nil
	}
	list := each.Of(rows, func(row T) R { return record(row, "ein") })
	others := byName(c, named)
	if len(list) == 0 && len(others) == 1 {
		list = append(list, record(others[0], "name"))
	}
	if c.settle(p, status, len(list), len(others)); !p.Screened {
		return nil
	}
	return list
}

// settle sets the status of a list of California by the number of rows found. When it found none, the list is not screened if
// several rows have the organization's name, or if the master file, which gives name and state, was not screened.
func (c *screening) settle(p *client.ScreenProvenance, status string, found, named int) {
	switch {
	case found > 0:
		p.Status = status
	case named > 1:
		unscreen(p, "It has no row of this EIN, but several rows without an EIN have the name of this organization, "+
			"and nothing says whether one of them is meant.")
	case !c.sources.BMF.Screens:
		unscreen(p, "It has no row of this EIN, but rows without an EIN are found by name, "+
			"and the master file, which has the name, was not screened.")
	}
}

// byName returns the rows without an EIN that have the organization's name, if it is in California.
func byName[T any](c *screening, named *Section[T]) []T {
	m := &c.rows.master
	if key := orgname.Key(m.Name); c.rows.inMaster && m.State == inCalifornia && key != "" {
		return RowsNamed(named, key)
	}
	return nil
}

func registryRecord(c lists.Registration, basis string) client.CaliforniaRegistryRecord {
	r := client.CaliforniaRegistryRecord{
		RegistrationNumber: orNull(c.Registration), Status: orNull(c.Status), List: c.List, Name: c.Name, City: orNull(c.City), State: orNull(c.State),
		EIN: orNull(c.EIN), Issued: orNull(c.Issued), Renewed: orNull(c.Renewed), StatusSet: orNull(c.StatusSet), MatchBasis: basis,
	}
	if may, known := irscode.MayOperateInCalifornia(c.Status); known {
		r.MayOperate = &may
	}
	return r
}

func ftbRecord(c lists.FTBRecord, basis string) client.CaliforniaFTBRecord {
	return client.CaliforniaFTBRecord{
		EntityID: orNull(c.EntityID), Name: c.Name, City: orNull(c.City), Section: orNull(c.Section), Revoked: orNull(c.Revoked),
		EIN: orNull(c.EIN), MatchBasis: basis,
	}
}

// mayOperate combines the registrations: one that forbids outweighs one that allows.
func mayOperate(records []client.CaliforniaRegistryRecord) (may *bool) {
	for _, r := range records {
		if r.MayOperate != nil && (may == nil || !*r.MayOperate) {
			may = r.MayOperate
		}
	}
	return may
}

func goodStanding(ca *client.CaliforniaScreen, revoked *bool) *bool {
	switch {
	case revoked != nil && *revoked, ca.FTB.Status == Revoked, ca.MayOperate != nil && !*ca.MayOperate:
		return new(false)
	case revoked != nil && ca.FTB.Screened && ca.Screened && ca.MayOperate != nil:
		return new(true)
	}
	return nil
}
