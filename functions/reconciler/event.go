package reconciler

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// The tasks of a schedule's event.
const (
	taskReconcile = "reconcile"
	taskSweep     = "sweep"
)

// event is what the function was told: either that objects were created, or
// what a schedule wants.
type event struct {
	created []created
	task    string
	fired   time.Time
}

// created is one object that was put somewhere.
type created struct {
	bucket, key string
	at          time.Time
}

// readEvent takes three kinds of event:
//
//   - of S3, ObjectCreated, whose keys are URL-encoded
//     (https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html);
//     its s3:TestEvent names no object;
//   - of S3 by way of EventBridge, "Object Created", whose keys are as they are
//     (https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html);
//   - of a schedule: {"task": "reconcile" or "sweep", "schedule": "daily",
//     "time": "<aws.scheduler.scheduled-time>"}.
//
// What is none of them is an error of one line.
func readEvent(raw json.RawMessage) (event, error) {
	var kind struct {
		Records    json.RawMessage `json:"Records"`
		Event      string          `json:"Event"`
		DetailType string          `json:"detail-type"`
		Task       *string         `json:"task"`
	}
	if err := json.Unmarshal(raw, &kind); err != nil {
		return event{}, errors.New("it is no JSON object")
	}
	switch {
	case kind.Records != nil:
		return fromS3(raw)
	case kind.Event == "s3:TestEvent":
		return event{}, nil
	case kind.DetailType != "":
		return fromEventBridge(raw)
	case kind.Task != nil:
		return fromSchedule(raw)
	}
	return event{}, errors.New("it is neither of S3, nor of EventBridge, nor of a schedule: expected Records, detail-type or task")
}

func fromS3(raw json.RawMessage) (event, error) {
	var e struct {
		Records []struct {
			EventSource string    `json:"eventSource"`
			EventName   string    `json:"eventName"`
			EventTime   time.Time `json:"eventTime"`
			S3          struct {
				Bucket named `json:"bucket"`
				Object keyed `json:"object"`
			} `json:"s3"`
		}
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return event{}, errors.New("its Records are not those of an S3 event")
	}
	var all event
	for _, r := range e.Records {
		if r.EventSource != "aws:s3" || !strings.HasPrefix(r.EventName, "ObjectCreated:") {
			return event{}, fmt.Errorf("it is a %q of %q: expected ObjectCreated of aws:s3", r.EventName, r.EventSource)
		}
		key, err := url.QueryUnescape(r.S3.Object.Key)
		if err != nil {
			return event{}, errors.New("the key of a record is not URL-encoded")
		}
		all.created = append(all.created, created{r.S3.Bucket.Name, key, r.EventTime})
	}
	return all, nil
}

// What both of S3's events call a bucket and an object.
type (
	named struct {
		Name string `json:"name"`
	}
	keyed struct {
		Key string `json:"key"`
	}
)

func fromEventBridge(raw json.RawMessage) (event, error) {
	var e struct {
		Source     string    `json:"source"`
		DetailType string    `json:"detail-type"`
		Time       time.Time `json:"time"`
		Detail     struct {
			Bucket named `json:"bucket"`
			Object keyed `json:"object"`
		} `json:"detail"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return event{}, errors.New("it is not as EventBridge sends it")
	}
	if e.Source != "aws.s3" || e.DetailType != "Object Created" {
		return event{}, fmt.Errorf("it is a %q of %q: expected Object Created of aws.s3", e.DetailType, e.Source)
	}
	return event{created: []created{{e.Detail.Bucket.Name, e.Detail.Object.Key, e.Time}}}, nil
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
		return event{}, fmt.Errorf("task is %q: expected %q or %q", e.Task, taskReconcile, taskSweep)
	}
	fired, err := time.Parse(time.RFC3339, e.Time)
	if err != nil {
		return event{}, fmt.Errorf(`time is %q: expected an instant such as "2026-11-30T12:15:00Z"`, e.Time)
	}
	return event{task: e.Task, fired: fired}, nil
}
