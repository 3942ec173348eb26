package dynamo

import (
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/shared/upload"
)

// item is one item as the client takes it.
type item = map[string]types.AttributeValue

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func textOf(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// millis stores an instant; the zero instant is no attribute at all.
func millis(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}

func fromMillis(ms *int64) time.Time {
	if ms == nil {
		return time.Time{}
	}
	return time.UnixMilli(*ms).UTC()
}

// ttl is the first whole second that is not before the instant; 0 for never.
func ttl(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Add(time.Second - time.Nanosecond).Unix()
}

// maxItem is the limit of an item
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html).
const maxItem = 400 << 10

// checkItem refuses what DynamoDB would not store as it is: more than 400 KB,
// or text that is not UTF-8, which the client would change without a word. It
// returns the size.
func checkItem(it item) (int, error) {
	size := 0
	for name, v := range it {
		n, err := sizeOf(v)
		if err != nil {
			return 0, err
		}
		size += len(name) + n
	}
	if size > maxItem {
		return 0, fmt.Errorf("%w: an item of %d bytes: at most %d", upload.ErrRefused, size, maxItem)
	}
	return size, nil
}

// sizeOf is what DynamoDB counts, rounded up in numbers
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html).
func sizeOf(v types.AttributeValue) (int, error) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		if !utf8.ValidString(v.Value) {
			return 0, fmt.Errorf("%w: text that is not UTF-8", upload.ErrRefused)
		}
		return len(v.Value), nil
	case *types.AttributeValueMemberN:
		return len(v.Value)/2 + 2, nil
	case *types.AttributeValueMemberB:
		return len(v.Value), nil
	case *types.AttributeValueMemberL:
		return sizeOfAll(v.Value)
	case *types.AttributeValueMemberM:
		return sizeOfMap(v.Value)
	}
	return 1, nil // true, false, null
}

func sizeOfAll(list []types.AttributeValue) (int, error) {
	size := 3
	for _, v := range list {
		n, err := sizeOf(v)
		if err != nil {
			return 0, err
		}
		size += 1 + n
	}
	return size, nil
}

func sizeOfMap(m map[string]types.AttributeValue) (int, error) {
	size := 3
	for name, v := range m {
		n, err := sizeOf(v)
		if err != nil {
			return 0, err
		}
		size += 1 + len(name) + n
	}
	return size, nil
}
