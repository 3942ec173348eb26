package functions_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/strandline-dev/strandline/"

// readSources opens every source file: a result is kept until a file changes
// that the test itself has opened, and go list opens them in a process of its
// own. Without it an arrow that turns round is called green from the cache.
func readSources(t *testing.T) {
	t.Helper()
	for _, dir := range []string{".", "../shared", "../cmd", "../localstack"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".go" {
				_, err = os.ReadFile(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// listed returns what go list prints for the arguments, a line each.
func listed(t *testing.T, args ...string) []string {
	t.Helper()
	readSources(t)
	out, err := exec.Command("go", append([]string{"list"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("go list %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.Fields(string(out))
}

// TestFunctionsLinkNothingOfDemoOrTests keeps the Lambda binaries to what they
// need: no emulator, command line, test kit, memory adapter or CDK.
func TestFunctionsLinkNothingOfDemoOrTests(t *testing.T) {
	mains := listed(t, module+"functions/.../bootstrap")
	if len(mains) < 2 {
		t.Fatalf("found %d Lambda mains: %v", len(mains), mains)
	}
	for _, main := range mains {
		for _, dep := range listed(t, "-deps", main) {
			if forbiddenInFunctions(dep) {
				t.Errorf("%s links %s", strings.TrimPrefix(main, module), dep)
			}
		}
	}
}

// commandsOnly are clients that only the operator's doctor needs; each is
// megabytes in a binary that has to stay small.
var commandsOnly = []string{
	"github.com/aws/aws-sdk-go-v2/service/iam",
	"github.com/aws/aws-sdk-go-v2/service/lambda",
	"github.com/aws/aws-sdk-go-v2/service/scheduler",
}

func forbiddenInFunctions(dep string) bool {
	if own, ok := strings.CutPrefix(dep, module); ok {
		return strings.HasPrefix(own, "cmd/") || strings.HasPrefix(own, "localstack") || strings.HasPrefix(own, "infra") || strings.HasPrefix(own, "examples") ||
			strings.HasSuffix(own, "/memory") || strings.HasSuffix(own, "test") || own == "shared/schema/create" || own == "shared/fault" || own == "shared/meter" || own == "shared/sim" || own == "shared/lambdaevent" || own == "shared/upload/invariant"
	}
	if slices.Contains(commandsOnly, dep) {
		return true
	}
	return dep == "testing" || strings.Contains(dep, "spf13/cobra") || strings.Contains(dep, "aws-cdk-go") ||
		strings.Contains(dep, "jsii") || strings.Contains(dep, "rapid") || strings.Contains(dep, "go-cmp")
}

// TestNoFunctionReachesDeleteMarkers: only the operator's command may hide what
// stands. A function that could would need nothing but a mistake to hide a live
// object.
func TestNoFunctionReachesDeleteMarkers(t *testing.T) {
	for _, dep := range listed(t, "-deps", module+"functions/...") {
		switch strings.TrimPrefix(dep, module) {
		case "shared/quarantine", "shared/objects/s3/markers":
			t.Errorf("the functions link %s", dep)
		}
	}
}

// TestImportsPointOneWay asserts the arrows of the architecture: functions →
// engines → core; adapters → core and SDK; engines, core and the readers of
// formats know no SDK, and nothing in shared knows a function.
func TestImportsPointOneWay(t *testing.T) {
	core := []string{"shared/upload", "shared/policy"}
	words := []string{"shared/ledger", "shared/objects", "shared/gate", "shared/command", "shared/audit", "shared/source"}
	// What reconciler, recorder and intake read, the list of holds that the first
	// and the operator share, and the leases of runs are words to the engines
	// above them.
	inputs := []string{"shared/inventory", "shared/manifest", "shared/hold", "shared/lease", "shared/storageevent", "shared/intake/validate", "shared/source/rows"}
	// Readers of formats know nothing of ours: what they read is anybody's. One of
	// them is about JSON itself, and so below the words that are written in it;
	// one is about what the columns of another are packed with.
	const strictJSON, columns, packing = "shared/strictjson", "shared/parquetcolumns", "shared/snappyblock"
	formats := []string{strictJSON, "shared/storageevent", "shared/intake/validate", "shared/celltext", columns, packing, "shared/inventory/gunzip", "shared/inventory/orc"}
	engines := []string{"shared/cleanup", "shared/intake", "shared/reconcile", "shared/quarantine", "shared/deadletter", "shared/confirm", "shared/release"}
	for _, line := range listedImports(t) {
		importer, imported := line[0], line[1]
		own, isOwn := strings.CutPrefix(imported, module)
		sdk := strings.Contains(imported, "aws-sdk-go-v2") || strings.Contains(imported, "smithy-go") || strings.Contains(imported, "aws-lambda-go")
		layer := slices.Concat(core, words, formats, inputs, engines)
		switch {
		case sdk && slices.Contains(layer, importer):
			t.Errorf("%s imports the SDK: %s", importer, imported)
		case !isOwn:
		case slices.Contains(core, importer) && !slices.Contains(core, own):
			t.Errorf("the core package %s imports %s", importer, own)
		case slices.Contains(words, importer) && own != strictJSON && !slices.Contains(core, own):
			t.Errorf("%s holds words only and imports %s", importer, own)
		case importer == columns && own == packing:
		case slices.Contains(formats, importer):
			t.Errorf("%s reads a format and imports %s", importer, own)
		case importer == "shared/inventory" && !slices.Contains(formats, own),
			importer == "shared/manifest" && own != "shared/inventory" && !slices.Contains(slices.Concat(core, formats), own):
			t.Errorf("%s imports %s", importer, own)
		case (importer == "shared/hold" || importer == "shared/lease" || importer == "shared/source/rows") && !slices.Contains(slices.Concat(core, words), own):
			t.Errorf("%s imports %s", importer, own)
		case slices.Contains(engines, importer) && own != strictJSON && !slices.Contains(slices.Concat(core, words, inputs), own):
			t.Errorf("the engine %s imports %s", importer, own)
		case own == "shared/sim":
			t.Errorf("%s imports the simulation", importer)
		case importer == "shared/sim" && strings.HasPrefix(own, "functions/"):
			// It runs the handlers themselves; nothing but its own tests runs it.
		case strings.HasPrefix(importer, "shared/") && (strings.HasPrefix(own, "functions/") || strings.HasPrefix(own, "cmd/") || strings.HasPrefix(own, "examples/")):
			t.Errorf("%s imports %s", importer, own)
		}
	}
}

// listedImports returns every import of a non-test file under shared, as pairs
// of importer and imported.
func listedImports(t *testing.T) [][2]string {
	t.Helper()
	var pairs [][2]string
	out := listed(t, "-f", `{{$p := .ImportPath}}{{range .Imports}}{{$p}}={{.}} {{end}}`, module+"shared/...")
	for _, word := range out {
		importer, imported, _ := strings.Cut(word, "=")
		pairs = append(pairs, [2]string{strings.TrimPrefix(importer, module), imported})
	}
	if len(pairs) == 0 {
		t.Fatal("go list showed no imports")
	}
	return pairs
}
