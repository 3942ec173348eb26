package fault_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/strandline-dev/strandline/shared/fault"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// counter is a gate that counts what reaches it.
type counter struct{ reads, reserves, throttled int }

func (c *counter) Read(context.Context) (gate.State, error) {
	c.reads++
	return gate.State{Mode: gate.Delete}, nil
}

func (c *counter) Reserve(context.Context, int) (gate.Grant, error) {
	c.reserves++
	return gate.Grant{Slots: 1}, nil
}

func (c *counter) Throttled(context.Context) (gate.State, error) {
	c.throttled++
	return gate.State{Mode: gate.Delete}, nil
}

func reserving(n int, c fault.Case) fault.Fault {
	return fault.Fault{Call: fault.Call{Actor: "worker", Operation: "gate.Reserve", N: n}, Case: c}
}

func TestCallsAreToldApartByWhoMadeThemAndHowManyCameBefore(t *testing.T) {
	set := fault.New()
	g := set.Gate(&counter{})
	for _, ctx := range []context.Context{
		fault.As(t.Context(), "worker"), fault.As(t.Context(), "scheduler"), t.Context(), fault.As(t.Context(), "worker"),
	} {
		if _, err := g.Read(ctx); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, c := range set.Calls() {
		got = append(got, c.String())
	}
	if want := []string{"worker gate.Read 1", "scheduler gate.Read 1", "worker gate.Read 2"}; !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
}

func TestExactlyTheScriptedCallFails(t *testing.T) {
	for _, c := range []struct {
		fault   fault.Case
		kind    error
		reached int
	}{
		{fault.Case{When: fault.Before, Kind: fault.Throttled}, upload.ErrThrottled, 2},
		{fault.Case{When: fault.Before, Kind: fault.Denied}, upload.ErrDenied, 2},
		{fault.Case{When: fault.Before, Kind: fault.Timeout}, upload.ErrUnclear, 2},
		{fault.Case{When: fault.After, Kind: fault.Reset}, upload.ErrUnclear, 3},
		{fault.Case{When: fault.After, Kind: fault.ServerError}, upload.ErrUnclear, 3},
	} {
		t.Run(c.fault.String(), func(t *testing.T) {
			set, under := fault.New(reserving(2, c.fault)), &counter{}
			g, ctx := set.Gate(under), fault.As(t.Context(), "worker")
			var errs []error
			for range 3 {
				_, err := g.Reserve(ctx, 1)
				errs = append(errs, err)
			}
			if errs[0] != nil || !errors.Is(errs[1], c.kind) || errs[2] != nil {
				t.Errorf("got %v", errs)
			}
			if under.reserves != c.reached {
				t.Errorf("%d calls took effect, want %d", under.reserves, c.reached)
			}
		})
	}
}

func TestTheDeadDoNothingUntilAnotherTakesTheirPlace(t *testing.T) {
	set, under := fault.New(reserving(1, fault.Case{When: fault.After, Kind: fault.Death})), &counter{}
	g, ctx := set.Gate(under), fault.As(t.Context(), "worker")
	for range 2 {
		if _, err := g.Reserve(ctx, 1); !errors.Is(err, fault.ErrDead) {
			t.Errorf("a dead worker's call: %v", err)
		}
	}
	if _, err := g.Read(fault.As(t.Context(), "scheduler")); err != nil || !set.Dead("worker") {
		t.Errorf("another's call: %v", err)
	}
	set.Revive("worker")
	if _, err := g.Reserve(ctx, 1); err != nil || under.reserves != 2 {
		t.Errorf("%v, and %d calls took effect", err, under.reserves)
	}
}

// Else a test says that a failure does no harm which never happened.
func TestAFaultThatNoCallMetIsNamed(t *testing.T) {
	met, missed := reserving(1, fault.Case{When: fault.Before, Kind: fault.Reset}), reserving(9, fault.Case{When: fault.Before, Kind: fault.Reset})
	set := fault.New(met, missed)
	_, _ = set.Gate(&counter{}).Reserve(fault.As(t.Context(), "worker"), 1) // it is to fail
	if got := set.Missed(); len(got) != 1 || got[0] != missed {
		t.Errorf("missed %v", got)
	}
}

func TestEveryOperationFailsInEveryWayThatItsServiceHas(t *testing.T) {
	for _, c := range []struct {
		operation     string
		cases, during int
	}{
		{"ledger.Load", 6, 0},          // each kind once: a read has no effect
		{"ledger.Commit claim", 14, 0}, // and a condition, before and after
		{"objects.Delete", 16, 4},      // six before, six after
		{"queue.Send", 14, 2},          //
		{"S3.DeleteObjects", 18, 4},    // and the first attempt alone, before and after
		{"DynamoDB.TransactWriteItems", 16, 0},
		{"DynamoDB.BatchGetItem", 8, 1},
	} {
		cases, during := fault.Cases(c.operation), 0
		seen := map[fault.Case]bool{}
		for _, one := range cases {
			if seen[one] {
				t.Errorf("%s: %s twice", c.operation, one)
			}
			if seen[one] = true; one.When == fault.During {
				during++
			}
		}
		if len(cases) != c.cases || during != c.during {
			t.Errorf("%s: %d cases, %d of them in the middle: %v", c.operation, len(cases), during, cases)
		}
	}
	if fault.Known("S3.Invented") || fault.Cases("S3.Invented") != nil {
		t.Error("an operation that nobody has described is known")
	}
}

func ExampleSet() {
	set := fault.New(fault.Fault{
		Call: fault.Call{Actor: "worker", Operation: "gate.Reserve", N: 1},
		Case: fault.Case{When: fault.Before, Kind: fault.Throttled},
	})
	g := set.Gate(&counter{})
	_, err := g.Reserve(fault.As(context.Background(), "worker"), 1)
	fmt.Println(err, set.Missed())
	// Output: throttled: injected []
}
