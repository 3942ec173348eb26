package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// fullDisk is a disk that has room for so many more bytes.
type fullDisk struct{ room int }

var errFull = errors.New("no space is left")

func (f *fullDisk) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, fmt.Errorf("write: %w", errFull) // another one each time, as the system's are
	}
	return len(p), nil
}

// Without it a script that writes to a full disk keeps half a list and is told
// that all went well.
func TestResultsThatCannotBeWrittenAreAFailure(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--help"}, {"demo", "--help"}, {"version", "--json"}} {
		errs := &strings.Builder{}
		if code := run(t.Context(), args, &fullDisk{room: 10}, errs); code != exitFailed || !strings.Contains(errs.String(), errLost.Error()+": write: no space is left") {
			t.Errorf("%v: exit %d, and says %q", args, code, errs)
		}
	}
}

func TestWhatWentWrongBesideLostResultsIsWhatIsSaid(t *testing.T) {
	o := &output{failed: errFull}
	refused := errors.New("refused")
	for err, want := range map[error]error{nil: errLost, errFindings: errLost, errFull: errLost, refused: refused} {
		if got := o.orLost(err); !errors.Is(got, want) {
			t.Errorf("%v becomes %v, expected %v", err, got, want)
		}
	}
	if got := (&output{}).orLost(errFindings); !errors.Is(got, errFindings) {
		t.Errorf("findings that were written become %v", got)
	}
}

// Raw, an id or a service's answer could rewrite what stands on the terminal,
// and a script that reads a line would miss the rest.
func TestAnErrorIsOneLineThatCannotMoveTheCursor(t *testing.T) {
	errs := &strings.Builder{}
	run(t.Context(), []string{"dem\n\x1b[2J\u202e\xffo"}, &strings.Builder{}, errs)
	if said := errs.String(); strings.Count(said, "\n") != 1 || strings.ContainsAny(said, "\x1b\u202e") || !utf8.ValidString(said) {
		t.Errorf("it says %q", said)
	}
	if got, want := oneLine(errors.Join(errors.New("a"), errors.New("b\x1b[2J"))), `a; b\x1b[2J`; got != want {
		t.Errorf("joined errors are %q, expected %q", got, want)
	}
}

func TestAQuestionThatNobodyCanReadIsNotAnswered(t *testing.T) {
	if yes, err := asking(t.Context(), strings.NewReader("y\n"), &fullDisk{room: 3})("Delete?"); yes || !errors.Is(err, errFull) {
		t.Errorf("%v, %v", yes, err)
	}
}

// A tenant's name, a reason or a key comes from anywhere. Raw, and on a
// terminal, it erases what stands above it, or reads from right to left.
func TestNothingThatIsShownMovesTheCursorAndJSONSaysTheSame(t *testing.T) {
	said := "ü \x1b[2J \u009b2J \u202eexe \U000e0041 \u200b\ttab \r"
	document, err := json.Marshal(said)
	must(t, err)
	for _, size := range []int{1, 2, 3, 1000} { // writers cut characters in two
		shown := &strings.Builder{}
		o := &output{to: shown}
		for part := range slices.Chunk(document, size) {
			if n, err := o.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		for _, r := range shown.String() {
			if !unicode.IsGraphic(r) {
				t.Errorf("in parts of %d it writes %q: %q", size, shown, r)
			}
		}
		var read string
		if must(t, json.Unmarshal([]byte(shown.String()), &read)); read != said {
			t.Errorf("in parts of %d it is read as %q", size, read)
		}
	}
}

func TestBytesThatAreNoCharacterAreSpelt(t *testing.T) {
	shown := &strings.Builder{}
	_, err := (&output{to: shown}).Write([]byte("a\x9b2J\n"))
	if must(t, err); shown.String() != "a\\x9b2J\n" {
		t.Errorf("it writes %q", shown)
	}
}

func TestAfterAGapNothingMoreIsWritten(t *testing.T) {
	to := &strings.Builder{}
	o := &output{to: io.MultiWriter(&fullDisk{room: 3}, to)}
	_, _ = o.Write([]byte("long"))
	if _, err := o.Write([]byte("x")); !errors.Is(err, errFull) || to.Len() > 0 || !errors.Is(o.orLost(err), errLost) {
		t.Errorf("%v, written %q", err, to)
	}
}
