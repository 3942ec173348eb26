package source

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Entity is what an application calls a row in the ledger's references: what
// stands at the source's path for it, else its key attributes in the order of
// their names, with "/" between.
func (s Source) Entity(row, keys Row) (string, error) {
	if s.Paths.Entity != "" {
		entity := ""
		err := row.fill(s.Paths.Entity, nil, &entity)
		return entity, err
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		text, err := textOf("the row's key", keys[name])
		if err != nil {
			return "", err
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "/"), nil
}

// RowID is what Strandline itself calls a row, in logs and in the references
// that a worker adds for it: a digest of its key attributes, the same from a
// stream's record and from the table. It is no secret and tells nothing.
func RowID(keys Row) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		kind, value := "", []byte(nil)
		switch v := keys[name].(type) {
		case string:
			kind, value = "S", []byte(v)
		case json.Number:
			kind, value = "N", []byte(v)
		case []byte:
			kind, value = "B", v
		}
		fmt.Fprintf(h, "%d:%s%s%d:", len(name), name, kind, len(value))
		h.Write(value)
	}
	return "row-" + hex.EncodeToString(h.Sum(nil)[:16])
}
