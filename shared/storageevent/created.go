package storageevent

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Created is one object version that was created.
type Created struct {
	Bucket string
	// Key is the object's, literal.
	Key string
	// VersionID is empty where the bucket keeps no versions, or the sender does
	// not say.
	VersionID string
	Size      int64
	ETag      string // without quotes
	// At is when S3 took it.
	At time.Time
	// Sequencer orders the events of one key: hexadecimal, to be compared as
	// strings of one length, the shorter filled up with zeros on its right
	// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html).
	Sequencer string
}

// ErrOther: it is JSON, and neither of S3 nor of EventBridge.
var ErrOther = errors.New("it is neither of S3 nor of EventBridge")

// Read returns what an event tells of. It takes
//
//   - S3's own, ObjectCreated, whose keys are URL-encoded
//     (https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html);
//     its s3:TestEvent tells of nothing;
//   - S3's by way of EventBridge, "Object Created", whose keys are as they are
//     (https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html).
//
// A key is decoded exactly once, or not at all. What is none of these is an
// error of one line that names no key; [ErrOther] if it looks like neither.
func Read(raw json.RawMessage) ([]Created, error) {
	var kind struct {
		Records    json.RawMessage `json:"Records"`
		Event      string          `json:"Event"`
		DetailType string          `json:"detail-type"`
	}
	if err := json.Unmarshal(raw, &kind); err != nil {
		return nil, errors.New("it is no JSON object")
	}
	switch {
	case kind.Records != nil:
		return fromS3(raw)
	case kind.Event == "s3:TestEvent":
		return nil, nil
	case kind.DetailType != "":
		return fromEventBridge(raw)
	}
	return nil, ErrOther
}

// named is what both of S3's events call a bucket.
type named struct {
	Name string `json:"name"`
}

func fromS3(raw json.RawMessage) ([]Created, error) {
	var e struct {
		Records []struct {
			EventSource string    `json:"eventSource"`
			EventName   string    `json:"eventName"`
			EventTime   time.Time `json:"eventTime"`
			S3          struct {
				Bucket named `json:"bucket"`
				Object struct {
					Key       string `json:"key"`
					Size      int64  `json:"size"`
					ETag      string `json:"eTag"`
					VersionID string `json:"versionId"`
					Sequencer string `json:"sequencer"`
				} `json:"object"`
			} `json:"s3"`
		}
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, errors.New("its Records are not those of an S3 event")
	}
	all := make([]Created, 0, len(e.Records))
	for _, r := range e.Records {
		if r.EventSource != "aws:s3" || !strings.HasPrefix(r.EventName, "ObjectCreated:") {
			return nil, fmt.Errorf("it is %s of %s: expected ObjectCreated of aws:s3", word(r.EventName), word(r.EventSource))
		}
		o := r.S3.Object
		key, err := url.QueryUnescape(o.Key)
		if err != nil {
			return nil, errors.New("the key of a record is not URL-encoded")
		}
		all = append(all, Created{
			Bucket: r.S3.Bucket.Name, Key: key, VersionID: o.VersionID, Size: o.Size, ETag: unquoted(o.ETag),
			At: r.EventTime, Sequencer: o.Sequencer,
		})
	}
	return checked(all)
}

func fromEventBridge(raw json.RawMessage) ([]Created, error) {
	var e struct {
		Source     string    `json:"source"`
		DetailType string    `json:"detail-type"`
		Time       time.Time `json:"time"`
		Detail     struct {
			Bucket named `json:"bucket"`
			Object struct {
				Key       string `json:"key"`
				Size      int64  `json:"size"`
				ETag      string `json:"etag"`
				VersionID string `json:"version-id"`
				Sequencer string `json:"sequencer"`
			} `json:"object"`
		} `json:"detail"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, errors.New("it is not as EventBridge sends it")
	}
	if e.Source != "aws.s3" || e.DetailType != "Object Created" {
		return nil, fmt.Errorf("it is %s of %s: expected Object Created of aws.s3", word(e.DetailType), word(e.Source))
	}
	o := e.Detail.Object
	all := []Created{{
		Bucket: e.Detail.Bucket.Name, Key: o.Key, VersionID: o.VersionID, Size: o.Size, ETag: unquoted(o.ETag),
		At: e.Time, Sequencer: o.Sequencer,
	}}
	return checked(all)
}

// aName is what events and their sources are called. A sender may call them
// anything: what is no name is not repeated, so that nothing of a message that
// went astray gets into a log.
var aName = regexp.MustCompile(`^[A-Za-z0-9:._ -]{1,64}$`)

func word(said string) string {
	if !aName.MatchString(said) {
		return "something"
	}
	return strconv.Quote(said)
}

func unquoted(etag string) string { return strings.Trim(etag, `"`) }

// checked refuses what names no object: an event that is cut short must not
// pass for one about nobody's object.
func checked(all []Created) ([]Created, error) {
	for _, c := range all {
		if c.Bucket == "" || c.Key == "" {
			return nil, errors.New("it names no bucket or no key")
		}
	}
	return all, nil
}
