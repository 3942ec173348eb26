package checkup

import (
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/rights"
	"github.com/strandline-dev/strandline/shared/source"
)

const (
	recorder = "recorder"
	relay    = "relay"
	// sourcesVariable tells worker and relay of the sources.
	sourcesVariable = policy.EnvPrefix + "SOURCES"
)

// Sources are those that the worker, or else the relay, is told of; none where
// neither can be told. What is wrong about them the function itself says: it
// does not start.
func (f Facts) Sources() []source.Source {
	for _, name := range []string{"worker", relay} {
		if all, err := source.Parse([]byte(f.function(name).Got.Variables[sourcesVariable])); err == nil && len(all) > 0 {
			return all
		}
	}
	return nil
}

// needless reports whether an installation goes without the function: without
// sources nothing is relayed.
func (f Facts) needless(name string) bool {
	return name == relay && f.function("worker").Seen && len(f.Sources()) == 0 && f.function(relay).Failed.Kind == Absent
}

// ofSources adds what the roles need for the sources that are tables.
func (f Facts) ofSources(all map[string][]rights.Right) {
	tables, indexes := false, false
	for _, s := range f.Sources() {
		tables = tables || s.Table != ""
		indexes = indexes || s.Index != nil
	}
	if f.needless(relay) {
		delete(all, relay)
	}
	if tables {
		all[relay] = append(all[relay], rights.ReadsStreams()...)
		all[You] = append(all[You], rights.Audits()...)
	}
	if indexes {
		all[You] = append(all[You], rights.AsksRows())
		for _, who := range []string{"worker", relay} {
			all[who] = append(all[who], rights.AsksRows(), rights.LooksAtRows())
		}
	}
}

// outside judges the queues by which recorder and relay hear of things.
func (j *judge) outside() {
	if o := j.on(CheckStored, "queue of stored objects"); seen(o, j.facts.Stored, "sqs:GetQueueAttributes", "deploy again, or name it with --stored-url") {
		j.hears(CheckStored, j.facts.Stored.Got, 6*j.mayRun(recorder, schema.RecorderTimeout), "the recorder")
	}
	o := j.on(CheckReleases, "queue of releases")
	if seen(o, j.facts.Releases, "sqs:GetQueueAttributes", "deploy again, or name it with --releases-url (the stack's output ReleasesQueueUrl)") {
		j.hears(CheckReleases, j.facts.Releases.Got, 6*j.mayRun(relay, j.policy.WorkerTimeout), "the relay")
	}
	o = j.on(CheckParked, "queue of releases that were not read")
	if seen(o, j.facts.ReleasesDead, "sqs:GetQueueAttributes", "deploy again (the stack's output ReleasesDeadQueueUrl)") {
		j.unread(j.facts.ReleasesDead.Got)
	}
}

// mayRun is how long a function may run, as it is deployed.
func (j *judge) mayRun(name string, otherwise time.Duration) time.Duration {
	if look := j.facts.function(name); look.Seen {
		return look.Got.Timeout
	}
	return otherwise
}

func (j *judge) hears(c Check, q Queue, least time.Duration, who string) {
	o, before := j.on(c, "queue %s", q.Name), len(j.all)
	if q.Visibility < least {
		o.wrong(set(q, "VisibilityTimeout="+seconds(least)),
			"it hides a message for %s, less than %s: a batch is delivered again while %s works on it", spell(q.Visibility), spell(least), who)
	}
	if q.Redrive == "" {
		o.wrong(set(q, "RedrivePolicy=…, or deploy again"), "it has no dead-letter queue: a message that kills %s comes back until it is too old", who)
	}
	if dead := j.facts.ReleasesDead; c == CheckReleases && dead.Seen && q.Redrive != "" && q.Redrive != dead.Got.ARN {
		o.wrong("deploy again", "its dead letters go to %s, not to %s", lastOf(q.Redrive), dead.Got.Name)
	}
	if len(j.all) == before {
		o.ok("%s; hides a message for %s", show.Counted(q.Depth, "message"), spell(q.Visibility))
	}
}

func (j *judge) unread(d Queue) {
	o := j.on(CheckParked, "queue %s", d.Name)
	switch q := j.facts.Releases; {
	case d.Depth > 0:
		o.wrong("strandline dlq list --queue releases shows why; each is an object that stays", "%s wait for a person", show.Counted(d.Depth, "release"))
	case q.Seen && d.Retention < q.Got.Retention:
		o.wrong(set(d, "MessageRetentionPeriod="+seconds(q.Got.Retention)),
			"it keeps a message for %s, less than the queue of releases (%s): one that waited there is gone at once", spell(d.Retention), spell(q.Got.Retention))
	default:
		o.ok("empty; keeps a message for %s", spell(d.Retention))
	}
}
