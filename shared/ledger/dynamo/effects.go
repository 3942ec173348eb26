package dynamo

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// What a reference's item says of it.
const (
	useLive    = "live"
	useDropped = "dropped"
	// addedAt is the attribute with a reference's instant, in milliseconds.
	addedAt = "at"
)

// effect is what changes beside the record. CheckChange has let only known
// effects through.
func (s *Store) effect(e upload.Effect, c upload.Change) part {
	switch e := e.(type) {
	case upload.TakeQuota:
		return s.takeQuota(e)
	case upload.GiveQuota:
		return s.giveQuota(e)
	case upload.TakeHash:
		return s.takeHash(e)
	case upload.FreeHash:
		return s.freeHash(e)
	case upload.TakeKey:
		return s.takeKey(e, c)
	case upload.PutReference:
		return s.putReference(e)
	}
	return s.buryReference(e.(upload.BuryReference))
}

func always(err error) func(item) error { return func(item) error { return err } }

func (s *Store) put(it item, k key, condition string, values item, failed func(item) error) part {
	for name, v := range k.attributes() {
		it[name] = v
	}
	return part{failed: failed, write: types.TransactWriteItem{Put: &types.Put{
		TableName: s.table, Item: it, ConditionExpression: aws.String(condition), ExpressionAttributeValues: values,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}}
}

func (s *Store) update(k key, update, condition string, values item, failed func(item) error) part {
	return part{failed: failed, write: types.TransactWriteItem{Update: &types.Update{
		TableName: s.table, Key: k.attributes(), UpdateExpression: aws.String(update),
		ConditionExpression: aws.String(condition), ExpressionAttributeNames: map[string]string{"#it": attributeOf(k)},
		ExpressionAttributeValues: values,
	}}}
}

// attributeOf names the one attribute of an item that updates change.
func attributeOf(k key) string {
	if k.sk == headSK {
		return "used" // the quota
	}
	return "use" // a reference
}

func (s *Store) takeQuota(e upload.TakeQuota) part {
	return s.update(quotaKey(e.Tenant, e.Owner), "ADD #it :one", "attribute_not_exists(#it) OR #it < :limit",
		item{":one": number(1), ":limit": number(e.Limit)}, always(upload.ErrQuota))
}

// giveQuota never goes below zero: a place given back twice would let the owner
// have one more than the limit, for good.
func (s *Store) giveQuota(e upload.GiveQuota) part {
	return s.update(quotaKey(e.Tenant, e.Owner), "ADD #it :back", "#it > :zero",
		item{":back": number(-1), ":zero": number(0)},
		always(fmt.Errorf("%w: no place of the quota is taken", upload.ErrRefused)))
}

func (s *Store) takeHash(e upload.TakeHash) part {
	return s.put(item{"upload": text(e.Upload)}, hashKey(e.Tenant, e.Owner, e.Hash),
		"attribute_not_exists(pk)", nil, func(was item) error {
			return &ledger.Duplicate{Live: upload.ID{Tenant: e.Tenant, Upload: textOf(was["upload"])}}
		})
}

func (s *Store) freeHash(e upload.FreeHash) part {
	return part{
		failed: always(fmt.Errorf("%w: the content hash is not this upload's", upload.ErrRefused)),
		write: types.TransactWriteItem{Delete: &types.Delete{
			TableName: s.table, Key: hashKey(e.Tenant, e.Owner, e.Hash).attributes(),
			ConditionExpression:       aws.String("#upload = :upload"),
			ExpressionAttributeNames:  map[string]string{"#upload": "upload"},
			ExpressionAttributeValues: item{":upload": text(e.Upload)},
		}},
	}
}

// takeKey looks at the instant in the item, not at whether there is one:
// DynamoDB forgets late.
func (s *Store) takeKey(e upload.TakeKey, c upload.Change) part {
	it := item{"upload": text(e.Upload), "digest": text(e.RequestDigest)}
	if !e.Expires.IsZero() {
		it["expires_at"] = number(e.Expires.UnixMilli())
		it["ttl"] = number(ttl(e.Expires))
	}
	return s.put(it, idempotencyKey(e.Tenant, e.Owner, e.Key), "attribute_not_exists(pk) OR expires_at <= :now",
		item{":now": number(c.After.LastActivityAt.UnixMilli())}, always(upload.ErrKeyReused))
}

func (s *Store) putReference(e upload.PutReference) part {
	return s.put(item{"use": text(useLive), addedAt: number(e.At.UnixMilli())}, referenceKey(e.ID, e.Reference), "attribute_not_exists(pk)", nil,
		func(was item) error {
			if textOf(was["use"]) == useLive {
				return upload.ErrReferenceLive
			}
			return upload.ErrReferenceUsed
		})
}

func (s *Store) buryReference(e upload.BuryReference) part {
	return s.update(referenceKey(e.ID, e.Reference), "SET #it = :dropped", "#it = :live",
		item{":dropped": text(useDropped), ":live": text(useLive)}, always(upload.ErrReferenceUsed))
}
