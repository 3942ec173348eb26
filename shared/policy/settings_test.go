package policy

import (
	"maps"
	"reflect"
	"testing"
	"time"
)

// A setting that this does not say is one in which an operator's machine and
// the functions can differ unseen.
func TestSettingsSayEveryFieldThatIsNotTheDefaultAndGiveThePolicyBack(t *testing.T) {
	if got := Default().Settings(); len(got) != 0 {
		t.Errorf("the default sets %v", got)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Policy]()) {
		p := Default()
		text := another(f.Name, reflect.ValueOf(&p).Elem().FieldByName(f.Name))
		got := p.Settings()
		if want := map[string]string{variableOf(f.Name): text}; !maps.Equal(got, want) {
			t.Errorf("%s: %v, expected %v", f.Name, got, want)
		}
		if again, err := FromEnv(got); err != nil || again != p {
			t.Errorf("%s: %v gives %+v, %v", f.Name, got, again, err)
		}
	}
}

func TestTheFirstVariableThatDiffersIsNamedWithBothValues(t *testing.T) {
	p := Default()
	p.ActivityGrace, p.StuckAfter = 72*time.Hour, 48*time.Hour
	name, mine, theirs := Differing(Default().Settings(), p.Settings())
	if name != "STRANDLINE_ACTIVITY_GRACE" || mine != "default" || theirs != "72h0m0s" {
		t.Errorf("%s: %s and %s", name, mine, theirs)
	}
	if name, _, _ := Differing(p.Settings(), p.Settings()); name != "" {
		t.Errorf("%s differs from itself", name)
	}
}
