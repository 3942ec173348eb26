package policy

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"
)

// Settings are what a policy sets other than the default, by variable, as the
// environment would say it. The default policy has none.
func (p Policy) Settings() map[string]string {
	set := map[string]string{}
	own, usual := reflect.ValueOf(p), reflect.ValueOf(Default())
	for _, f := range reflect.VisibleFields(own.Type()) {
		if value := own.FieldByIndex(f.Index); !value.Equal(usual.FieldByIndex(f.Index)) {
			set[variableOf(f.Name)] = settingText(value)
		}
	}
	return set
}

// settingText is how a variable says the value.
func settingText(v reflect.Value) string {
	if d, ok := v.Interface().(time.Duration); ok {
		return d.String()
	}
	return fmt.Sprint(v.Interface())
}

// Differing names the first variable, in the order of their names, that two
// [Policy.Settings] do not agree on, with what each has; the default's is
// "default". It is empty if they agree.
func Differing(a, b map[string]string) (variable, inA, inB string) {
	names := map[string]bool{}
	for name := range a {
		names[name] = true
	}
	for name := range b {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		inA, inB := settingOr(a, name), settingOr(b, name)
		if inA != inB {
			return name, inA, inB
		}
	}
	return "", "", ""
}

func settingOr(settings map[string]string, name string) string {
	if value, set := settings[name]; set {
		return value
	}
	return "default"
}
