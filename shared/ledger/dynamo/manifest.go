package dynamo

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Where a manifest lies is decided by what is known from its declaration, so
// that it is the same whoever asks: small ones in the head, larger ones in
// pages. Both numbers were measured, see docs/design/ledger.md. What is
// declared only grows, so a manifest moves once, and then it is small.
const (
	maxInline         = 32 // declared keys, over all attempts
	maxInlineExplicit = 10
	perPage           = 25 // sequences, or explicit objects
)

// writer is one attempt of the manifest.
type writer struct {
	Number   int64  `dynamodbav:"n"`
	Declared int    `dynamodbav:"d,omitempty"`
	Listed   []byte `dynamodbav:"l,omitempty"`
}

// object is what is known of one declared key.
type object struct {
	Attempt    int64    `dynamodbav:"a"`
	Seq        int      `dynamodbav:"s"`
	VersionID  string   `dynamodbav:"v,omitempty"`
	Size       int64    `dynamodbav:"z,omitempty"`
	ETag       string   `dynamodbav:"e,omitempty"`
	Checksum   string   `dynamodbav:"c,omitempty"`
	Multiparts []string `dynamodbav:"m,omitempty"`
	// What was stated before the put: nil if nothing was.
	Expected *expected `dynamodbav:"x,omitempty"`
}

type expected struct {
	Size     int64  `dynamodbav:"z,omitempty"`
	Checksum string `dynamodbav:"c,omitempty"`
}

// explicit is an object that was not uploaded through us. Modified is in
// nanoseconds: a fact of the store's, to be compared as it was seen.
type explicit struct {
	Bucket    string `dynamodbav:"b"`
	Key       string `dynamodbav:"k"`
	VersionID string `dynamodbav:"v"`
	ETag      string `dynamodbav:"e,omitempty"`
	Size      int64  `dynamodbav:"z,omitempty"`
	Modified  int64  `dynamodbav:"t,omitempty"`
}

// page is one page of a large manifest.
type page struct {
	PK       string     `dynamodbav:"pk"`
	SK       string     `dynamodbav:"sk"`
	Objects  []object   `dynamodbav:"manifest,omitempty"`
	Explicit []explicit `dynamodbav:"explicit,omitempty"`
}

// pageAt numbers a page: of an attempt, or, as attempt 0, of explicit objects.
type pageAt struct {
	attempt int64
	page    int
}

func inline(m upload.Manifest) bool {
	declared := 0
	for _, a := range m.Attempts {
		declared += a.Declared
	}
	return declared <= maxInline && len(m.Explicit) <= maxInlineExplicit
}

func (h *head) takeManifest(m upload.Manifest) {
	for _, a := range m.Attempts {
		h.Writers = append(h.Writers, writer{Number: a.Number, Declared: a.Declared, Listed: a.Listed})
	}
	if inline(m) {
		h.Inline = packObjects(m.Objects)
		h.Explicit = packExplicit(m.Explicit)
		return
	}
	h.Paged = sum(m)
}

