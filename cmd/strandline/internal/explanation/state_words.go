package explanation

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Is says what the upload is now, in sentences.
func (f Facts) Is() []string {
	r := f.Record
	if r.Schema > upload.Schema {
		return []string{fmt.Sprintf("A newer release wrote its record (schema %d, this one knows %d): what it holds is not known here, and every pass and worker of this release leaves it alone. Use the newer command.", r.Schema, upload.Schema)}
	}
	switch r.State {
	case upload.StateReceiving:
		return f.receiving()
	case upload.StateAssembling:
		return f.assembling()
	case upload.StateComplete:
		return f.complete()
	case upload.StateCancelled:
		return f.cancelled()
	case upload.StateExpired:
		return []string{fmt.Sprintf("A pass has marked it as expired, at %s; before, it was %s. Activity of its writer, or a longer hold, takes the mark away; else a worker may delete it once SecondGrace (%s) is over.",
			show.Instant(r.ExpiredAt), r.MarkedFrom, span(f.Policy.SecondGrace))}
	case upload.StateDeleting:
		return f.deleting()
	case upload.StateDeleted:
		return f.deleted()
	}
	return f.none()
}

func (f Facts) none() []string {
	is := []string{
		fmt.Sprintf("Tenant %s has no such upload: it never existed, or its tombstone was forgotten, which is kept for %s (TombstoneTTL) after the last of it was deleted.",
			show.Name(f.ID.Tenant), span(f.Policy.TombstoneTTL)),
		"An id belongs to one tenant: an upload of this id that another tenant has is another upload, and is not looked for.",
	}
	if strings.HasPrefix(f.ID.Upload, "orphan-") && f.ID.Tenant != upload.AdoptedTenant {
		is = append(is, fmt.Sprintf("Records of approved orphans belong to the tenant %q.", upload.AdoptedTenant))
	}
	return is
}

func (f Facts) receiving() []string {
	r := f.Record
	is := []string{"Its writer may put objects. " + f.lease()}
	if r.HoldExpiresAt.IsZero() {
		return append(is, fmt.Sprintf("It has no hold: it is cancelled as timed out once its deadline and %s (ActivityGrace) without activity are over.", span(f.Policy.ActivityGrace)))
	}
	return append(is, fmt.Sprintf("It has a hold: it is marked as expired once that and %s (ActivityGrace) without activity are over.", span(f.Policy.ActivityGrace)))
}

// lease says who may act as the writer.
func (f Facts) lease() string {
	r := f.Record
	switch {
	case r.Holder == "":
		return "Nobody holds its lease."
	case r.LeaseUntil.After(f.Now):
		return fmt.Sprintf("%s holds the lease until %s, under fence %d.", show.Name(r.Holder), show.Instant(r.LeaseUntil), r.Fence)
	}
	return fmt.Sprintf("The lease of %s (fence %d) is over since %s: another writer may take over.", show.Name(r.Holder), r.Fence, show.Instant(r.LeaseUntil))
}

func (f Facts) assembling() []string {
	is := []string{"Its writer has all it needs and builds what it will publish. While it does, it is never expired and never deleted. " + f.lease()}
	if f.stuck() {
		is = append(is, fmt.Sprintf("Its writer was last heard of more than %s (StuckAfter) ago: it is stuck. Only its application ends that, by completing, cancelling or releasing it; look for its writer.", span(f.Policy.StuckAfter)))
	}
	return is
}

// stuck is what the core would say of it now.
func (f Facts) stuck() bool {
	d, err := upload.Decide(f.Policy, f.Record, f.Now.Add(-f.Policy.SafetyMargin), f.Now)
	return err == nil && d.Action == upload.Stuck
}

func (f Facts) complete() []string {
	r := f.Record
	is := []string{"It is published: what it lists stays readable for as long as it is complete."}
	switch {
	case r.Refs > 0:
		is = append(is, fmt.Sprintf("It has %s; dropping the last one releases it.", show.Counted(r.Refs, "live reference")))
	case r.HoldExpiresAt.IsZero():
		is = append(is, "It has no hold: it is permanent, until its application releases it.")
	default:
		is = append(is, "It has a hold, and is marked as expired some time after that ends.")
	}
	objects, bytes := r.Superseded()
	switch {
	case r.Trimmed && r.Retained.Count > 0:
		is = append(is, fmt.Sprintf("What was declared and not listed is gone, but for %s: %s.", show.Counted(r.Retained.Count, "object version"), show.Plain(r.Retained.Reason)))
	case r.Trimmed:
		is = append(is, "What was declared and not listed is gone.")
	case objects > 0 && r.Retained.Count > 0:
		is = append(is, fmt.Sprintf("Of what was declared and not listed, %s could not be deleted (%s), and is looked at again.", show.Counted(r.Retained.Count, "object"), show.Plain(r.Retained.Reason)))
	case objects > 0:
		is = append(is, fmt.Sprintf("Of what was declared, %s (%s known) were not listed: superseded.", show.Counted(objects, "object"), bytesize.Text(bytes)))
	}
	return is
}

