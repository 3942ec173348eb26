//go:build infra

package strandline

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/strandline-dev/strandline/shared/policy"
)

// policyVariables are the variables that set what differs from the code's own
// policy.
func policyVariables(p policy.Policy) map[string]string {
	all := map[string]string{}
	has, otherwise := reflect.ValueOf(p), reflect.ValueOf(policy.Default())
	for i := range has.NumField() {
		field := has.Type().Field(i)
		if value := has.Field(i).Interface(); value != otherwise.Field(i).Interface() {
			all[policy.EnvPrefix+field.Tag.Get("env")] = fmt.Sprint(value)
		}
	}
	return all
}

// PolicyFrom is [DefaultPolicy] with the values that variables set, by the names
// of docs/policy.md. A name that sets nothing is an error.
func PolicyFrom(variables map[string]string) (policy.Policy, error) {
	known := map[string]bool{}
	for i := range reflect.TypeFor[policy.Policy]().NumField() {
		known[policy.EnvPrefix+reflect.TypeFor[policy.Policy]().Field(i).Tag.Get("env")] = true
	}
	all := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if !known[name] {
			return policy.Policy{}, fmt.Errorf("%s is no value of the policy: see docs/policy.md", name)
		}
		all[name] = variables[name]
	}
	for name, value := range policyVariables(DefaultPolicy()) {
		if _, given := all[name]; !given {
			all[name] = value
		}
	}
	return policy.FromEnv(all)
}
