package account

import "strings"

// ParseEmail returns an email address in the form in which it is compared: without
// spaces around it and in lower case. It accepts only ASCII, so that no two addresses
// look the same.
func ParseEmail(s string) (string, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	local, domain, ok := strings.Cut(s, "@")
	const special = "abcdefghijklmnopqrstuvwxyz0123456789.!#$%&'*+/=?^_`{|}~-"
	if !ok || len(s) > maxEmail || len(local) > 64 || !dotted(local, special) || !dotted(domain, special[:26+10]+"-.") || !strings.Contains(domain, ".") {
		return "", badEmail(legible(s, 100), "give one like name@example.org")
	}
	return s, nil
}

// dotted reports whether s consists of non-empty parts of these characters, separated
// by dots.
func dotted(s, chars string) bool {
	return s != "" && strings.Trim(s, chars) == "" && s[0] != '.' && s[len(s)-1] != '.' && !strings.Contains(s, "..") &&
		strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune(chars, r) }) < 0
}
