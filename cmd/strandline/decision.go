package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
)

// decision are the flags of a command that changes something.
type decision struct {
	who         string
	yes, asJSON bool
}

func (d *decision) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&d.yes, "yes", false, "do not ask")
	d.addWho(f)
}

func (d *decision) addWho(f *pflag.FlagSet) {
	f.StringVar(&d.who, "who", operator(), "who decides; it is written beside the decision")
}

func (d *decision) addJSON(f *pflag.FlagSet, what string) {
	f.BoolVar(&d.asJSON, "json", false, "write "+what+" as JSON, and nothing else")
}

// asker returns what puts a question to the person; nil with --yes.
func (d decision) asker(cmd *cobra.Command) (consent.Ask, error) {
	switch {
	case d.who == "":
		return nil, errors.New("--who is empty: say who decides")
	case d.asJSON && !d.yes:
		return nil, errors.New("--json needs --yes: a question would stand between the lines")
	case d.yes:
		return nil, nil
	}
	return asking(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout()), nil
}
