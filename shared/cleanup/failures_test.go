package cleanup

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestFailuresAreSaidInOneLineAndAllOfThemAreSeen(t *testing.T) {
	a, b, c := errors.New("shard 1: throttled"), errors.New("shard 2: denied"), errors.New("shard 3: broken")
	for _, one := range []struct {
		err  error
		says string
	}{
		{together(nil, nil), "<nil>"},
		{together(nil, a), "shard 1: throttled"},
		{together(a, b), "shard 1: throttled (and 1 more that failed)"},
		{together(together(a, b), c), "shard 1: throttled (and 2 more that failed)"},
		{together(a, errors.New(a.Error())), "shard 1: throttled"},
	} {
		if got := fmt.Sprint(one.err); got != one.says {
			t.Errorf("%q, expected %q", got, one.says)
		}
	}
	all := together(together(a, b), nil, c)
	for _, err := range []error{a, b, c} {
		if !errors.Is(all, err) {
			t.Errorf("%v is not seen in %v", err, all)
		}
	}
}

// A refused right fails every shard: sixteen lines would hide what to do about
// it, and a run's reason is one.
func TestAPlanThatFailsInEveryShardSaysSoInOneLine(t *testing.T) {
	s := newPassScene(t)
	for shard := range 16 {
		s.condemnable(shard, 1)
	}
	denied := errors.New("access denied")
	s.pass.Candidates = &faultyCandidates{Candidates: s.store, onPage: func(_, _ int) error { return denied }}
	r, err := s.pass.Run(t.Context(), s.trigger())
	if !errors.Is(err, denied) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "and 15 more") {
		t.Errorf("%v", err)
	}
	if r.State != RunFailed || strings.Contains(r.Reason, "\n") {
		t.Errorf("run is %q: %s", r.State, r.Reason)
	}
}
