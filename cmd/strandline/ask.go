package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
)

// errNobody: a question needs somebody to answer it.
var errNobody = errors.New("there is nobody to ask: answer on a terminal, or give --yes")

// asking puts questions to whoever is at the terminal. Only "y" and "yes" are
// a yes. The context's end is its error: an interrupt is no answer.
func asking(ctx context.Context, in io.Reader, out io.Writer) consent.Ask {
	lines := bufio.NewReader(in)
	return func(question string) (bool, error) {
		if _, err := fmt.Fprintf(out, "%s [y/N] ", question); err != nil {
			return false, err // nobody has seen what they would say yes to
		}
		type line struct {
			text string
			err  error
		}
		answered := make(chan line, 1)
		go func() { // a read of a terminal cannot be broken off: it ends with the process
			text, err := lines.ReadString('\n')
			answered <- line{text, err}
		}()
		select {
		case <-ctx.Done():
			fmt.Fprintln(out)
			return false, ctx.Err()
		case answer := <-answered:
			if answer.err != nil && answer.text == "" {
				fmt.Fprintln(out)
				return false, errNobody
			}
			text := strings.ToLower(strings.TrimSpace(answer.text))
			return text == "y" || text == "yes", nil
		}
	}
}