func (f Facts) cancelled() []string {
	r := f.Record
	switch {
	case r.Source != "" && r.Tenant == upload.AdoptedTenant:
		return []string{fmt.Sprintf("It was not uploaded through Strandline: a person approved that it goes (%s). \"strandline holds restore\" takes that back until a worker claims it.", show.Plain(r.Source))}
	case r.Source != "":
		return []string{fmt.Sprintf("It was not uploaded through Strandline, but handed over (%s).", show.Plain(r.Source))}
	case r.CompletedAt.IsZero():
		return []string{fmt.Sprintf("It was given up: %s. A worker deletes what was written of it.", reason(r))}
	}
	return []string{fmt.Sprintf("It was complete, and was given up: %s. A worker deletes it; until one claims it, a new reference brings it back.", reason(r))}
}

func reason(r upload.Record) string { return cmp.Or(show.Plain(r.Reason), "no reason was given") }

// why says why it was condemned, as far as the record still knows: what a
// person asks when it should not have been.
func (f Facts) why() string {
	switch r := f.Record; {
	case r.Source != "" && r.Tenant == upload.AdoptedTenant:
		return fmt.Sprintf("A person had approved that it goes (%s).", show.Plain(r.Source))
	case r.Source != "":
		return fmt.Sprintf("It had been handed over (%s).", show.Plain(r.Source))
	case r.Reason != "":
		return fmt.Sprintf("It had been given up: %s.", show.Plain(r.Reason))
	case !r.HoldExpiresAt.IsZero():
		return fmt.Sprintf("No reason was given: its hold, until %s, was over, or its application gave it up without a word.", show.Instant(r.HoldExpiresAt))
	}
	return "Its application had given it up, without a reason."
}

func (f Facts) deleting() []string {
	r := f.Record
	is := []string{f.why() + " A worker has claimed it for deletion: there is no way back."}
	if r.PurgedThrough > 0 {
		is = append(is, fmt.Sprintf("%s of %s objects are dealt with.", bytesize.Count(r.PurgedThrough), bytesize.Count(r.Declared())))
	}
	switch {
	case !r.ParkedAt.IsZero():
		return append(is, fmt.Sprintf("Its purge has failed %s, and is parked: no pass looks at it. The last failure: %s. Once its cause is mended, \"strandline parked retry\" lets it go on.",
			show.Counted(int64(r.Attempts), "time"), cmp.Or(show.Plain(r.LastError), "not known")))
	case r.LeaseUntil.After(f.Now):
		is = append(is, fmt.Sprintf("Worker %s holds the claim until %s, under fence %d: it is at work, or it has died and the next takes over then.", show.Name(r.Holder), show.Instant(r.LeaseUntil), r.Fence))
	case r.Holder != "":
		is = append(is, fmt.Sprintf("The claim of worker %s is over since %s without an end: it died, or lost the ledger. Another takes over.", show.Name(r.Holder), show.Instant(r.LeaseUntil)))
	default:
		is = append(is, "Its worker has given the claim back; the next goes on.")
	}
	if r.Attempts > 0 {
		is = append(is, fmt.Sprintf("%d of %d attempts have failed. The last failure: %s.", r.Attempts, f.Policy.MaxAttempts, cmp.Or(show.Plain(r.LastError), "not known")))
	}
	return is
}

func (f Facts) deleted() []string {
	r := f.Record
	if r.Withdrawn() {
		return []string{"A person had approved that it goes, and has taken that back: this record names nothing any more, and nothing is deleted for it."}
	}
	if r.Retained.Count == 0 {
		return []string{f.why(), "Everything of it is gone. This is its tombstone, so that late messages and inventories still find it."}
	}
	is := fmt.Sprintf("It is purged, but for %s that could not be deleted: %s.", show.Counted(r.Retained.Count, "object version"), show.Plain(r.Retained.Reason))
	if r.Retained.Until.IsZero() {
		return []string{f.why(), is + " There is no date at which that ends: a reconciliation that still finds them opens it again."}
	}
	return []string{f.why(), is + " They are looked at again at " + show.Instant(r.Retained.Until) + "."}
}
