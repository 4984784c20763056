package reconcile

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"strconv"

	"grantgraph/internal/money"
	"grantgraph/internal/serve/identify"
)

//go:embed preview.html
var previewText string

//go:embed preview.css
var previewStyle []byte

// styleAddress is the address of the preview style. It changes with the style.
var styleAddress = func() string {
	sum := sha256.Sum256(previewStyle)
	return Root02 + "/preview." + hex.EncodeToString(sum[:4]) + ".css"
}()

var previewPage = template.Must(template.New("preview").Parse(previewText))

// preview shows an organization in a frame of another site's page. Only this address allows framing.
func (h *Handler) preview(w http.ResponseWriter, r *http.Request) error {
	d, release, err := h.look(w, r)
	if err != nil {
		return err
	}
	defer release()
	type line struct{ Name, Value string }
	page := struct {
		Style, Title, EIN, Place, Address string
		Known                             bool
		Lines                             []line
	}{Style: styleAddress, Title: "No such organization"}
	status := http.StatusNotFound
	if e, ok := identify.ReadEIN(r.URL.Query().Get("id")); ok {
		f, known, err := sourceOf(d, h.Clock()).of(r.Context(), e.String())
		if err != nil {
			return err
		}
		if known {
			status = http.StatusOK
			page.Known, page.Title, page.EIN, page.Place = true, nameOf(&f.Result), e.Hyphenated(), placeOf(f.Result.City, f.Result.State)
			page.Address = h.BaseURL + "/org/" + e.String()
			add := func(name, value string) {
				if value != "" {
					page.Lines = append(page.Lines, line{name, value})
				}
			}
			add("Kind", f.Type)
			add("Cause", f.Cause)
			if f.Row.Revenue != nil {
				add("Revenue", fmt.Sprintf("%s in fiscal %d", money.Dollars(*f.Row.Revenue), f.FiscalYear))
			}
			for _, s := range []struct {
				name          string
				total, grants int64
			}{{"Gave", f.gave.Total, f.gave.Grants}, {"Received", f.received.Total, f.received.Grants}} {
				switch s.grants {
				case 0:
				case 1:
					add(s.name, money.Dollars(s.total)+" in 1 grant")
				default:
					add(s.name, fmt.Sprintf("%s in %s grants", money.Dollars(s.total), money.Grouped(s.grants)))
				}
			}
			add("Standing", f.standing())
		}
	}
	var b bytes.Buffer
	if err := previewPage.Execute(&b, page); err != nil {
		return fmt.Errorf("drawing a preview: %w", err)
	}
	header := w.Header()
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-ancestors *; base-uri 'none'; form-action 'none'")
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(b.Len()))
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Robots-Tag", "noindex")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
	return nil
}

func serveStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(previewStyle)
}
