package main

import (
	"errors"
	"strings"
	"testing"
)

func TestOnlyYesIsAYes(t *testing.T) {
	for text, want := range map[string]bool{
		"y\n": true, "YES\n": true, " yes \n": true, "y": true, "n\n": false, "\n": false, "yep\n": false, "approve\n": false,
	} {
		out := &strings.Builder{}
		got, err := asking(strings.NewReader(text), out)("Go on?")
		if err != nil || got != want || out.String() != "Go on? [y/N] " {
			t.Errorf("%q is %v, %v; asked %q", text, got, err, out)
		}
	}
}

// A script without --yes must not be taken for a person who agrees.
func TestWithoutAnybodyToAnswerNothingIsDone(t *testing.T) {
	if yes, err := asking(strings.NewReader(""), &strings.Builder{})("Go on?"); yes || !errors.Is(err, errNobody) {
		t.Errorf("%v, %v", yes, err)
	}
}
