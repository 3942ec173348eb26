//go:build infra

package strandline

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"
	"github.com/aws/jsii-runtime-go"

	"github.com/strandline-dev/strandline/shared/source"
)

// TestMain fails where Node is missing: a run that skips prints "ok" having
// tested nothing. jsii is one process for the whole package, and no friend of
// parallel tests.
func TestMain(m *testing.M) {
	if _, err := exec.LookPath("node"); err != nil {
		fmt.Fprintln(os.Stderr, "node is missing: install Node 20 or newer and put it on PATH")
		os.Exit(1)
	}
	code := m.Run()
	jsii.Close()
	os.RemoveAll(scratch.dir)
	os.Exit(code)
}

// scratch holds code that looks like the functions', but is not built.
var scratch struct {
	once sync.Once
	dir  string
}

func fakeCode(t testing.TB) string {
	t.Helper()
	scratch.once.Do(func() {
		dir, err := os.MkdirTemp("", "strandline-infra-")
		if err != nil {
			t.Fatal(err)
		}
		scratch.dir = dir
		for _, name := range Functions {
			file := filepath.Join(dir, name, "bootstrap")
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	})
	return scratch.dir
}

// usual is an installation with one bucket that exists and one that is new, a
// table of an application and an outbox.
func usual(t testing.TB) Props {
	return Props{
		Buckets: []Bucket{{Name: "acme-uploads", Prefix: "uploads/"}, {Name: "acme-media", New: true}},
		Sources: []Source{orders(), {Source: source.Source{Name: "shop", Tenant: "acme"}}},
		Mail:    "ops@example.com",
		Code:    fakeCode(t),
	}
}

// orders is a table of an application whose rows can be asked for.
func orders() Source {
	return Source{
		Source: source.Source{
			Name: "orders", Table: "acme-orders", Tenant: "acme", Bucket: "acme-media",
			Paths: source.Paths{Key: "image.key"}, Index: &source.Index{Name: "by-image", Attribute: "image", Holds: source.HoldsKey},
		},
		Stream: "arn:aws:dynamodb:eu-central-1:123456789012:table/acme-orders/stream/2026-12-01T00:00:00.000",
	}
}

// synthesized is a template with what its construct was.
type synthesized struct {
	*Strandline
	assertions.Template
	resources map[string]resource
}

type resource struct {
	Type                string
	Properties          map[string]any
	DeletionPolicy      string
	UpdateReplacePolicy string
}

// synthesize makes a stack of an installation, as an app would.
func synthesize(t testing.TB, props Props) synthesized {
	t.Helper()
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: jsii.String(t.TempDir())})
	stack := awscdk.NewStack(app, jsii.String("Test"), nil)
	made := New(stack, "Strandline", props)
	template := assertions.Template_FromStack(stack, nil)
	text, err := json.Marshal(template.ToJSON())
	if err != nil {
		t.Fatal(err)
	}
	var whole struct{ Resources map[string]resource }
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	return synthesized{made, template, whole.Resources}
}

var once struct {
	sync.Once
	synthesized
}

// theUsual is the usual installation, synthesized once.
func theUsual(t testing.TB) synthesized {
	t.Helper()
	once.Do(func() { once.synthesized = synthesize(t, usual(t)) })
	return once.synthesized
}

// of returns the resources of a type by their logical ids.
func (s synthesized) of(kind string) map[string]resource {
	all := map[string]resource{}
	for id, r := range s.resources {
		if r.Type == kind {
			all[id] = r
		}
	}
	return all
}

// has asserts that a resource of the kind has these properties.
func (s synthesized) has(t *testing.T, kind string, properties map[string]any) {
	t.Helper()
	s.asserting(t, func() { s.HasResourceProperties(jsii.String(kind), properties) })
}

// asserting turns the panic of an assertion of the CDK's into a failure, so that
// the other tests have their say.
func (s synthesized) asserting(t *testing.T, assert func()) {
	t.Helper()
	defer func() {
		if cause := recover(); cause != nil {
			t.Errorf("%.2000s", fmt.Sprint(cause))
		}
	}()
	assert()
}
