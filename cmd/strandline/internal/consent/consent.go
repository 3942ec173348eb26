// Package consent is a person's yes to what a command is about to do, once it
// has shown them what that is.
package consent

import "errors"

// Ask puts a question to the person, and reports whether the answer was yes. An
// error: nobody is there to answer. Nil is for one who has said yes already.
type Ask func(question string) (yes bool, err error)

// ErrDeclined is the error of whoever was asked and did not say yes.
var ErrDeclined = errors.New("nothing was done")

// Confirm asks, and is nil only after a yes.
func (a Ask) Confirm(question string) error {
	if a == nil {
		return nil
	}
	yes, err := a(question)
	if err != nil {
		return err
	}
	if !yes {
		return ErrDeclined
	}
	return nil
}
