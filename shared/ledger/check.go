package ledger

import (
	"fmt"
	"strings"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Limits of a document's collection and id, in bytes.
const (
	MaxCollectionBytes = 1_024
	MaxDocumentIDBytes = 512
)

// CheckChange refuses a change that no adapter may store: an invalid id, or a
// version that does not follow the one before. The error is upload.ErrRefused
// and names what, never the id.
func CheckChange(c upload.Change) error {
	if err := CheckID(c.After.ID); err != nil {
		return err
	}
	if c.After.Version != c.Before.Version+1 {
		return refused("version %d does not follow %d", c.After.Version, c.Before.Version)
	}
	if c.Before.Version > 0 && c.Before.ID != c.After.ID {
		return refused("a change is about two uploads")
	}
	for _, e := range c.Effects {
		if err := checkEffect(e); err != nil {
			return err
		}
	}
	return nil
}

func checkEffect(e upload.Effect) error {
	switch e := e.(type) {
	case upload.TakeQuota:
		return CheckOwner(e.Tenant, e.Owner)
	case upload.GiveQuota:
		return CheckOwner(e.Tenant, e.Owner)
	case upload.TakeHash:
		return checkOwned(e.Tenant, e.Owner, "content hash", e.Hash)
	case upload.FreeHash:
		return checkOwned(e.Tenant, e.Owner, "content hash", e.Hash)
	case upload.TakeKey:
		return CheckKey(e.Tenant, e.Owner, e.Key)
	case upload.PutReference:
		return CheckReference(e.ID, e.Reference)
	case upload.BuryReference:
		return CheckReference(e.ID, e.Reference)
	}
	return refused("effect %T is unknown", e)
}

// CheckID refuses an upload's id that is not valid.
func CheckID(id upload.ID) error { return refuse(id.Validate()) }

// CheckOwner refuses an owner, or its tenant, that is not a valid id.
func CheckOwner(tenant, owner string) error {
	if err := upload.ValidID("tenant", tenant); err != nil {
		return refuse(err)
	}
	return refuse(upload.ValidID("owner", owner))
}

// CheckKey refuses an idempotency key, or its owner, that is not a valid id.
func CheckKey(tenant, owner, key string) error {
	return checkOwned(tenant, owner, "idempotency key", key)
}

func checkOwned(tenant, owner, what, id string) error {
	if err := CheckOwner(tenant, owner); err != nil {
		return err
	}
	return refuse(upload.ValidID(what, id))
}

// CheckReference refuses a reference that is not valid.
func CheckReference(id upload.ID, ref upload.Reference) error {
	if err := CheckID(id); err != nil {
		return err
	}
	if err := upload.ValidID("source", ref.Source); err != nil {
		return refuse(err)
	}
	return refuse(upload.ValidID("entity", ref.Entity))
}

// CheckDocument refuses a document that no adapter may store: no id, a
// collection that belongs to uploads or to the gate, or more than
// [MaxDocument] bytes of data.
func CheckDocument(d Document) error {
	if err := CheckCollection(d.Collection); err != nil {
		return err
	}
	if d.ID == "" || len(d.ID) > MaxDocumentIDBytes {
		return refused("document id has %d bytes: it must have 1 to %d", len(d.ID), MaxDocumentIDBytes)
	}
	if len(d.Data) > MaxDocument {
		return refused("document has %d bytes: at most %d", len(d.Data), MaxDocument)
	}
	return nil
}

// CheckCollection refuses a collection that is empty, too long, or in whose
// place other things are stored.
func CheckCollection(collection string) error {
	if collection == "" || len(collection) > MaxCollectionBytes {
		return refused("collection has %d bytes: it must have 1 to %d", len(collection), MaxCollectionBytes)
	}
	if strings.HasPrefix(collection, "T#") || strings.HasPrefix(collection, "GATE#") {
		return refused("collection %q is not for documents", collection)
	}
	return nil
}

// CheckSegment refuses a part of a scan that does not exist.
func CheckSegment(segment, segments int) error {
	if segments < 1 || segment < 0 || segment >= segments {
		return refused("segment %d of %d does not exist", segment, segments)
	}
	return nil
}

// CheckPosition refuses a place in the due index that is of another shard, a
// shard that does not exist, and a limit that is not positive.
func CheckPosition(shard int, after Position, limit int) error {
	if shard < 0 || shard >= Shards {
		return refused("shard %d does not exist", shard)
	}
	if !after.IsZero() && Shard(after.ID) != shard {
		return refused("position of shard %d in shard %d", Shard(after.ID), shard)
	}
	if limit < 1 {
		return refused("a page of %d entries", limit)
	}
	return nil
}

func refuse(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", upload.ErrRefused, err)
}

func refused(format string, args ...any) error {
	return refuse(fmt.Errorf(format, args...))
}
