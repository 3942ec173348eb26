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

// ministack is the emulator that most of these tests install.
var ministack = Ministack.recipe()

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
			_, space, err := ministack.prepare(t.Context(), tools, io.Discard)
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
	remains := filepath.Join(tools, ministack.installName()+partialSuffix+"123")
	write(t, filepath.Join(remains, "bin", "python"), "")
	if err := os.MkdirAll(filepath.Join(tools, ministack.installName()), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := ministack.install(t.Context(), tools, io.Discard); err != nil {
		t.Fatal(err)
	}
	if n := installs(t, here); n != 1 {
		t.Errorf("%d installs, want 1", n)
	}
	assertAlone(t, tools, ministack.installName())
}

func TestAnInstallWhosePythonIsGoneIsRedone(t *testing.T) {
	tools, here := withFakePython(t)
	interpreter, err := ministack.install(t.Context(), mkdir(t, tools), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	write(t, interpreter, "#!/bin/sh\nexit 1\n")
	if _, err := ministack.install(t.Context(), tools, io.Discard); err != nil {
		t.Fatal(err)
	}
	if n := installs(t, here); n != 2 {
		t.Errorf("%d installs, want 2", n)
	}
}

// Otherwise an install of the one would be taken for, or removed with, that of
// the other.
func TestBothEmulatorsAreInstalledBesideEachOther(t *testing.T) {
	tools, here := withFakePython(t)
	for _, r := range []recipe{ministack, LocalStack.recipe(), ministack, LocalStack.recipe()} {
		if _, err := r.install(t.Context(), mkdir(t, tools), io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	if n := installs(t, here); n != 2 {
		t.Errorf("%d installs, want 2", n)
	}
	assertAlone(t, tools, LocalStack.recipe().installName(), ministack.installName())
}

// Without the distinction a start that is given up would delete an install
// that other processes are running.
func TestAStartThatIsGivenUpRemovesNoInstall(t *testing.T) {
	tools, _ := withFakePython(t)
	if _, err := ministack.install(t.Context(), mkdir(t, tools), io.Discard); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ministack.install(ctx, tools, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	assertAlone(t, tools, ministack.installName())
}

func TestAFailedInstallSaysWhyInOneLineAndLeavesNothing(t *testing.T) {
	tools, here := withFakePython(t)
	write(t, filepath.Join(here, "broken"), "")
	_, err := ministack.install(t.Context(), mkdir(t, tools), io.Discard)
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
	live, err := openWorkspace(runs, "ministack")
	if err != nil {
		t.Fatal(err)
	}
	dead, err := openWorkspace(runs, "ministack")
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
	pin := regexp.MustCompile(`^([\w.-]+==[\w.]+( ; [^\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?)$`)
	for first, r := range map[string]recipe{"ministack": ministack, "localstack-core": LocalStack.recipe()} {
		text := string(r.pins)
		if !strings.Contains(text, "\n"+first+"=="+r.version+" ") {
			t.Errorf("the pins of %s are not of version %s", first, r.version)
		}
		for entry := range strings.SplitSeq(regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(text, ""), "\n") {
			if entry != "" && !pin.MatchString(entry) {
				t.Errorf("%s: not a pin, not a hash: %q", first, entry)
			}
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
