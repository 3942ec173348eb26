package relay

import (
	"encoding/base64"
	"encoding/json"

	"github.com/strandline-dev/strandline/shared/source"
)

// plain is an attribute as DynamoDB writes it in JSON, {"S": "text"}, as a plain
// value
// (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html).
// What is of no type, of two, of an unknown one or of another than it says is
// unreadable.
func plain(attribute any) (any, error) {
	typed, ok := attribute.(map[string]any)
	if !ok || len(typed) != 1 {
		return nil, errAttribute()
	}
	for kind, value := range typed {
		switch v := value.(type) {
		case string:
			return ofText(kind, v)
		case []any:
			return ofList(kind, v)
		case bool:
			if kind == "BOOL" {
				return v, nil
			}
		case map[string]any:
			if kind == "M" {
				row, err := rowOf(v)
				return map[string]any(row), err
			}
		}
		if kind == "NULL" {
			return nil, nil
		}
	}
	return nil, errAttribute()
}

func ofText(kind, text string) (any, error) {
	switch kind {
	case "S":
		return text, nil
	case "N":
		return json.Number(text), nil
	case "B":
		content, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, errAttribute()
		}
		return content, nil
	case "NULL":
		return nil, nil
	}
	return nil, errAttribute()
}

// elements is what each element of a set is.
var elements = map[string]string{"SS": "S", "NS": "N", "BS": "B"}

func ofList(kind string, values []any) (any, error) {
	list := make([]any, len(values))
	for i, value := range values {
		var err error
		if kind == "L" {
			list[i], err = plain(value)
		} else if text, ok := value.(string); ok {
			list[i], err = ofText(elements[kind], text)
		} else {
			err = errAttribute()
		}
		if err != nil {
			return nil, err
		}
	}
	if kind != "L" && elements[kind] == "" {
		return nil, errAttribute()
	}
	return list, nil
}

// errAttribute says no value, and no name, of the row.
func errAttribute() error {
	return &source.Unreadable{Where: "record", Why: "it is not as DynamoDB sends it"}
}
