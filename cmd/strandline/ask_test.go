package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestOnlyYesIsAYes(t *testing.T) {
	for text, want := range map[string]bool{
		"y\n": true, "YES\n": true, " yes \n": true, "y": true, "n\n": false, "\n": false, "yep\n": false, "approve\n": false,
	} {
		out := &strings.Builder{}
		got, err := asking(t.Context(), strings.NewReader(text), out)("Go on?")
		if err != nil || got != want || out.String() != "Go on? [y/N] " {
			t.Errorf("%q is %v, %v; asked %q", text, got, err, out)
		}
	}
}

// A script without --yes must not be taken for a person who agrees.
func TestWithoutAnybodyToAnswerNothingIsDone(t *testing.T) {
	if yes, err := asking(t.Context(), strings.NewReader(""), &strings.Builder{})("Go on?"); yes || !errors.Is(err, errNobody) {
		t.Errorf("%v, %v", yes, err)
	}
}

// Else Ctrl-C at a question would do nothing until somebody presses Enter.
func TestAnInterruptAtAQuestionIsNoAnswer(t *testing.T) {
	in, hand := io.Pipe() // nobody writes
	t.Cleanup(func() { _ = hand.Close() })
	ctx, interrupt := context.WithCancel(t.Context())
	out := &interrupting{interrupt: interrupt}
	if yes, err := asking(ctx, in, out)("Go on?"); yes || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", yes, err)
	}
}

// interrupting interrupts whoever shows a question.
type interrupting struct{ interrupt func() }

func (i *interrupting) Write(p []byte) (int, error) {
	i.interrupt()
	return len(p), nil
}
