package relay

import (
	"encoding/json"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
)

// streamRecord is a stream's record
// (https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html). The library's own
// type for it ends the process at a set of binary values that holds something
// else, so its images are read here.
type streamRecord struct {
	EventID   string `json:"eventID"`
	EventName string `json:"eventName"`
	SourceARN string `json:"eventSourceARN"`
	Change    struct {
		At   events.SecondsEpochTime `json:"ApproximateCreationDateTime"`
		Keys map[string]any          `json:"Keys"`
		New  map[string]any          `json:"NewImage"`
		Old  map[string]any          `json:"OldImage"`
	} `json:"dynamodb"`
}

// changeOf reads a stream's record: which table's, and what changed. The error
// holds no value of the row.
func changeOf(body string) (table string, c release.Change, err error) {
	var r streamRecord
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		return "", c, &source.Unreadable{Where: "record", Why: "it is not as DynamoDB sends it"}
	}
	c = release.Change{ID: r.EventID, Event: r.EventName, At: r.Change.At.UTC()}
	for _, part := range []struct {
		from map[string]any
		into *source.Row
	}{{r.Change.Keys, &c.Keys}, {r.Change.Old, &c.Old}, {r.Change.New, &c.New}} {
		if *part.into, err = rowOf(part.from); err != nil {
			return "", release.Change{}, err
		}
	}
	return tableOf(r.SourceARN), c, nil
}

// tableOf takes the table's name from its stream's ARN:
// arn:aws:dynamodb:REGION:ACCOUNT:table/NAME/stream/LABEL.
func tableOf(arn string) string {
	_, rest, _ := strings.Cut(arn, ":table/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// rowOf is an image as plain values; nil for none.
func rowOf(image map[string]any) (source.Row, error) {
	if image == nil {
		return nil, nil
	}
	row := make(source.Row, len(image))
	for name, attribute := range image {
		var err error
		if row[name], err = plain(attribute); err != nil {
			return nil, err
		}
	}
	return row, nil
}
