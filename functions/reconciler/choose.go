package reconciler

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/storageevent"
)

const (
	manifestName = "manifest.json"
	checksumName = "manifest.checksum"
)

// stampFolder is a folder that one inventory is delivered into.
var stampFolder = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}Z/$`)

// delivery is one inventory that may be reconciled.
type delivery struct {
	source      string // the bucket that it must list
	manifestKey string
	// against is what its age is measured from.
	against time.Time
}

// foreign says why a created object is not for this function; nothing if it is
// the checksum of an inventory, which is delivered last.
func (a *App) foreign(c storageevent.Created) (delivery, string) {
	if c.Bucket != a.config.InventoryBucket {
		return delivery{}, "it is of another bucket"
	}
	rest, ok := strings.CutPrefix(c.Key, a.config.folder())
	parts := strings.Split(rest, "/")
	switch {
	case !ok:
		return delivery{}, "it is outside the inventories' prefix"
	case len(parts) != 4 || parts[3] != checksumName || !stampFolder.MatchString(parts[2]+"/"):
		return delivery{}, "it is not an inventory's " + checksumName
	case !slices.Contains(a.config.SourceBuckets, parts[0]):
		return delivery{}, "it lists a bucket that is not ours to reconcile"
	case !a.config.takes(parts[1]):
		return delivery{}, "it is of another configuration"
	}
	return delivery{
		source: parts[0], manifestKey: strings.TrimSuffix(c.Key, checksumName) + manifestName, against: c.At,
	}, ""
}

// newest finds the complete inventory of a bucket that was begun last, over all
// configurations that are taken. It is an error if there is none.
func (a *App) newest(ctx context.Context, source string, fired time.Time) (delivery, error) {
	found := delivery{source: source, against: fired}
	latest := time.Time{}
	home := a.config.folder() + source + "/"
	for config, err := range a.inventories.Below(ctx, home) {
		if err != nil {
			return delivery{}, err
		}
		if !strings.HasSuffix(config, "/") || !a.config.takes(strings.TrimSuffix(config, "/")) {
			continue
		}
		key, created, err := a.newestOf(ctx, home+config)
		if err != nil {
			return delivery{}, err
		}
		if created.After(latest) {
			found.manifestKey, latest = key, created
		}
	}
	if found.manifestKey == "" {
		return delivery{}, fmt.Errorf("bucket %s has no complete inventory", source)
	}
	return found, nil
}

// newestOf finds the newest complete inventory of one configuration: the first
// with a checksum, by its manifest's own time.
func (a *App) newestOf(ctx context.Context, folder string) (key string, created time.Time, err error) {
	var stamps []string
	for name, err := range a.inventories.Below(ctx, folder) {
		if err != nil {
			return "", time.Time{}, err
		}
		if stampFolder.MatchString(name) {
			stamps = append(stamps, name)
		}
	}
	slices.Sort(stamps)
	slices.Reverse(stamps)
	for _, stamp := range stamps {
		complete, err := a.complete(ctx, folder+stamp)
		if err != nil {
			return "", time.Time{}, err
		}
		if !complete {
			continue
		}
		key = folder + stamp + manifestName
		r, err := a.open(ctx, key)
		if err != nil {
			return "", time.Time{}, err
		}
		return key, r.Manifest().Created, nil
	}
	return "", time.Time{}, nil
}

func (a *App) complete(ctx context.Context, folder string) (bool, error) {
	var manifest, checksum bool
	for name, err := range a.inventories.Below(ctx, folder) {
		if err != nil {
			return false, err
		}
		manifest, checksum = manifest || name == manifestName, checksum || name == checksumName
	}
	return manifest && checksum, nil
}

func (a *App) open(ctx context.Context, manifestKey string) (inventory.Reader, error) {
	files := inventory.InBucket(a.inventories, a.config.TempDir)
	return inventory.Open(ctx, files, manifestKey, inventory.Options{})
}

var errOtherBucket = errors.New("the inventory lists another bucket than its place says")
