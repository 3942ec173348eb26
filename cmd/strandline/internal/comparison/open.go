package comparison

import (
	"context"
	"fmt"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// inputs are both sides, opened.
type inputs struct {
	inventory inventory.Reader
	manifest  manifest.Reader
}

func (in inputs) described(o Options) Inputs {
	m := in.inventory.Manifest()
	return Inputs{
		Inventory: InventoryInput{Manifest: o.Inventory, Format: string(m.Format), Files: len(m.Files)},
		Manifests: o.Manifests,
	}
}

// open opens both sides; AWS is configured only if one of them is there.
func open(ctx context.Context, o Options) (in inputs, err error) {
	from := &sources{buckets: o.Buckets, opened: map[string]inventory.Files{}}
	where, err := locate("--inventory", o.Inventory)
	if err != nil {
		return in, err
	}
	lists, err := locateAll(o.Manifests)
	if err != nil {
		return in, err
	}
	if in.inventory, err = from.openInventory(ctx, where); err != nil {
		return in, err
	}
	if in.manifest, err = from.openLists(ctx, lists); err != nil {
		return in, err
	}
	return in, nil
}

func locateAll(texts []string) (all []location, err error) {
	seen := map[location]bool{}
	for _, text := range texts {
		l, err := locate("--manifest", text)
		if err != nil {
			return nil, err
		}
		// Read twice, each of its entries would own its object twice.
		if seen[l] {
			return nil, fmt.Errorf("--manifest %s is given twice", text)
		}
		seen[l] = true
		all = append(all, l)
	}
	return all, nil
}
