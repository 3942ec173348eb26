package show

import (
	"os/exec"
	"testing"
)

var names = []string{
	"acme", "a b", "it's", "$(reboot)", "`id`", "a;b", "*", "", "Küche", "a\nb", "csi\x1b[2J", "\u202eexe", "\xff", `\`, `\'` + "\n", "#1", "!x", "~",
}

// A line that is there to be copied must not do what the chooser of a tenant's
// name wants: quoted as for Go, $(reboot) is carried out by the shell.
func TestAShellReadsAnArgumentAsItIs(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("bash is missing: install it, the project's scripts need it too")
	}
	for _, name := range names {
		written := Arguments(name)
		if Plain(written) != written {
			t.Errorf("%q is written as %q, which a terminal would obey", name, written)
		}
		got, err := exec.Command(bash, "-c", "printf %s "+written).Output()
		if err != nil || string(got) != name {
			t.Errorf("%q is written as %s, and read as %q: %v", name, written, got, err)
		}
	}
}

func TestNamesThatLookLikeFlagsFollowTwoDashes(t *testing.T) {
	for want, args := range map[string][]string{
		"acme u-1":                              {"acme", "u-1"},
		"-- acme --yes":                         {"acme", "--yes"},
		"-- -rf -x":                             {"-rf", "-x"},
		"'2026-11-30T12:15:00.000Z#a' 3fa4b1c0": {"2026-11-30T12:15:00.000Z#a", "3fa4b1c0"},
	} {
		if got := Arguments(args...); got != want {
			t.Errorf("%q becomes %s, expected %s", args, got, want)
		}
	}
}
