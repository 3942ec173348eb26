package reconciler

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/storageevent"
)

// The tasks of a schedule's event.
const (
	taskReconcile = "reconcile"
	taskSweep     = "sweep"
)

// event is what the function was told: either that objects were created, or
// what a schedule wants.
type event struct {
	created []storageevent.Created
	task    string
	fired   time.Time
}

// readEvent takes events of S3 and of EventBridge, see [storageevent.Read], and
// that of a schedule: {"task": "reconcile" or "sweep", "schedule": "daily",
// "time": "<aws.scheduler.scheduled-time>"}. What is none of them is an error of
// one line.
func readEvent(raw json.RawMessage) (event, error) {
	var kind struct {
		Task *string `json:"task"`
	}
	created, err := storageevent.Read(raw)
	switch {
	case !errors.Is(err, storageevent.ErrOther):
		return event{created: created}, err
	case json.Unmarshal(raw, &kind) == nil && kind.Task != nil:
		return fromSchedule(raw)
	}
	return event{}, errors.New("it is neither of S3, nor of EventBridge, nor of a schedule: expected Records, detail-type or task")
}

func fromSchedule(raw json.RawMessage) (event, error) {
	var e struct {
		Task string `json:"task"`
		Time string `json:"time"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return event{}, errors.New("its task and time are not strings")
	}
	if e.Task != taskReconcile && e.Task != taskSweep {
		return event{}, fmt.Errorf("task is %.40q: expected %q or %q", e.Task, taskReconcile, taskSweep)
	}
	fired, err := time.Parse(time.RFC3339, e.Time)
	if err != nil {
		return event{}, fmt.Errorf(`time is %.40q: expected an instant such as "2026-11-30T12:15:00Z"`, e.Time)
	}
	return event{task: e.Task, fired: fired}, nil
}
