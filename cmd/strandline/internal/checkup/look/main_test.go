package look_test

import (
	"testing"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
