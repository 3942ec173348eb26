package manifest

import "time"

// parseInstant reads RFC 3339 into Unix milliseconds; what is finer is dropped.
// time.Parse would do, and take as long as all the rest of a CSV row.
func parseInstant(text []byte) (int64, bool) {
	const shortest = len("2006-01-02T15:04:05Z")
	if len(text) < shortest || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':' {
		return 0, false
	}
	year, month, day := number(text[0:4]), number(text[5:7]), number(text[8:10])
	hour, minute, second := number(text[11:13]), number(text[14:16]), number(text[17:19])
	if min(year, month, day, hour, minute, second) < 0 || month < 1 || month > 12 ||
		day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	ms, rest, ok := fraction(text[19:])
	if !ok {
		return 0, false
	}
	east, ok := offset(rest)
	if !ok {
		return 0, false
	}
	seconds := daysSince1970(year, month, day)*86_400 + int64(hour*3_600+minute*60+second) - east
	return seconds*1_000 + ms, true
}

// number reads decimal digits, -1 if there is anything else.
func number(text []byte) int {
	n := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// fraction reads ".123456789", or nothing, as milliseconds.
func fraction(text []byte) (ms int64, rest []byte, ok bool) {
	if text[0] != '.' {
		return 0, text, true
	}
	i, scale := 1, int64(100)
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		ms += int64(text[i]-'0') * scale
		scale /= 10
	}
	return ms, text[i:], i > 1 && i < len(text)
}

// offset reads "Z", "+02:00" or "-02:00" as seconds east of UTC.
func offset(text []byte) (east int64, ok bool) {
	if len(text) == 1 && text[0] == 'Z' {
		return 0, true
	}
	if len(text) != 6 || text[0] != '+' && text[0] != '-' || text[3] != ':' {
		return 0, false
	}
	hours, minutes := number(text[1:3]), number(text[4:6])
	if hours < 0 || hours > 23 || minutes < 0 || minutes > 59 {
		return 0, false
	}
	east = int64(hours*3_600 + minutes*60)
	if text[0] == '-' {
		east = -east
	}
	return east, true
}

func daysIn(year, month int) int {
	switch time.Month(month) {
	case time.April, time.June, time.September, time.November:
		return 30
	case time.February:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysSince1970 counts in years that begin in March, so that the leap day is
// the last (http://howardhinnant.github.io/date_algorithms.html).
func daysSince1970(year, month, day int) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := year / 400
	if year < 0 {
		era = -1 // the year 0 in January
	}
	ofEra := year - era*400
	ofYear := (153*(month-3)+2)/5 + day - 1
	return int64(era*146_097+ofEra*365+ofEra/4-ofEra/100+ofYear) - 719_468
}
