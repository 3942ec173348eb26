package installation

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/strandline-dev/strandline/functions/relay"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/lambdaevent"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/source/rows"
)

// Releases is the queue of releases, and the one for what of them is parked.
type Releases interface {
	Receive(ctx context.Context, most int, wait time.Duration) ([]command.Received, error)
	Acknowledge(ctx context.Context, receipt string) error
	Park(ctx context.Context, m command.Received, source, reason string) error
}

// The relay's own defaults.
const (
	relayConcurrency = 16
	relayMargin      = 10 * time.Second
)

// relays composes the relay, where there are sources.
func (i *Installation) relays(s Stores, n names, log *slog.Logger) (err error) {
	if len(i.sources) == 0 {
		return nil
	}
	i.relay, err = relay.NewFrom(relay.Config{
		Table: n.table, Concurrency: relayConcurrency, DeadlineMargin: relayMargin, Policy: i.Policy, Sources: i.sources,
	}, relay.Deps{
		Ledger: s.Ledger, Store: s.Objects, Rows: rows.Of(i.sources, s.Rows), Dead: s.Releases, Log: log,
		Now: i.Clock.Now, Metrics: i.metrics,
	})
	return err
}

// Changed tells the relay of changes of a table's rows, as Lambda reads them from
// its stream: one batch, each with its sequence number. It returns the numbers of
// those that Lambda would send again.
func (i *Installation) Changed(ctx context.Context, table string, changes ...release.Change) (again []string, err error) {
	records := make([]any, len(changes))
	for n, c := range changes {
		records[n] = recordOf(table, fmt.Sprintf("%021d", n+1), c)
	}
	raw, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		return nil, err
	}
	answer, err := i.tellRelay(ctx, raw)
	for _, f := range answer.Failures {
		again = append(again, f.Item)
	}
	return again, err
}

func (i *Installation) tellRelay(ctx context.Context, event json.RawMessage) (relay.Answer, error) {
	if i.relay == nil {
		return relay.Answer{}, fmt.Errorf("the installation has no relay: it has no sources")
	}
	within := invocation{ctx, i.Clock.Now().Add(i.Policy.WorkerTimeout)}
	answer, err := i.relay.Handle(within, event)
	if err != nil {
		return answer, fmt.Errorf("relay: %w", err)
	}
	return answer, nil
}

// Relay takes up to ten messages from the queue of releases, hands them to the
// relay, and acknowledges those that its answer does not name. It returns how
// many were taken, and how many of those acknowledged.
func (i *Installation) Relay(ctx context.Context) (taken, acknowledged int, err error) {
	batch, err := i.Stores.Releases.Receive(ctx, command.MaxBatch, 0)
	if err != nil || len(batch) == 0 {
		return 0, 0, err
	}
	event, err := lambdaevent.Messages(batch...)
	if err != nil {
		return len(batch), 0, err
	}
	answer, err := i.tellRelay(ctx, event)
	if err != nil {
		return len(batch), 0, err
	}
	again := map[string]bool{}
	for _, f := range answer.Failures {
		again[f.Item] = true
	}
	for _, m := range batch {
		if again[m.MessageID] {
			continue
		}
		if err := i.Stores.Releases.Acknowledge(ctx, m.Receipt); err != nil {
			return len(batch), acknowledged, err
		}
		acknowledged++
	}
	return len(batch), acknowledged, nil
}

// recordOf is a change as a DynamoDB stream's record.
func recordOf(table, number string, c release.Change) map[string]any {
	change := map[string]any{
		"ApproximateCreationDateTime": c.At.Unix(), "SequenceNumber": number, "StreamViewType": "NEW_AND_OLD_IMAGES",
		"Keys": attributes(c.Keys),
	}
	if c.Old != nil {
		change["OldImage"] = attributes(c.Old)
	}
	if c.New != nil {
		change["NewImage"] = attributes(c.New)
	}
	return map[string]any{
		"eventID": c.ID, "eventName": c.Event, "eventVersion": "1.1", "eventSource": "aws:dynamodb", "awsRegion": "us-east-1",
		"eventSourceARN": "arn:aws:dynamodb:us-east-1:000000000000:table/" + table + "/stream/2026-12-01T00:00:00.000",
		"dynamodb":       change,
	}
}

// attributes is a row in DynamoDB's own JSON.
func attributes(row map[string]any) map[string]any {
	all := make(map[string]any, len(row))
	for name, value := range row {
		all[name] = attribute(value)
	}
	return all
}

func attribute(value any) map[string]any {
	switch v := value.(type) {
	case nil:
		return map[string]any{"NULL": true}
	case bool:
		return map[string]any{"BOOL": v}
	case json.Number:
		return map[string]any{"N": v.String()}
	case []byte:
		return map[string]any{"B": base64.StdEncoding.EncodeToString(v)}
	case source.Row:
		return map[string]any{"M": attributes(v)}
	case map[string]any:
		return map[string]any{"M": attributes(v)}
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = attribute(e)
		}
		return map[string]any{"L": list}
	}
	return map[string]any{"S": value}
}
