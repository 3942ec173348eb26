package intake_test

import "testing"

func newWireWorld(t *testing.T) *world { return newWorld(t) }
