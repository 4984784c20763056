package draw

import "strings"

// advances are the widths of the characters from the blank to the tilde in the
// semibold of Public Sans, which the labels of pictures are set in, in hundredths
// of its size.
var advances = [...]uint8{
	24, 27, 46, 61, 68, 93, 75, 26, 32, 33, 44, 58, 27, 39, 25, 37, 63, 42, 62, 65, 65, 66, 65, 62, 66, 65, 25, 27, 57, 58, 57, 53,
	83, 72, 68, 71, 71, 63, 61, 75, 77, 30, 40, 71, 58, 91, 77, 75, 65, 77, 69, 69, 61, 72, 69, 97, 71, 64, 66, 33, 37, 33, 48, 54,
	25, 57, 61, 55, 61, 58, 40, 63, 59, 26, 28, 58, 32, 89, 59, 58, 61, 61, 41, 52, 41, 59, 52, 79, 58, 56, 49, 36, 27, 37, 60,
}

// ruler says how wide a text is.
type ruler func(text string) float64

// labelRuler measures labels of a size.
func labelRuler(size float64) ruler {
	return func(text string) float64 { return textWidth(text, size) }
}

// textWidth is how wide a label is at a size, or a little less than that: what no
// font of the site has is drawn by the reader's machine, and taken for wide.
func textWidth(text string, size float64) float64 {
	hundredths := 0
	for _, r := range text {
		switch {
		case r >= ' ' && int(r-' ') < len(advances):
			hundredths += int(advances[r-' '])
		case r < 0x250 || r == '…' || r == '–' || r == '−' || r == '’':
			hundredths += 78
		default:
			hundredths += 105
		}
	}
	return float64(hundredths) / 100 * size
}

// cutTo shortens a text to a width, at a word where one is near, with an ellipsis.
// The words in full belong beside it.
func cutTo(text string, width float64, long ruler) string {
	text = squeeze(text)
	if long(text) <= width {
		return text
	}
	room, end, blank := width-long("…"), 0, 0
	for i, r := range text {
		if room -= long(string(r)); room < 0 {
			break
		}
		if r == ' ' {
			blank = i
		}
		end = i + len(string(r))
	}
	if end == 0 {
		return "…"
	}
	if blank*4 >= end*3 { // a word that is cut near its beginning is left out
		end = blank
	}
	return strings.TrimRight(text[:end], " ,;:&-") + "…"
}

// wrapTo breaks a text into lines of a width, as many as allowed; what remains is
// cut. A word that is too long by itself is cut too.
func wrapTo(text string, width float64, lines int, long ruler) (all []string) {
	words := strings.Fields(squeeze(text))
	for len(words) > 0 && len(all) < lines {
		n := 1
		for n < len(words) && long(strings.Join(words[:n+1], " ")) <= width {
			n++
		}
		if len(all) == lines-1 {
			n = len(words)
		}
		all = append(all, cutTo(strings.Join(words[:n], " "), width, long))
		words = words[n:]
	}
	return all
}

// squeeze bounds a text and makes runs of blanks one.
func squeeze(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxText {
			text = text[:i] + "…"
			break
		}
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
}
