package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/letters"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/meter"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/deadletter"
	"github.com/strandline-dev/strandline/shared/policy"
)

// letterCommand is what the commands about dead letters have in common.
type letterCommand struct {
	site site.Site
	decision
	events string
	// releases is where releases lie that could not be read.
	releases string
	queue    string // purge, events, releases or, for all, empty
	body     bool
	wanted   letters.Wanted
}

// placeFlags say where the queues are.
func (l *letterCommand) placeFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	l.site.AddFlags(f)
	f.StringVar(&l.events, "events-url", os.Getenv(policy.EnvPrefix+"EVENTS_URL"), "the queue of triggers that failed (STRANDLINE_EVENTS_URL)")
	f.StringVar(&l.releases, "releases-dead-url", os.Getenv(policy.EnvPrefix+"RELEASES_DEAD_URL"), "the queue of releases that were not read (STRANDLINE_RELEASES_DEAD_URL)")
	f.StringVar(&l.queue, "queue", "", "purge, events or releases; all, if not given")
}

func (l *letterCommand) decideFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	l.addFlags(f)
	l.addJSON(f, "what became of each letter, a line each,")
	l.reasonFlag(cmd)
	f.BoolVar(&l.wanted.All, "all", false, "all of them, or all that --reason names")
}

func (l *letterCommand) reasonFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.wanted.Reason, "reason", "", "only what was given up for a reason that holds this text")
}

func atLeastOneLetter(_ *cobra.Command, ids []string) error {
	if len(ids) == 0 {
		return errors.New("name a dead letter by its id, or the beginning of it; \"strandline dlq list\" shows them")
	}
	return nil
}

func (l *letterCommand) namedOrAll(cmd *cobra.Command, ids []string) error {
	switch {
	case !l.wanted.All && l.wanted.Reason != "":
		return errors.New("--reason goes with --all")
	case l.wanted.All && len(ids) > 0:
		return errors.New("--all and names do not go together: give one of them")
	case !l.wanted.All:
		return atLeastOneLetter(cmd, ids)
	}
	return nil
}

// reading opens the office for a look.
func (l *letterCommand) reading(cmd *cobra.Command) (letters.Office, error) {
	if err := l.check(); err != nil {
		return letters.Office{}, err
	}
	o, err := l.site.Open(cmd.Context(), time.Now)
	if err != nil {
		return letters.Office{}, err
	}
	return l.office(cmd, o, nil)
}

func (l *letterCommand) check() error {
	switch l.queue {
	case "", letters.Purge, letters.Events, letters.Releases:
		return nil
	}
	return fmt.Errorf("--queue is %q: expected %s, %s or %s", l.queue, letters.Purge, letters.Events, letters.Releases)
}

// decide does something with the clerk, and then brings the trail home.
func (l *letterCommand) decide(cmd *cobra.Command, names []string, do func(letters.Clerk, letters.Wanted) error) error {
	ask, err := l.asker(cmd)
	if err != nil {
		return err
	}
	if err := l.check(); err != nil {
		return err
	}
	o, err := l.site.Open(cmd.Context(), time.Now)
	if err != nil {
		return err
	}
	var queue deadletter.Queue
	if cmd.Name() == "redrive" {
		if queue, err = o.BothQueues(); err != nil {
			return err
		}
	}
	office, err := l.office(cmd, o, queue)
	if err != nil {
		return err
	}
	trail, flush := o.Trail(cmd.ErrOrStderr(), time.Now)
	defer flush(cmd.Context())
	wanted := l.wanted
	wanted.Names = names
	return do(letters.Clerk{Office: office, Who: l.who, Audit: trail, Ask: ask}, wanted)
}

// office opens the queues that are asked for. Without a queue of commands
// nothing is redriven.
func (l *letterCommand) office(cmd *cobra.Command, o site.Opened, queue deadletter.Queue) (letters.Office, error) {
	bar := progressOf(cmd)
	office := letters.Office{
		Now: time.Now, Out: cmd.OutOrStdout(), Notes: cmd.ErrOrStderr(), JSON: l.asJSON, Body: l.body, Clear: bar.Clear,
	}
	desk := func(url string) deadletter.Desk {
		return deadletter.Desk{
			Letters: sqs.NewLetters(awsconf.SQS(o.Config), url), Queue: queue, Policy: o.Policy, Now: time.Now,
			Progress: func(n int) { bar.Show(meter.State{Stage: "look", Done: int64(n), Unit: "letters"}) },
		}
	}
	if l.queue == "" || l.queue == letters.Purge {
		if l.site.DeadLetterURL == "" {
			return office, errors.New("--dead-letter-url is not given and STRANDLINE_DEAD_LETTER_URL is not set: name the queue by its URL")
		}
		purge := desk(l.site.DeadLetterURL)
		purge.Records = o.Ledger
		office.Boxes = append(office.Boxes, letters.Box{Name: letters.Purge, Desk: purge})
	}
	for _, beside := range []struct{ box, given, name, flag, variable string }{
		{letters.Events, l.events, "events-dead", "--events-url", "EVENTS_URL"},
		{letters.Releases, l.releases, "releases-dead", "--releases-dead-url", "RELEASES_DEAD_URL"},
	} {
		if l.queue != "" && l.queue != beside.box {
			continue
		}
		url := l.site.Beside(beside.given, beside.name)
		if url == "" && l.queue == beside.box {
			return office, fmt.Errorf("%s is not given and %s%s is not set: name the queue by its URL", beside.flag, policy.EnvPrefix, beside.variable)
		}
		if url != "" {
			office.Boxes = append(office.Boxes, letters.Box{Name: beside.box, Desk: desk(url), Guessed: beside.given == "" && l.queue == ""})
		}
	}
	return office, nil
}
