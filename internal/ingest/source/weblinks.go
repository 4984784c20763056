package source

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
)

type link struct {
	URL  *url.URL
	Text string
}

var (
	anchor  = regexp.MustCompile(`(?is)<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))[^>]*>(.*?)</a`)
	element = regexp.MustCompile(`(?s)<[^>]*>`)
)

const maxLinks = 5000

// links finds the links of a page, resolved against its address. It leaves out
// links that are not web addresses.
func links(page []byte, address string) ([]link, error) {
	base, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address: %w", address, err)
	}
	var list []link
	for _, m := range anchor.FindAllSubmatch(page, maxLinks) {
		to, err := base.Parse(strings.TrimSpace(html.UnescapeString(string(m[1]) + string(m[2]) + string(m[3]))))
		if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
			continue
		}
		to.Fragment = ""
		text := html.UnescapeString(element.ReplaceAllString(string(m[4]), " "))
		list = append(list, link{to, strings.Join(strings.Fields(text), " ")})
	}
	return list, nil
}
