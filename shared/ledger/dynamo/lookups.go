package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Reference returns what is known of a reference.
func (s *Store) Reference(ctx context.Context, id upload.ID, ref upload.Reference) (ledger.ReferenceState, error) {
	if err := ledger.CheckReference(id, ref); err != nil {
		return ledger.ReferenceUnknown, fmt.Errorf("look up a reference: %w", err)
	}
	it, err := s.get(ctx, referenceKey(id, ref))
	if err != nil {
		return ledger.ReferenceUnknown, fmt.Errorf("look up a reference of upload %s: %w", id.Upload, err)
	}
	if it == nil {
		return ledger.ReferenceUnknown, nil
	}
	switch use := textOf(it["use"]); use {
	case useLive:
		return ledger.ReferenceLive, nil
	case useDropped:
		return ledger.ReferenceDropped, nil
	default:
		return ledger.ReferenceUnknown, fmt.Errorf("reference of upload %s: its use %q is unknown", id.Upload, use)
	}
}

// KeyUse returns the use of an idempotency key, also one that is over and not
// forgotten yet; the zero KeyUse if there is none.
func (s *Store) KeyUse(ctx context.Context, tenant, owner, key string) (ledger.KeyUse, error) {
	if err := ledger.CheckKey(tenant, owner, key); err != nil {
		return ledger.KeyUse{}, fmt.Errorf("look up an idempotency key: %w", err)
	}
	it, err := s.get(ctx, idempotencyKey(tenant, owner, key))
	if err != nil {
		return ledger.KeyUse{}, fmt.Errorf("look up an idempotency key: %w", err)
	}
	var stored struct {
		Upload  string `dynamodbav:"upload"`
		Digest  string `dynamodbav:"digest"`
		Expires *int64 `dynamodbav:"expires_at"`
	}
	if err := attributevalue.UnmarshalMap(it, &stored); err != nil {
		return ledger.KeyUse{}, fmt.Errorf("look up an idempotency key: %w", err)
	}
	return ledger.KeyUse{Upload: stored.Upload, RequestDigest: stored.Digest, Expires: fromMillis(stored.Expires)}, nil
}

// QuotaUsed returns how many places of the owner's quota are taken.
func (s *Store) QuotaUsed(ctx context.Context, tenant, owner string) (int64, error) {
	if err := ledger.CheckOwner(tenant, owner); err != nil {
		return 0, fmt.Errorf("look up a quota: %w", err)
	}
	it, err := s.get(ctx, quotaKey(tenant, owner))
	if err != nil {
		return 0, fmt.Errorf("look up a quota: %w", err)
	}
	var stored struct {
		Used int64 `dynamodbav:"used"`
	}
	if err := attributevalue.UnmarshalMap(it, &stored); err != nil {
		return 0, fmt.Errorf("look up a quota: %w", err)
	}
	return stored.Used, nil
}
