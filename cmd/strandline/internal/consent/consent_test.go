package consent

import (
	"errors"
	"testing"
)

// Whatever else is taken for a yes deletes what nobody agreed to.
func TestOnlyAYesIsAYes(t *testing.T) {
	nobody := errors.New("nobody is there")
	for name, c := range map[string]struct {
		ask  Ask
		want error
	}{
		"yes":                          {func(string) (bool, error) { return true, nil }, nil},
		"no":                           {func(string) (bool, error) { return false, nil }, ErrDeclined},
		"nobody":                       {func(string) (bool, error) { return false, nobody }, nobody},
		"nobody, whatever it answered": {func(string) (bool, error) { return true, nobody }, nobody},
		"said already":                 {nil, nil},
	} {
		if err := c.ask.Confirm("Go on?"); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, expected %v", name, err, c.want)
		}
	}
}
