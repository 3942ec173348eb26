package demo

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/upload"
)

// checkPass compares a pass's tally with what the kinds say must happen.
func (w *population) checkPass(when string, report cleanup.Report, expect func(*kind) string) {
	want := map[string]cleanup.Amount{}
	for _, m := range w.members {
		what := expect(m.kind)
		a := want[what]
		a.Uploads++
		a.Objects += m.planned()
		want[what] = a
	}
	t := report.Tally
	for _, row := range []struct {
		name string
		got  cleanup.Amount
	}{{kept, t.Kept}, {marked, t.Marked}, {repaired, t.Repaired}, {stuck, t.Stuck}, {published, t.Published}} {
		w.checks.equal(when+": uploads "+row.name, row.got.Uploads, want[row.name].Uploads)
		w.checks.equal(when+": objects "+row.name, row.got.Objects, want[row.name].Objects)
	}
	w.checks.equal(when+": skipped", t.SkippedInAll().Uploads, 0)
	w.reports = append(w.reports, report)
}

// planned is how many objects a pass counts for the member.
func (m *member) planned() int64 {
	if m.trimmed > 0 {
		return m.trimmed
	}
	return int64(m.chunks)
}

// verify lists the bucket afresh and reads the ledger: what stands is exactly
// what must, for every member.
func (w *population) verify(ctx context.Context) error {
	standing, err := w.standing(ctx)
	if err != nil {
		return err
	}
	total := int64(0)
	for _, m := range w.members {
		r, err := w.Stores.Ledger.Load(ctx, m.session.ID())
		if err != nil {
			return err
		}
		if r.State != m.kind.end {
			w.checks.same("state of "+m.kind.name+", upload "+r.Upload, r.State.String(), m.kind.end.String())
		}
		want := m.stands()
		if got := standing[r.Folder()]; got != want {
			w.checks.equal("versions of "+m.kind.name+", upload "+r.Upload, got, want)
		}
		total += want
	}
	w.checks.equal("versions in the bucket", sum(standing), total)
	return w.checkPurged()
}

// standing counts the versions in the bucket by upload folder, each once:
// LocalStack decodes the marker of a listing twice, and lists some again.
func (w *population) standing(ctx context.Context) (map[string]int64, error) {
	folders := make([]string, 0, len(w.members))
	for _, m := range w.members {
		folders = append(folders, m.session.Record().Folder())
	}
	slices.Sort(folders)
	found := map[string]int64{}
	seen := map[[2]string]bool{}
	for v, err := range w.Stores.Objects.Versions(ctx, w.Bucket, "") {
		if err != nil {
			return nil, err
		}
		id := [2]string{v.Key, v.VersionID}
		if seen[id] {
			continue
		}
		seen[id] = true
		i, exact := slices.BinarySearch(folders, v.Key)
		if !exact && i > 0 && strings.HasPrefix(v.Key, folders[i-1]) {
			found[folders[i-1]]++
			continue
		}
		found["elsewhere"]++
	}
	return found, nil
}

func sum(counts map[string]int64) int64 {
	n := int64(0)
	for _, c := range counts {
		n += c
	}
	return n
}

// stands is how many versions of the member must stand in the end.
func (m *member) stands() int64 {
	switch {
	case m.kind.name == kindHeld:
		return 1
	case m.kind.end == upload.StateDeleted:
		return 0
	}
	return int64(m.chunks)
}

// checkPurged compares what the workers say they did with the kinds.
func (w *population) checkPurged() error {
	var deleted, retained, skipped int64
	for _, m := range w.members {
		switch {
		case m.kind.end == upload.StateDeleted:
			deleted += int64(m.chunks) - m.stands()
			retained += m.stands()
		case m.kind.name == kindExtended:
			skipped++
		}
		deleted += m.trimmed
	}
	t := w.Purged()
	w.checks.equal("objects deleted by the workers", t.Deleted.Objects, deleted)
	w.checks.equal("objects retained by a legal hold", t.Retained.Objects, retained)
	w.checks.equal("commands skipped after the re-check", t.Skipped.Uploads, skipped+duplicates)
	w.checks.equal("messages rejected", t.Rejected.Uploads, int64(len(poisonMessages)+1))
	w.checks.equal("messages parked", t.Parked.Uploads, 0)
	return t.Check()
}

// print shows what both passes and the workers did.
func (w *population) print(out io.Writer) {
	for i, title := range []string{"pass one", "pass two"} {
		t := w.reports[i].Tally
		table(out, title, []line{
			amount("candidates", t.Candidates), amount("kept", t.Kept), amount("kept, flagged as stuck", t.Stuck),
			amount("marked", t.Marked), amount("repaired", t.Repaired), amount("published", t.Published),
			amount("skipped", t.SkippedInAll()),
		})
	}
	t := w.Purged()
	rows := []line{
		objectsOf("taken from the queue", t.Taken), amount("deleted", t.Deleted), objectsOf("retained (legal hold)", t.Retained),
	}
	for _, reason := range w.SkipReasons() {
		rows = append(rows, objectsOf("skipped: "+reason.Text, reason.Amount))
	}
	rows = append(rows, objectsOf("rejected (dead-letter queue)", t.Rejected), objectsOf("retrying", t.Retrying), objectsOf("parked", t.Parked))
	table(out, "workers, both passes", rows)
}

// objectsOf is a row whose bytes a worker does not know.
func objectsOf(name string, a cleanup.Amount) line {
	return line{name: name, uploads: a.Uploads, objects: a.Objects, bytes: unknownBytes}
}

func amount(name string, a cleanup.Amount) line {
	return line{name: name, uploads: a.Uploads, objects: a.Objects, bytes: a.Bytes}
}
