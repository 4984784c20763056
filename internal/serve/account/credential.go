package account

import (
	"net/http"
	"strings"
)

// Credential is the key that a request carries in its headers, or empty.
func Credential(h http.Header) string {
	if key := strings.TrimSpace(h.Get("X-API-Key")); key != "" {
		return key
	}
	scheme, token, _ := strings.Cut(strings.TrimSpace(h.Get("Authorization")), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return ""
}
