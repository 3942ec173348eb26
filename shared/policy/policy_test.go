package policy

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// free are the fields that Validate does not look at, each for a reason.
var free = map[string]string{
	"DeleteNullVersions": "a permission, false unless somebody gives it; both values are valid",
}

func TestDefaultsAreValidAndSafe(t *testing.T) {
	p := Default()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	if !p.Safe() {
		t.Fatal("the defaults are not safe")
	}
}

// Without the floors in Validate and Safe a forgotten policy would have graces
// of zero: everything that was ever idle would go at once.
func TestTheZeroPolicyIsRefusedAndNotSafe(t *testing.T) {
	var p Policy
	if p.Validate() == nil {
		t.Error("the zero policy was accepted")
	}
	if p.Safe() {
		t.Error("the zero policy is called safe")
	}
}

func TestEachDurationIsAcceptedAtItsFloorAndRefusedBelow(t *testing.T) {
	for _, f := range Default().floors() {
		t.Run(f.name, func(t *testing.T) {
			at := roomy()
			least := floorOf(at, f.name)
			setDuration(&at, f.name, least)
			makeRoom(&at)
			if err := at.Validate(); err != nil {
				t.Errorf("at the floor of %v: %v", least, err)
			}
			below := at
			setDuration(&below, f.name, least-1)
			mustName(t, below.Validate(), f.name)
		})
	}
}

func TestADurationOverTenYearsIsRefusedSoThatNoSumOverflows(t *testing.T) {
	for _, f := range Default().floors() {
		p := Default()
		setDuration(&p, f.name, time.Duration(1<<63-1))
		mustName(t, p.Validate(), f.name)
	}
}

func TestEachCountIsAcceptedAtBothEndsAndRefusedBeyond(t *testing.T) {
	for _, c := range Default().counts() {
		for value, ok := range map[int64]bool{c.least: true, c.most: true, c.least - 1: false, c.most + 1: false} {
			p := Default()
			reflect.ValueOf(&p).Elem().FieldByName(c.name).SetInt(value)
			err := p.Validate()
			if ok && err != nil {
				t.Errorf("%s = %d: %v", c.name, value, err)
			}
			if !ok {
				mustName(t, err, c.name)
			}
		}
	}
}

func TestValuesThatContradictEachOtherAreRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		field string
		set   func(*Policy)
	}{
		{"a put may outlast the deadline", "ClientTimeout", func(p *Policy) { p.ClientTimeout = p.UploadDeadline + 1 }},
		{"a URL may outlive the deadline", "URLLife", func(p *Policy) { p.URLLife = p.UploadDeadline + 1 }},
		{"a lease is as long as the activity grace", "MaxLease", func(p *Policy) { p.MaxLease = p.ActivityGrace }},
		{"a claim outlives two visibilities", "ClaimLease", func(p *Policy) { p.ClaimLease = 2 * p.VisibilityTimeout }},
		// A pass whose clock is ahead by the skew would have a cutoff in the
		// future: a wider skew lets it mark and claim before a promise is over.
		{"a clock may be further off than the margin", "MaxClockSkew", func(p *Policy) { p.MaxClockSkew = p.SafetyMargin + 1 }},
		{"a visibility that SQS refuses", "VisibilityTimeout", func(p *Policy) { p.VisibilityTimeout = maxSQSDelay + 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Default()
			c.set(&p)
			mustName(t, p.Validate(), c.field)
		})
	}
}

// A field that nobody can set, or that nobody checks, is how a floor is lost.
func TestEveryFieldHasAVariableAndIsValidated(t *testing.T) {
	checked := map[string]bool{}
	for _, f := range Default().floors() {
		checked[f.name] = true
	}
	for _, c := range Default().counts() {
		checked[c.name] = true
	}
	variables := map[string]string{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Policy]()) {
		variable := f.Tag.Get("env")
		if variable == "" || strings.ContainsAny(variable, ", ") {
			t.Errorf("%s has the env tag %q: expected one name", f.Name, variable)
		}
		if other, taken := variables[variable]; taken {
			t.Errorf("%s and %s share the variable %s", f.Name, other, variable)
		}
		variables[variable] = f.Name
		if _, isFree := free[f.Name]; checked[f.Name] == isFree {
			t.Errorf("%s must be in floors or counts, or be listed as free: validated %v, free %v", f.Name, checked[f.Name], isFree)
		}
	}
}

// The core asks Safe, the functions ask Validate: neither may be laxer.
func TestWhatValidatesIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Default()
		for _, f := range p.floors() {
			if rapid.Bool().Draw(t, "change "+f.name) {
				setDuration(&p, f.name, time.Duration(rapid.Int64Range(-1, int64(3*time.Hour)).Draw(t, f.name)))
			}
		}
		if p.Validate() == nil && !p.Safe() {
			t.Fatalf("valid but not safe: %+v", p)
		}
	})
}

// Safe has its own list of floors; each of them counts.
func TestEachDelayBeforeADeletionMakesAPolicyUnsafeBelowItsFloor(t *testing.T) {
	for _, name := range []string{"SafetyMargin", "ActivityGrace", "SecondGrace", "ReleaseGrace"} {
		p := Default()
		setDuration(&p, name, floorOf(p, name)-1)
		if p.Safe() {
			t.Errorf("safe with %s below its floor", name)
		}
	}
	p := Default()
	p.ClaimLease = 0
	if p.Safe() {
		t.Error("safe without a claim lease")
	}
}

// roomy is a policy in which every floor can be reached on its own.
func roomy() Policy {
	p := Default()
	p.ClientTimeout, p.URLLife = time.Minute, time.Minute
	p.MaxLease, p.MaxClockSkew = time.Minute, time.Minute
	return p
}

// makeRoom moves what stands in a relation to a field that went to its floor.
func makeRoom(p *Policy) {
	p.RepublishAfter = max(p.RepublishAfter, 2*p.ClaimLease)
	for 2*p.VisibilityTimeout <= p.ClaimLease {
		p.ClaimLease = max(2*p.WorkerTimeout, p.VisibilityTimeout)
	}
}

func floorOf(p Policy, name string) time.Duration {
	for _, f := range p.floors() {
		if f.name == name {
			return f.least
		}
	}
	return 0
}

func setDuration(p *Policy, name string, d time.Duration) {
	reflect.ValueOf(p).Elem().FieldByName(name).SetInt(int64(d))
}

func mustName(t *testing.T, err error, field string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("%s: accepted", field)
	case !strings.Contains(err.Error(), field+" ") || !strings.Contains(err.Error(), variableOf(field)):
		t.Errorf("%q names neither the field %s nor its variable %s", err, field, variableOf(field))
	case strings.Contains(err.Error(), "\n"):
		t.Errorf("%q is more than one line", err)
	}
}
