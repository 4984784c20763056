package draw

import "strings"

// advances are the widths of the characters from the blank to the tilde in Public
// Sans Semibold, the font of labels, in hundredths of the font size.
var advances = [...]uint8{
	24, 27, 46, 61, 68, 93, 75, 26, 32, 33, 44, 58, 27, 39, 25, 37, 63, 42, 62, 65, 65, 66, 65, 62, 66, 65, 25, 27, 57, 58, 57, 53,
	83, 72, 68, 71, 71, 63, 61, 75, 77, 30, 40, 71, 58, 91, 77, 75, 65, 77, 69, 69, 61, 72, 69, 97, 71, 64, 66, 33, 37, 33, 48, 54,
	25, 57, 61, 55, 61, 58, 40, 63, 59, 26, 28, 58, 32, 89, 59, 58, 61, 61, 41, 52, 41, 59, 52, 79, 58, 56, 49, 36, 27, 37, 60,
}

type ruler func(text string) float64

func labelRuler(size float64) ruler {
	return func(text string) float64 { return textWidth(text, size) }
}

// textWidth estimates the width of a label. Characters outside the site's fonts are
// drawn in a font of the reader's machine, so they count as wide.
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

// cutTo shortens a text to a width with an ellipsis, at a word boundary if one is
// near. Callers put the full text beside it.
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
	if blank*4 >= end*3 { // drop a word that would be cut near its beginning
		end = blank
	}
	return strings.TrimRight(text[:end], " ,;:&-") + "…"
}

// wrapTo breaks a text into at most so many lines of a width, and cuts the rest. A
// single word that is too long is cut too.
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

// squeeze bounds a text and collapses runs of blanks.
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
