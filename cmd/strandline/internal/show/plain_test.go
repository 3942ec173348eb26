package show

import "testing"

// An error or a reason comes from anywhere; raw, it could rewrite what stands
// on the terminal.
func TestATextOfSomebodyElsesCannotMoveTheCursor(t *testing.T) {
	for text, want := range map[string]string{
		"access denied":      "access denied",
		`the "old" one, ü`:   `the "old" one, ü`,
		"a\nb\x1b[2Jc":       `a\nb\x1b[2Jc`,
		"right\u202eto left": `right\u202eto left`,
		"csi \x9b2J":         `csi \x9b2J`,
		"":                   "",
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q is shown as %q, expected %q", text, got, want)
		}
	}
}
