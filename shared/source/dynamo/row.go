package dynamo

import (
	"encoding/json"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/shared/source"
)

// rowOf is an item as plain values; see [source.Row].
func rowOf(all item) source.Row {
	row := make(source.Row, len(all))
	for name, v := range all {
		row[name] = plain(v)
	}
	return row
}

func plain(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return json.Number(v.Value)
	case *types.AttributeValueMemberBOOL:
		return v.Value
	case *types.AttributeValueMemberB:
		return v.Value
	case *types.AttributeValueMemberM:
		return map[string]any(rowOf(v.Value))
	case *types.AttributeValueMemberL:
		return each(v.Value, plain)
	case *types.AttributeValueMemberSS:
		return each(v.Value, func(s string) any { return s })
	case *types.AttributeValueMemberNS:
		return each(v.Value, func(s string) any { return json.Number(s) })
	case *types.AttributeValueMemberBS:
		return each(v.Value, func(b []byte) any { return b })
	}
	return nil // null, and what a newer service has: no text either
}

func each[T any](all []T, one func(T) any) []any {
	list := make([]any, len(all))
	for i, v := range all {
		list[i] = one(v)
	}
	return list
}
