package scheduler

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// The tasks of an event.
const (
	taskPass   = "pass"
	taskCensus = "census"
)

// event is a schedule's input:
//
//	{"task": "pass", "schedule": "every-15m", "time": "<aws.scheduler.scheduled-time>"}
//
// Scheduler puts the fire time in the place of the last, the same on every
// retry
// (https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html).
type event struct {
	task     string
	schedule string
	fired    time.Time
}

// readEvent is strict: what it does not know, or misses, it names in one line.
func readEvent(raw json.RawMessage) (event, error) {
	var fields struct {
		Task     *string `json:"task"`
		Schedule *string `json:"schedule"`
		Time     *string `json:"time"`
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&fields); err != nil {
		return event{}, fmt.Errorf("%s: expected task, schedule and time", reason(err))
	}
	if err := decoder.Decode(new(json.RawMessage)); !errors.Is(err, io.EOF) {
		return event{}, errors.New("something follows its JSON object")
	}
	for name, value := range map[string]*string{"task": fields.Task, "schedule": fields.Schedule, "time": fields.Time} {
		if value == nil {
			return event{}, fmt.Errorf("%s is missing: expected task, schedule and time", name)
		}
	}
	if *fields.Task != taskPass && *fields.Task != taskCensus {
		return event{}, fmt.Errorf("task is %.40q: expected %q or %q", *fields.Task, taskPass, taskCensus)
	}
	fired, err := time.Parse(time.RFC3339, *fields.Time)
	if err != nil {
		return event{}, fmt.Errorf(`time is %.40q: expected an instant such as "2026-11-30T12:15:00Z"`, *fields.Time)
	}
	return event{task: *fields.Task, schedule: *fields.Schedule, fired: fired}, nil
}

// reason says what is wrong with the JSON, without the library's words for
// types, and without what the event holds: it may have gone astray.
func reason(err error) string {
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		kind, _, _ := strings.Cut(mistyped.Value, " ") // of a number its digits follow
		if mistyped.Field == "" {
			return "it is a JSON " + kind + ", not an object"
		}
		return fmt.Sprintf("%.40s is a JSON %s, not a string", mistyped.Field, kind)
	}
	return fmt.Sprintf("%.100s", err)
}
