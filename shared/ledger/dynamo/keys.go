package dynamo

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/upload"
)

// key is an item's place in the table.
type key struct{ pk, sk string }

// headSK is the sort key of an item that is alone under its kind. It sorts
// before "P" and "R", so one query gives an upload and its pages.
const (
	headSK     = "#"
	pagesBegin = "P#"
	pagesEnd   = "P$" // "$" follows "#"
)

func (k key) attributes() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{schema.PartitionKey: text(k.pk), schema.SortKey: text(k.sk)}
}

func uploadKey(id upload.ID) key {
	return key{"T#" + escape(id.Tenant) + "#U#" + escape(id.Upload), headSK}
}

func ownerPK(tenant, owner string) string {
	return "T#" + escape(tenant) + "#W#" + escape(owner)
}

func quotaKey(tenant, owner string) key { return key{ownerPK(tenant, owner), headSK} }

func hashKey(tenant, owner, hash string) key { return key{ownerPK(tenant, owner), "H#" + escape(hash)} }

func idempotencyKey(tenant, owner, k string) key {
	return key{ownerPK(tenant, owner), "I#" + escape(k)}
}

func referenceKey(id upload.ID, ref upload.Reference) key {
	sk := "R#" + escape(ref.Source) + "#" + escape(ref.Entity) + "#" + strconv.FormatInt(ref.Generation, 10)
	return key{uploadKey(id).pk, sk}
}

func pageKey(id upload.ID, at pageAt) key {
	return key{uploadKey(id).pk, fmt.Sprintf("P#%019d#%04d", at.attempt, at.page)}
}

var (
	escaper   = strings.NewReplacer("%", "%25", "#", "%23")
	unescaper = strings.NewReplacer("%25", "%", "%23", "#")
)

// escape takes "#" out of an id, so that "#" only ever separates, and two
// different ids never make one key.
func escape(id string) string { return escaper.Replace(id) }

// parseUpload is the inverse of uploadKey: what that never makes is no upload's,
// else a record would be taken for one that lies elsewhere.
func parseUpload(pk string) (upload.ID, error) {
	none := errors.New("an item in the place of an upload is none")
	parts := strings.Split(pk, "#")
	if len(parts) != 4 {
		return upload.ID{}, none
	}
	id := upload.ID{Tenant: unescaper.Replace(parts[1]), Upload: unescaper.Replace(parts[3])}
	if uploadKey(id).pk != pk {
		return upload.ID{}, none
	}
	return id, nil
}

// dueLayout sorts as text for the years 0 to 9999, and can be read by a person.
const dueLayout = "2006-01-02T15:04:05.000Z"

// dueSort is the index's sort key: the instant, then a number made from the
// upload, so that equal instants have an order of their own and a position can
// be made from what it names.
func dueSort(at time.Time, id upload.ID) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(uploadKey(id).pk))
	return fmt.Sprintf("%s#%016x", at.UTC().Format(dueLayout), h.Sum64())
}

// dueThrough sorts behind every entry of its instant and before the next.
func dueThrough(until time.Time) string {
	if until.UTC().Year() > 9999 {
		return ":" // sorts behind every digit
	}
	return until.UTC().Format(dueLayout) + "$"
}

func parseDue(sort string) (time.Time, error) {
	at, _, ok := strings.Cut(sort, "#")
	if !ok {
		return time.Time{}, fmt.Errorf("an entry of the due index has no instant")
	}
	t, err := time.Parse(dueLayout, at)
	if err != nil {
		return time.Time{}, fmt.Errorf("an entry of the due index has the instant %.40q: expected one such as %s", at, dueLayout)
	}
	if t.Format(dueLayout) != at { // time.Parse takes an hour of one digit, too
		return time.Time{}, fmt.Errorf("an entry of the due index has an instant that is written otherwise")
	}
	return t, nil
}

func dueShard(shard int) string { return fmt.Sprintf("%02d", shard) }

// dueKey is what the index holds of an upload; it is also where a query goes
// on behind it.
func dueKey(d ledger.Due) map[string]types.AttributeValue {
	k := uploadKey(d.ID).attributes()
	k[schema.DueShard] = text(dueShard(ledger.Shard(d.ID)))
	k[schema.DueAt] = text(dueSort(d.At, d.ID))
	return k
}
