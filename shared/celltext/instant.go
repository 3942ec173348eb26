package celltext

// Instant reads RFC 3339 into Unix milliseconds; what is finer is dropped.
// time.Parse would do, and take as long as all the rest of a CSV row.
func Instant(text []byte) (ms int64, ok bool) {
	const shortest = len("2006-01-02T15:04:05Z")
	if len(text) < shortest || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':' {
		return 0, false
	}
	year, month, day := two(text)*100+two(text[2:]), two(text[5:]), two(text[8:])
	hour, minute, second := two(text[11:]), two(text[14:]), two(text[17:])
	// What is not digits is negative, and so out of every range.
	if uint(year) > 9999 || uint(month-1) > 11 || uint(day-1) >= uint(daysIn(year, month)) ||
		uint(hour) > 23 || uint(minute) > 59 || uint(second) > 59 {
		return 0, false
	}
	ms, rest, ok := fraction(text[19:])
	if !ok {
		return 0, false
	}
	east, ok := offset(rest)
	seconds := daysSince1970(year, month, day)*86_400 + int64(hour*3_600+minute*60+second) - east
	return seconds*1_000 + ms, ok
}

// two reads two digits; anything else gives a number far below zero.
func two(text []byte) int {
	tens, ones := text[0]-'0', text[1]-'0'
	if tens > 9 || ones > 9 {
		return -1 << 20
	}
	return int(tens)*10 + int(ones)
}

// fraction reads ".123456789", or nothing, as milliseconds.
func fraction(text []byte) (ms int64, rest []byte, ok bool) {
	if text[0] != '.' {
		return 0, text, true
	}
	i, unit := 1, int64(100)
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		ms += int64(text[i]-'0') * unit
		unit /= 10
	}
	return ms, text[i:], i > 1
}

// offset reads "Z", "+02:00" or "-02:00" as seconds east of UTC.
func offset(text []byte) (east int64, ok bool) {
	if len(text) == 1 {
		return 0, text[0] == 'Z'
	}
	if len(text) != 6 || text[0] != '+' && text[0] != '-' || text[3] != ':' {
		return 0, false
	}
	hours, minutes := two(text[1:]), two(text[4:])
	if uint(hours) > 23 || uint(minutes) > 59 {
		return 0, false
	}
	east = int64(hours*3_600 + minutes*60)
	if text[0] == '-' {
		east = -east
	}
	return east, true
}

// daysIn is how many days a month has, of 1 to 12.
func daysIn(year, month int) int {
	if month == 2 && (year%4 == 0 && year%100 != 0 || year%400 == 0) {
		return 29
	}
	return int("\x1f\x1c\x1f\x1e\x1f\x1e\x1f\x1f\x1e\x1f\x1e\x1f"[month-1])
}

// daysSince1970 counts in years that begin in March, so that the leap day is
// the last (http://howardhinnant.github.io/date_algorithms.html#days_from_civil).
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
