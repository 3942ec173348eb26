package localstack

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakePython acts as a Python that builds environments: it copies itself into
// them, notes each pip install in the file "installs", and fails in pip while
// the file "broken" is there.
const fakePython = `#!/bin/sh
here="@"
case "$*" in
  "-c "*) echo 3 12; echo venv ;;
  "-I -m venv "*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
  "-I -m pip install "*)
    if [ -e "$here/broken" ]; then echo "collecting"; echo "no such package" >&2; exit 1; fi
    sleep 0.1; echo once >>"$here/installs" ;;
esac
`

func withFakePython(t *testing.T) (tools, here string) {
	t.Helper()
	here = t.TempDir()
	fake := filepath.Join(here, "python")
	write(t, fake, strings.ReplaceAll(fakePython, "@", here))
	t.Setenv(PythonVariable, fake)
	return filepath.Join(t.TempDir(), ".tools"), here
}

func installs(t *testing.T, here string) int {
	t.Helper()
	notes, err := os.ReadFile(filepath.Join(here, "installs"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(notes), "once")
}

func TestSeveralStartsAtOnceInstallOnce(t *testing.T) {
	tools, here := withFakePython(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			_, space, err := prepare(t.Context(), tools, io.Discard)
			if err != nil {
				t.Error(err)
				return
			}
			if err := space.remove(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := installs(t, here); n != 1 {
		t.Errorf("%d installs, want 1", n)
	}
}

func TestAHalfFinishedInstallIsRedoneAndItsRemainsAreRemoved(t *testing.T) {
	tools, here := withFakePython(t)
	remains := filepath.Join(tools, installName()+partialSuffix+"123")
	write(t, filepath.Join(remains, "bin", "python"), "")
	if err := os.MkdirAll(filepath.Join(tools, installName()), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := install(t.Context(), tools, io.Discard); err != nil {
		t.Fatal(err)
	}
	if n := installs(t, here); n != 1 {
		t.Errorf("%d installs, want 1", n)
	}
	assertAlone(t, tools, installName())
}

func TestAnInstallWhosePythonIsGoneIsRedone(t *testing.T) {
	tools, here := withFakePython(t)
	interpreter, err := install(t.Context(), mkdir(t, tools), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	write(t, interpreter, "#!/bin/sh\nexit 1\n")
	if _, err := install(t.Context(), tools, io.Discard); err != nil {
		t.Fatal(err)
	}
	if n := installs(t, here); n != 2 {
		t.Errorf("%d installs, want 2", n)
	}
}

// Without the distinction a start that is given up would delete an install
// that other processes are running.
func TestAStartThatIsGivenUpRemovesNoInstall(t *testing.T) {
	tools, _ := withFakePython(t)
	if _, err := install(t.Context(), mkdir(t, tools), io.Discard); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := install(ctx, tools, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	assertAlone(t, tools, installName())
}

func TestAFailedInstallSaysWhyInOneLineAndLeavesNothing(t *testing.T) {
	tools, here := withFakePython(t)
	write(t, filepath.Join(here, "broken"), "")
	_, err := install(t.Context(), mkdir(t, tools), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "no such package") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	assertAlone(t, tools)
}

func TestALockIsWaitedForNoLongerThanTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := lock(t.Context(), path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := lock(ctx, path, io.Discard); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second holder: %v", err)
	}
	first.release()
	second, err := lock(t.Context(), path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	second.release()
}

func TestTheStateOfAKilledRunIsSweptAndThatOfALiveOneIsKept(t *testing.T) {
	runs := t.TempDir()
	live, err := openWorkspace(runs)
	if err != nil {
		t.Fatal(err)
	}
	dead, err := openWorkspace(runs)
	if err != nil {
		t.Fatal(err)
	}
	dead.held.release() // as the system does for a killed process
	sweep(runs)
	assertAlone(t, runs, filepath.Base(live.dir))
	if err := live.remove(); err != nil {
		t.Error(err)
	}
}

func TestEveryPackageIsPinnedWithHashes(t *testing.T) {
	text := string(requirements)
	if !strings.Contains(text, "\nministack=="+Version+" ") {
		t.Errorf("requirements.txt does not pin ministack %s", Version)
	}
	for entry := range strings.SplitSeq(regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(text, ""), "\n") {
		if entry != "" && !regexp.MustCompile(`^([\w-]+==[\w.]+( ; [^\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?)$`).MatchString(entry) {
			t.Errorf("not a pin, not a hash: %q", entry)
		}
	}
}

func mkdir(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// assertAlone checks that a folder has these entries and no others.
func assertAlone(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s has %v, want %v", filepath.Base(dir), got, want)
	}
}
