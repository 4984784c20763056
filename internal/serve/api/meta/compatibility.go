package meta

import (
	_ "embed"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/table"
)

// The statuses of a mapping.
const (
	unsupported = "unsupported"
	transformed = "transformed"
	ours        = "service"
)

// compatibilityTable maps the endpoints, parameters and filters of another service
// to those of this one. A row without a word of the other service is our own.
//
//go:embed compatibility.tsv
var compatibilityTable string

var mappings = func() map[string][]client.Mapping {
	maps := map[string][]client.Mapping{}
	for _, r := range table.Read("compatibility.tsv", compatibilityTable, "table", "external", "service", "status", "note") {
		name := r.Text("table")
		maps[name] = append(maps[name], mapping(r.Text("external"), r.Text("service"), r.Text("status"), r.Text("note")))
	}
	return maps
}()

func mapping(external, service, status, note string) client.Mapping {
	return client.Mapping{External: api.OrNull(external), Service: api.OrNull(service), Status: status, Note: note}
}

// externalSupport are the support strategies of the other service of which real rows
// are known. For the rest there is no counterpart that could be checked.
var externalSupport = map[grant.Support]string{
	grant.GeneralOperating: "UA0000", grant.Program: "UN0000", grant.Capital: "UF0000", grant.CapacityBuilding: "UE0000",
	grant.Fellowship: "UR0400", grant.EmergencyRelief: "UG0700",
}

func compatibility(call *api.Call) client.Compatibility {
	c := client.Compatibility{
		Endpoints:         honored(mappings["endpoints"], func(endpoint string) bool { return serves(call, endpoint) }),
		GrantParameters:   mappings["grant_parameters"],
		EssentialsFilters: honored(mappings["essentials_filters"], func(string) bool { return serves(call, "POST /api/v1/essentials") }),
	}
	for _, s := range grant.Supports() {
		status := ours
		if externalSupport[s] != "" {
			status = transformed
		}
		c.SupportStrategies = append(c.SupportStrategies, mapping(externalSupport[s], s.IDs()[0], status, s.Label()+"; derived from the purpose wording."))
	}
	return c
}

// serves reports whether the operation table has an endpoint. The map covers the
// whole interface, and a service may have only a part of it.
func serves(call *api.Call, endpoint string) bool {
	endpoint, _, _ = strings.Cut(endpoint, "?")
	method, path, _ := strings.Cut(endpoint, " ")
	return call.Serves(method, path)
}

// honored keeps a map from promising what this service does not have: such words of
// the other service become unsupported, and such features of our own are left out.
func honored(list []client.Mapping, there func(service string) bool) []client.Mapping {
	var out []client.Mapping
	for _, m := range list {
		switch {
		case m.Service == nil || there(*m.Service):
			out = append(out, m)
		case m.External != nil:
			out = append(out, mapping(*m.External, "", unsupported, "This service does not offer it."))
		}
	}
	return out
}
