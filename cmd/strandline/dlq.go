package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/letters"
)

func newDLQ() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dlq",
		Short: "See what was given up, and send back what can be carried out",
		Long: `Dead letters are commands that no worker could carry out (rejected, attempts used up,
or moved by the queue after too many deliveries), triggers that a schedule could not
deliver or a function failed on to the end, and releases that the relay could not
read. Nothing is lost with the first two: the ledger keeps what is due, and passes
publish it again. The object of a release stays until it is sent again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDLQList(), newDLQShow(), newDLQRedrive(), newDLQDiscard())
	return cmd
}

const (
	looking = `
Looking takes no letter out: all are received, hidden while the look lasts (from
nobody but other looks), and given back. A look that is killed gives nothing back;
its letters return by themselves after a quarter of an hour.`
	whereTriggersAre = `
The triggers' queue is given by --events-url or STRANDLINE_EVENTS_URL, that of releases
by --releases-dead-url or STRANDLINE_RELEASES_DEAD_URL. If one is not, and the queue of
dead letters is called <prefix>-purge-dead, it is looked for as <prefix>-events-dead and
<prefix>-releases-dead.`
)

func newDLQList() *cobra.Command {
	l, most := &letterCommand{}, 0
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the dead letters, why they were given up, and what redriving would do",
		Long: `Lists the dead letters of the commands, the triggers and the releases, why each was
given up, and what would become of it if it were redriven now: asked as a worker would,
from the same record with the same code.
` + looking + "\n" + whereTriggersAre,
		Example: `  strandline dlq list
  strandline dlq list --reason "access denied"
  strandline dlq list --queue releases
  strandline dlq list --json | jq -r 'select(.parked) | .command.upload'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			office, err := l.reading(cmd)
			if err != nil {
				return err
			}
			return office.List(cmd.Context(), most, l.wanted.Reason)
		},
	}
	l.placeFlags(cmd)
	l.addJSON(cmd.Flags(), "one letter a line")
	l.reasonFlag(cmd)
	cmd.Flags().IntVar(&most, "most", 1000, "how many letters to look at")
	return cmd
}

func newDLQShow() *cobra.Command {
	l := &letterCommand{}
	cmd := &cobra.Command{
		Use:   "show LETTER...",
		Short: "Show all that is known of a dead letter",
		Long: `Shows why a letter was given up, what it asks for, and what would become of it if it
were redriven now. A letter is named by its id, or the beginning of it.

--body shows the message itself, quoted. It is whatever somebody has sent: the
trigger of an inventory names its manifest.
` + looking,
		Example: `  strandline dlq show 3fa4b1c0
  strandline dlq show 3fa4b1c0 --body
  strandline dlq show 3fa4b1c0 --json | jq .command`,
		Args: atLeastOneLetter,
		RunE: func(cmd *cobra.Command, ids []string) error {
			office, err := l.reading(cmd)
			if err != nil {
				return err
			}
			return office.Show(cmd.Context(), ids)
		},
	}
	l.placeFlags(cmd)
	l.addJSON(cmd.Flags(), "one letter a line")
	cmd.Flags().BoolVar(&l.body, "body", false, "show the message itself, whatever it holds")
	return cmd
}

func newDLQRedrive() *cobra.Command {
	l := &letterCommand{queue: letters.Purge}
	cmd := &cobra.Command{
		Use:   "redrive [LETTER...]",
		Short: "Send dead letters back to the queue of commands",
		Long: `Shows what would go back, asks, and sends it: to the queue first, and out of the dead
letters when the queue has taken it. Interrupted in between, a command is in both; the
ledger lets it be done once. A worker decides about it again, as about any other.

Not redriven is what would only come back: what is no command of this version, an
upload that does not exist, one that is parked ("strandline parked retry" lets it go
on). Named, it refuses them all; with --all it stays. Triggers are not redriven: the
next schedule does their work. Releases are not, either: docs/operate.md,
releases-dead, has how one is sent again. What has died after it was shown stays, too.`,
		Example: `  strandline dlq redrive 3fa4b1c0 77e0d2aa
  strandline dlq redrive --all --reason "access denied"
  strandline dlq redrive --all --yes --json | jq -r .outcome`,
		Args: l.namedOrAll,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return l.decide(cmd, ids, func(c letters.Clerk, w letters.Wanted) error { return c.Redrive(cmd.Context(), w) })
		},
	}
	l.site.AddFlags(cmd.Flags())
	l.decideFlags(cmd)
	return cmd
}

func newDLQDiscard() *cobra.Command {
	l := &letterCommand{}
	cmd := &cobra.Command{
		Use:   "discard [LETTER...]",
		Short: "Remove dead letters for good",
		Long: `Removes letters that need no more: those of triggers, of what cannot be a command, of
uploads that a pass takes up again anyway. Shows them and asks. Nothing else is
changed by it: what the ledger says is due stays due, what is parked stays parked, and
the object of a release stays where it is.

--all goes with --queue, so that nobody empties all of them at once.
` + whereTriggersAre,
		Example: `  strandline dlq discard 3fa4b1c0
  strandline dlq discard --all --queue events --yes
  strandline dlq discard --all --queue purge --reason "not a JSON object"`,
		Args: l.namedOrAll,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if l.wanted.All && l.queue == "" {
				return errors.New("--all needs --queue: say whose dead letters go: purge, events or releases")
			}
			return l.decide(cmd, ids, func(c letters.Clerk, w letters.Wanted) error { return c.Discard(cmd.Context(), w) })
		},
	}
	l.placeFlags(cmd)
	l.decideFlags(cmd)
	return cmd
}
