package source

import (
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
