package bytesize

import "testing"

func TestAmountsAreReadWithTheirUnit(t *testing.T) {
	for text, want := range map[string]int64{
		"96MB": 96e6, "96mb": 96e6, "96 MB": 96e6, "1GiB": 1 << 30, "64MiB": 64 << 20, "5kB": 5000, "7B": 7, "0B": 0, "2TB": 2e12,
	} {
		var s Size
		if err := s.Set(text); err != nil || int64(s) != want {
			t.Errorf("%q is %d, %v; expected %d", text, int64(s), err, want)
		}
	}
}

// A number without a unit would be taken for bytes by one and for megabytes by
// another; one that overflows would become a small one.
func TestAmountsThatCanBeMisreadAreRefused(t *testing.T) {
	for _, text := range []string{"", "96", "MB", "-1MB", "1.5GB", "96M", "9999999999TB", "1e3MB", "0x10MB"} {
		s := Size(5)
		if err := s.Set(text); err == nil || s != 5 {
			t.Errorf("%q is taken for %d", text, int64(s))
		}
	}
}

func TestAmountsAreWrittenForPeople(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.00 kB", 9_994: "9.99 kB", 9_995: "10.0 kB", 12_345: "12.3 kB", 999_499: "999 kB",
		999_500: "1.00 MB", 96_000_000: "96.0 MB", 1_250_000_000: "1.25 GB", 1 << 62: "4.61 EB",
	} {
		if got := Text(n); got != want {
			t.Errorf("%d is written %q, expected %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := Count(n); got != want {
			t.Errorf("%d is written %q, expected %q", n, got, want)
		}
	}
	for n, want := range map[Size]string{96e6: "96MB", 1e9: "1GB", 1500: "1500B", 2000: "2kB"} {
		if got := n.String(); got != want {
			t.Errorf("%d as a flag is %q, expected %q", int64(n), got, want)
		}
	}
}
