package policy

import (
	"reflect"
	"time"
)

// variableOf returns the environment variable that sets the named field.
func variableOf(field string) string {
	f, ok := reflect.TypeFor[Policy]().FieldByName(field)
	if !ok {
		return field
	}
	return EnvPrefix + f.Tag.Get("env")
}

// label names a field and the variable that sets it.
func label(field string) string {
	return field + " (" + variableOf(field) + ")"
}

// expected says in words what a value of the type looks like.
func expected(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return `a duration such as "36h" or "15m"`
	case t.Kind() == reflect.Bool:
		return `"true" or "false"`
	default:
		return "a whole number"
	}
}