// sum is a checksum of what lies in pages. The head keeps it: a read that finds
// another was torn by a write between its parts, or a page is missing.
func sum(m upload.Manifest) string {
	h := fnv.New64a()
	for _, o := range m.Objects {
		fmt.Fprintf(h, "%d %d %q %d %q %q %q\n", o.Attempt, o.Seq, o.VersionID, o.Size, o.ETag, o.Checksum, o.Multiparts)
		if o.Expected.Stated {
			fmt.Fprintf(h, "expected %d %q\n", o.Expected.Size, o.Expected.Checksum)
		}
	}
	for _, e := range packExplicit(m.Explicit) {
		fmt.Fprintf(h, "%q %q %q %q %d %d\n", e.Bucket, e.Key, e.VersionID, e.ETag, e.Size, e.Modified)
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

func (h head) manifest() upload.Manifest {
	m := upload.Manifest{Objects: unpackObjects(h.Inline), Explicit: unpackExplicit(h.Explicit)}
	for _, w := range h.Writers {
		m.Attempts = append(m.Attempts, upload.Attempt{Number: w.Number, Declared: w.Declared, Listed: w.Listed})
	}
	return m
}

// pages cuts a manifest that is not inline into its pages.
func pages(m upload.Manifest) map[pageAt]page {
	all := map[pageAt]page{}
	if inline(m) {
		return all
	}
	for _, o := range packObjects(m.Objects) {
		at := pageAt{o.Attempt, (o.Seq - 1) / perPage}
		p := all[at]
		p.Objects = append(p.Objects, o)
		all[at] = p
	}
	for i, chunk := range slices.Collect(slices.Chunk(packExplicit(m.Explicit), perPage)) {
		all[pageAt{0, i}] = page{Explicit: chunk}
	}
	return all
}

// changedPages returns the items of the pages that the change writes, in order.
func changedPages(c upload.Change) ([]item, error) {
	before, after := pages(c.Before.Manifest), pages(c.After.Manifest)
	var places []pageAt
	for at, p := range after {
		if old, ok := before[at]; !ok || !samePage(old, p) {
			places = append(places, at)
		}
	}
	slices.SortFunc(places, func(a, b pageAt) int {
		return cmp.Or(cmp.Compare(a.attempt, b.attempt), cmp.Compare(a.page, b.page))
	})
	items := make([]item, 0, len(places))
	for _, at := range places {
		p := after[at]
		k := pageKey(c.After.ID, at)
		p.PK, p.SK = k.pk, k.sk
		it, err := attributevalue.MarshalMap(p)
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	for at := range before {
		if _, ok := after[at]; !ok {
			return nil, fmt.Errorf("%w: known objects leave the manifest", upload.ErrRefused)
		}
	}
	return items, nil
}

func samePage(a, b page) bool {
	sameObject := func(a, b object) bool {
		return a.Attempt == b.Attempt && a.Seq == b.Seq && a.VersionID == b.VersionID && a.Size == b.Size &&
			a.ETag == b.ETag && a.Checksum == b.Checksum && slices.Equal(a.Multiparts, b.Multiparts) && a.expectation() == b.expectation()
	}
	return slices.EqualFunc(a.Objects, b.Objects, sameObject) && slices.Equal(a.Explicit, b.Explicit)
}

func packObjects(objects []upload.Object) []object {
	var all []object
	for _, o := range objects {
		all = append(all, object{
			Attempt: o.Attempt, Seq: o.Seq, VersionID: o.VersionID, Size: o.Size,
			ETag: o.ETag, Checksum: o.Checksum, Multiparts: o.Multiparts, Expected: packExpected(o.Expected),
		})
	}
	return all
}

func packExpected(e upload.Expected) *expected {
	if !e.Stated {
		return nil
	}
	return &expected{e.Size, e.Checksum}
}

func (o object) expectation() upload.Expected {
	if o.Expected == nil {
		return upload.Expected{}
	}
	return upload.Expected{Stated: true, Size: o.Expected.Size, Checksum: o.Expected.Checksum}
}

func unpackObjects(objects []object) []upload.Object {
	var all []upload.Object
	for _, o := range objects {
		all = append(all, upload.Object{
			Key: upload.Key{Attempt: o.Attempt, Seq: o.Seq}, VersionID: o.VersionID, Size: o.Size,
			ETag: o.ETag, Checksum: o.Checksum, Multiparts: o.Multiparts, Expected: o.expectation(),
		})
	}
	return all
}

func packExplicit(objects []upload.Explicit) []explicit {
	var all []explicit
	for _, o := range objects {
		e := explicit{Bucket: o.Bucket, Key: o.Key, VersionID: o.VersionID, ETag: o.ETag, Size: o.Size}
		if !o.LastModified.IsZero() {
			e.Modified = o.LastModified.UnixNano()
		}
		all = append(all, e)
	}
	return all
}

func unpackExplicit(objects []explicit) []upload.Explicit {
	var all []upload.Explicit
	for _, e := range objects {
		o := upload.Explicit{Bucket: e.Bucket, Key: e.Key, VersionID: e.VersionID, ETag: e.ETag, Size: e.Size}
		if e.Modified != 0 {
			o.LastModified = time.Unix(0, e.Modified).UTC()
		}
		all = append(all, o)
	}
	return all
}
