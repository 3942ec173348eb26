package reconcile

import (
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// facts are what has to be known of a row or an entry, beside the fingerprint of
// its name, to say that the two are certainly one `ok`: of a fixed size, so that
// millions can be kept.
type facts struct {
	size int64
	etag uint64 // a keyed hash; 0 where there is none
	kind factBits
}

type factBits uint8

const (
	// plainFact: nothing about it needs a second look by itself. A row: not a
	// marker. An entry: live.
	plainFact factBits = 1 << iota
	// insideFact: of the bucket and in scope.
	insideFact
	// everyFact: an entry without version id, which owns whatever stands.
	everyFact
)

// rowFacts are a row's. etag is the hash of its ETag, 0 where it has none.
func rowFacts(rules *Rules, r *inventory.Row, etag uint64) facts {
	f := facts{size: r.Size, etag: etag, kind: insideBit(rules, r.Bucket, r.Key)}
	if r.Marker == inventory.No || len(r.VersionID) == 0 {
		f.kind |= plainFact
	}
	return f
}

// entryFacts are an entry's.
func entryFacts(rules *Rules, e *manifest.Entry, etag uint64) facts {
	f := facts{size: e.Size, etag: etag, kind: insideBit(rules, e.Bucket, e.Key)}
	if e.State == manifest.Live {
		f.kind |= plainFact
	}
	if len(e.VersionID) == 0 {
		f.kind |= everyFact
	}
	return f
}

func insideBit(rules *Rules, bucket, key []byte) factBits {
	if string(bucket) != rules.Bucket || len(key) < len(rules.Prefix) || string(key[:len(rules.Prefix)]) != rules.Prefix {
		return 0
	}
	return insideFact
}

// plainMatch reports whether the only row and the only entry of a key are
// certainly exactly one `ok`, so that nobody has to look at them again.
// sameVersion says that they name one version; a row of a list of current
// versions names "null". It may say no where judgeKey says `ok`, never yes
// where judgeKey says anything else.
func plainMatch(row, entry facts, sameVersion bool) bool {
	const plain = plainFact | insideFact
	return row.kind&plain == plain && entry.kind&plain == plain &&
		(sameVersion || entry.kind&everyFact != 0) &&
		(entry.size == manifest.NoSize || row.size == entry.size) &&
		(row.etag == 0 || entry.etag == 0 || row.etag == entry.etag)
}
