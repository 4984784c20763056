package site

import "strconv"

// sizeText writes a number of bytes as a person says it.
func sizeText(bytes int64) string {
	if bytes >= 1<<20 {
		return strconv.FormatInt(bytes>>20, 10) + " MB"
	}
	return strconv.FormatInt(bytes>>10, 10) + " KB"
}
