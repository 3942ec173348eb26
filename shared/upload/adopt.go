package upload

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
)

// AdoptedTenant is the tenant of every record that was adopted from a hold.
const AdoptedTenant = "adopted"

// AdoptedID is the id of the record that an approval makes of an object
// version: the same for the same version, so that approving twice makes one
// record. Every restore begins a new generation, because ids are not reused.
func AdoptedID(bucket, key, versionID string, generation int) ID {
	h := sha256.New()
	for _, part := range []string{bucket, key, versionID} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write([]byte(part))
	}
	return ID{
		Tenant: AdoptedTenant,
		Upload: "orphan-" + hex.EncodeToString(h.Sum(nil)[:20]) + "-" + strconv.Itoa(generation),
	}
}

// Withdrawn reports a record that was adopted, and given up again before
// anything of it was claimed: it names nothing any more.
func (r Record) Withdrawn() bool {
	return r.State == StateDeleted && r.Source != "" && r.Manifest.declared() == 0
}
