package reconcile

const (
	Root02 = "/reconcile"
	Root10 = "/reconcile/1.0"
)

const (
	previewWidth  = 400
	previewHeight = 300
)

type address struct {
	URL string `json:"url"`
}

type manifest struct {
	Versions      []string `json:"versions"`
	Name          string   `json:"name"`
	Documentation string   `json:"documentation"`
	Logo          string   `json:"logo"`
	DefaultTypes  []Type   `json:"defaultTypes"`
	View          address  `json:"view"`
	BatchSize     int      `json:"batchSize"`
}

type manifest02 struct {
	manifest
	IdentifierSpace string `json:"identifierSpace"`
	SchemaSpace     string `json:"schemaSpace"`
	Preview         struct {
		address
		Width  int `json:"width"`
		Height int `json:"height"`
	} `json:"preview"`
	Suggest struct {
		Entity   suggest02 `json:"entity"`
		Property suggest02 `json:"property"`
		Type     suggest02 `json:"type"`
	} `json:"suggest"`
	Extend struct {
		Propose servicePath `json:"propose_properties"`
	} `json:"extend"`
}

type servicePath struct {
	URL  string `json:"service_url"`
	Path string `json:"service_path"`
}

type suggest02 struct {
	servicePath
	Flyout string `json:"flyout_service_path"`
}

type manifest10 struct {
	manifest
	StandardizedScore bool   `json:"standardizedScore"`
	Lang              string `json:"lang"`
	Dir               string `json:"dir"`
	Preview           struct {
		Width  int `json:"width"`
		Height int `json:"height"`
	} `json:"preview"`
	Suggest struct {
		Entity   bool `json:"entity"`
		Property bool `json:"property"`
		Type     bool `json:"type"`
	} `json:"suggest"`
	Extend struct {
		Propose bool `json:"proposeProperties"`
	} `json:"extend"`
}

// common fills in the fields that both manifests share. It declares no security
// scheme, because clients would then have to send a key with every request.
func (h *Handler) common(version, view string) manifest {
	m := manifest{
		Versions: []string{version}, Name: "Grantgraph: US nonprofits and foundations by EIN",
		Documentation: h.BaseURL + "/docs/reconcile", Logo: h.BaseURL + "/static/mark.svg",
		View: address{h.BaseURL + "/org/" + view}, BatchSize: FreeBatch,
	}
	for _, t := range types {
		m.DefaultTypes = append(m.DefaultTypes, Type{ID: t.ID, Name: t.Name})
	}
	return m
}

func (h *Handler) manifest02() *manifest02 {
	m := &manifest02{manifest: h.common("0.2", "{{id}}"), IdentifierSpace: h.BaseURL + "/org/", SchemaSpace: "https://schema.org/Organization"}
	m.Preview.URL, m.Preview.Width, m.Preview.Height = h.BaseURL+Root02+"/preview?id={{id}}", previewWidth, previewHeight
	for kind, to := range map[string]*suggest02{"entity": &m.Suggest.Entity, "property": &m.Suggest.Property, "type": &m.Suggest.Type} {
		*to = suggest02{servicePath{h.BaseURL, Root02 + "/suggest/" + kind}, Root02 + "/flyout/" + kind + "?id=${id}"}
	}
	m.Extend.Propose = servicePath{h.BaseURL, Root02 + "/extend/propose"}
	return m
}

func (h *Handler) manifest10() *manifest10 {
	m := &manifest10{manifest: h.common("1.0-draft", "{id}"), StandardizedScore: true, Lang: "en", Dir: "ltr"}
	m.Preview.Width, m.Preview.Height = previewWidth, previewHeight
	m.Suggest.Entity, m.Suggest.Property, m.Suggest.Type, m.Extend.Propose = true, true, true, true
	return m
}
