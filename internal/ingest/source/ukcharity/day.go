package ukcharity

import "time"

// day reads a date, YYYY-MM-DD, as days since 1970. It ignores the time of day
// that the register adds.
func day(raw []byte) (int32, bool) {
	if len(raw) < 10 || len(raw) > 10 && raw[10] != 'T' && raw[10] != ' ' {
		return 0, false
	}
	t, err := time.Parse(time.DateOnly, string(raw[:10]))
	if err != nil || t.Year() < 1 {
		return 0, false
	}
	return int32(t.Unix() / secondsPerDay), true
}

const secondsPerDay = 24 * 60 * 60

// dayText writes a date as it is read.
func dayText(d int32) string {
	return time.Unix(int64(d)*secondsPerDay, 0).UTC().Format(time.DateOnly)
}
