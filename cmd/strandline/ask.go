package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// errNobody: a question needs somebody to answer it.
var errNobody = errors.New("there is nobody to ask: answer on a terminal, or give --yes")

// asking puts questions to whoever is at the terminal. Only "y" and "yes" are
// a yes.
func asking(in io.Reader, out io.Writer) func(string) (bool, error) {
	lines := bufio.NewReader(in)
	return func(question string) (bool, error) {
		fmt.Fprintf(out, "%s [y/N] ", question)
		answer, err := lines.ReadString('\n')
		if err != nil && answer == "" {
			fmt.Fprintln(out)
			return false, errNobody
		}
		answer = strings.ToLower(strings.TrimSpace(answer))
		return answer == "y" || answer == "yes", nil
	}
}
