package functions_test

import (
	"testing"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }
