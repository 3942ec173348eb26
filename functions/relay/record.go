package relay

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
)

// changeOf reads a stream's record: which table's, and what changed. The error
// holds no value of the row.
func changeOf(body string) (table string, c release.Change, err error) {
	var r events.DynamoDBEventRecord
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		return "", c, &source.Unreadable{Where: "record", Why: "it is not as DynamoDB sends it"}
	}
	c = release.Change{ID: r.EventID, Event: r.EventName, At: r.Change.ApproximateCreationDateTime.UTC()}
	for _, part := range []struct {
		from map[string]events.DynamoDBAttributeValue
		into *source.Row
	}{{r.Change.Keys, &c.Keys}, {r.Change.OldImage, &c.Old}, {r.Change.NewImage, &c.New}} {
		if *part.into, err = rowOf(part.from); err != nil {
			return "", c, err
		}
	}
	return tableOf(r.EventSourceArn), c, nil
}

// tableOf takes the table's name from its stream's ARN:
// arn:aws:dynamodb:REGION:ACCOUNT:table/NAME/stream/LABEL.
func tableOf(arn string) string {
	_, rest, _ := strings.Cut(arn, ":table/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// rowOf is an image as plain values; nil for none.
func rowOf(image map[string]events.DynamoDBAttributeValue) (source.Row, error) {
	if image == nil {
		return nil, nil
	}
	row := make(source.Row, len(image))
	for name, v := range image {
		var err error
		if row[name], err = plain(v); err != nil {
			return nil, err
		}
	}
	return row, nil
}

func plain(v events.DynamoDBAttributeValue) (any, error) {
	switch v.DataType() {
	case events.DataTypeString:
		return v.String(), nil
	case events.DataTypeNumber:
		return json.Number(v.Number()), nil
	case events.DataTypeBoolean:
		return v.Boolean(), nil
	case events.DataTypeNull:
		return nil, nil
	case events.DataTypeBinary:
		return v.Binary(), nil
	case events.DataTypeMap:
		row, err := rowOf(v.Map())
		return map[string]any(row), err
	case events.DataTypeList:
		list := make([]any, len(v.List()))
		for i, e := range v.List() {
			var err error
			if list[i], err = plain(e); err != nil {
				return nil, err
			}
		}
		return list, nil
	case events.DataTypeStringSet:
		return listOf(v.StringSet(), func(s string) any { return s }), nil
	case events.DataTypeNumberSet:
		return listOf(v.NumberSet(), func(s string) any { return json.Number(s) }), nil
	case events.DataTypeBinarySet:
		return listOf(v.BinarySet(), func(b []byte) any { return b }), nil
	}
	return nil, &source.Unreadable{Where: "record", Why: fmt.Sprintf("an attribute is of the unknown type %d", v.DataType())}
}

func listOf[T any](set []T, value func(T) any) []any {
	list := make([]any, len(set))
	for i, e := range set {
		list[i] = value(e)
	}
	return list
}
