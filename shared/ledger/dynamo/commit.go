package dynamo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Limits of one transaction
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html).
const (
	maxTransaction      = 100
	maxTransactionBytes = 4 << 20
)

// Commit writes an accepted change with all its effects, or nothing.
// upload.ErrChanged if the stored record is not the one it was decided from;
// then the first effect that cannot happen says why.
func (s *Store) Commit(ctx context.Context, c upload.Change) error {
	if c.Nothing() {
		return nil
	}
	if err := s.commit(ctx, c, rand.Text()); err != nil {
		return fmt.Errorf("%s upload %s: %w", c.Event, c.After.Upload, err)
	}
	return nil
}

func (s *Store) commit(ctx context.Context, c upload.Change, stamp string) error {
	if err := ledger.CheckChange(c); err != nil {
		return err
	}
	w, err := s.prepare(c, stamp)
	if err != nil {
		return err
	}
	for repetition := 1; ; repetition++ {
		err := w.judge(s.send(ctx, w))
		var again *inTheWay
		if !errors.As(err, &again) || repetition == maxTries {
			return err
		}
		if err := s.wait(ctx, repetition, stamp[repetition]*37); err != nil {
			return err
		}
	}
}

// writing is one change, ready to be sent: the head, and what must change with
// it in one transaction.
type writing struct {
	stamp  string
	head   types.Put
	beside []part
}

// part is one write beside the head. failed says why its condition did not
// hold, given what was there; nil where it has none.
type part struct {
	write  types.TransactWriteItem
	failed func(was item) error
}

func (s *Store) prepare(c upload.Change, stamp string) (*writing, error) {
	it, err := encode(c.After, stamp)
	if err != nil {
		return nil, err
	}
	total, err := checkItem(it)
	if err != nil {
		return nil, err
	}
	if most := headBytes(c.Event); total > most {
		return nil, fmt.Errorf("%w: an upload's item of %d bytes: %s may make it %d", upload.ErrRefused, total, c.Event, most)
	}
	w := &writing{stamp: stamp, head: s.onVersion(it, c.Before.Version)}
	items, err := changedPages(c)
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		size, err := checkItem(it)
		if err != nil {
			return nil, err
		}
		total += size
		w.beside = append(w.beside, part{write: types.TransactWriteItem{Put: &types.Put{TableName: s.table, Item: it}}})
	}
	for _, e := range c.Effects {
		w.beside = append(w.beside, s.effect(e, c))
	}
	if n := len(w.beside) + 1; n > maxTransaction || total > maxTransactionBytes {
		return nil, fmt.Errorf("%w: %d items with %d bytes in one write: at most %d items and %d bytes; record in smaller steps",
			upload.ErrRefused, n, total, maxTransaction, maxTransactionBytes)
	}
	return w, nil
}

// roomForCleanup is how much of an item writers and owners leave free. What
// cleanup adds (a mark, a claim, an error, a retention) is less than 1 KB.
const roomForCleanup = 8 << 10

// headBytes is how large an upload's item may become by the event. An item that
// an application has filled to its end could never be claimed.
func headBytes(event upload.Kind) int {
	switch event {
	case upload.KindDefer, upload.KindRepair, upload.KindExpire, upload.KindClaim, upload.KindTrim,
		upload.KindResupersede, upload.KindReclaim, upload.KindContinue, upload.KindUnclear,
		upload.KindRetry, upload.KindUnpark, upload.KindFinish, upload.KindReopen,
		upload.KindWithdraw:
		return maxItem
	}
	return maxItem - roomForCleanup
}

// onVersion puts the head where the record that was decided from still is.
func (s *Store) onVersion(it item, before int64) types.Put {
	put := types.Put{
		TableName: s.table, Item: it,
		ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
	if before > 0 {
		put.ConditionExpression = aws.String("#version = :before")
		put.ExpressionAttributeNames = map[string]string{"#version": "version"}
		put.ExpressionAttributeValues = item{":before": number(before)}
	}
	return put
}

func (s *Store) send(ctx context.Context, w *writing) error {
	if len(w.beside) == 0 {
		_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: w.head.TableName, Item: w.head.Item,
			ConditionExpression:                 w.head.ConditionExpression,
			ExpressionAttributeNames:            w.head.ExpressionAttributeNames,
			ExpressionAttributeValues:           w.head.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: w.head.ReturnValuesOnConditionCheckFailure,
		})
		return err
	}
	writes := []types.TransactWriteItem{{Put: &w.head}}
	for _, p := range w.beside {
		writes = append(writes, p.write)
	}
	_, err := s.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems: writes, ClientRequestToken: aws.String(w.stamp),
	})
	return err
}

// inTheWay is a write that another one, of the same items and at the same
// time, kept from happening: it may be sent again as it is.
type inTheWay struct{ kind error }

func (e *inTheWay) Error() string {
	return e.kind.Error() + ": another write of the same items is under way"
}
func (e *inTheWay) Unwrap() error { return e.kind }

// judge says what an answer means. A head that already bears our stamp is our
// own write, whose answer was lost on the way.
func (w *writing) judge(err error) error {
	if err == nil {
		return nil
	}
	var (
		condition *types.ConditionalCheckFailedException
		conflict  *types.TransactionConflictException
		progress  *types.TransactionInProgressException
		cancelled *types.TransactionCanceledException
	)
	switch {
	case errors.As(err, &condition):
		return w.headFailed(condition.Item)
	case errors.As(err, &conflict):
		return &inTheWay{upload.ErrThrottled}
	case errors.As(err, &progress): // our own, sent twice: it may yet be done
		return &inTheWay{upload.ErrUnclear}
	case errors.As(err, &cancelled):
		return w.judgeReasons(cancelled.CancellationReasons)
	}
	return awsconf.Kind(err)
}

func (w *writing) headFailed(was item) error {
	if textOf(was["stamp"]) == w.stamp {
		return nil
	}
	return upload.ErrChanged
}

// The codes of a transaction's reasons, which come in the order of its items.
const (
	reasonCondition = "ConditionalCheckFailed"
	reasonConflict  = "TransactionConflict"
	reasonNone      = "None"
)

func (w *writing) judgeReasons(reasons []types.CancellationReason) error {
	if len(reasons) != len(w.beside)+1 {
		return fmt.Errorf("%w: a transaction of %d items was cancelled for %d reasons", upload.ErrUnclear, len(w.beside)+1, len(reasons))
	}
	if aws.ToString(reasons[0].Code) == reasonCondition {
		return w.headFailed(reasons[0].Item)
	}
	for i, r := range reasons[1:] {
		if aws.ToString(r.Code) == reasonCondition && w.beside[i].failed != nil {
			return w.beside[i].failed(r.Item)
		}
	}
	for _, r := range reasons {
		code := aws.ToString(r.Code)
		if code == "" || code == reasonNone {
			continue
		}
		if code == reasonConflict || errors.Is(awsconf.KindOfCode(code), upload.ErrThrottled) {
			return &inTheWay{upload.ErrThrottled}
		}
		return fmt.Errorf("the transaction was cancelled: %s: %s", code, aws.ToString(r.Message))
	}
	return fmt.Errorf("%w: a transaction was cancelled without a reason", upload.ErrUnclear)
}
