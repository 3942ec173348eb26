package installation_test

import (
	"testing"
	"time"
	"strings"
	"crypto/rand"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/policy"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

func TestMeasure(t *testing.T) {
	b := time.Now()
	cfg := awsconf.ForEndpoint(localstacktest.Endpoint(t))
	t.Log("start", time.Since(b))
	for range 3 {
		b = time.Now()
		i, _, err := installation.OnCloud(t.Context(), cfg, "m-"+strings.ToLower(rand.Text()[:10]), installation.Options{Policy: policy.Default(), Clock: installation.NewClock(time.Now, time.Now()), Real: time.Now})
		if err != nil { t.Fatal(err) }
		t.Log("create", time.Since(b))
		b = time.Now()
		if err := i.Census(t.Context()); err != nil { t.Fatal(err) }
		t.Log("census", time.Since(b))
		for range 3 {
		b = time.Now()
		i.Clock.Advance(time.Hour)
		if r, err := i.Pass(t.Context()); err != nil { t.Fatal(r, err) }
		t.Log("pass", time.Since(b))
		}
		b = time.Now()
		if _, err := i.Drain(t.Context(), 100); err != nil { t.Fatal(err) }
		t.Log("drain", time.Since(b))
		b = time.Now()
		if err := i.Remove(t.Context()); err != nil { t.Fatal(err) }
		t.Log("remove", time.Since(b))
	}
}
