package abroad

// Canonical returns the name of a cluster: its most frequent spelling, then the
// longest. It is empty for an id that is not among the clusters.
func (c *Clusters) Canonical(id string) string {
	if at, ok := c.ids[id]; ok {
		return c.list[at].canonical
	}
	return ""
}
