package explanation

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/upload"
)

// AllKeys shows every key there is.
const AllKeys = -1

// Text writes the explanation for people, with up to so many keys.
func (f Facts) Text(out io.Writer, keys int) error {
	w := &writer{out: out}
	f.head(w)
	w.section("what it is", f.Is())
	if f.Record.State != upload.StateNone {
		f.timeline(w)
		f.keeps(w)
		f.next(w)
		w.section("what is in the way", f.Around())
		w.section("what refers to it", f.referrers())
		f.objects(w, keys)
	}
	return w.err
}

func (f Facts) head(w *writer) {
	r := f.Record
	w.field("upload", show.Name(f.ID.Upload))
	w.field("tenant", show.Name(f.ID.Tenant))
	w.field("state", f.summary())
	if r.State == upload.StateNone || r.Schema > upload.Schema {
		return
	}
	w.field("record", fmt.Sprintf("version %d, fence %d", r.Version, r.Fence))
	w.field("owner", f.owner())
	w.field("bucket", r.Bucket)
	if len(r.Manifest.Attempts) > 0 {
		w.field("keys below", show.Name(r.Folder()))
	}
	w.field("objects", fmt.Sprintf("up to %s, %s known", bytesize.Count(r.Objects), bytesize.Text(r.Bytes)))
}

// referrers says who refers to it, and that others no longer do.
func (f Facts) referrers() []string {
	var words []string
	for _, ref := range f.Referrers {
		words = append(words, fmt.Sprintf("%s %s, generation %d", show.Name(ref.Source), show.Name(ref.Entity), ref.Generation))
	}
	if left := f.Record.Refs - int64(len(f.Referrers)); left > 0 {
		words = append(words, fmt.Sprintf("and %s more", bytesize.Count(left)))
	}
	if f.Dropped > 0 {
		words = append(words, show.Counted(f.Dropped, "reference")+" dropped before")
	}
	return words
}

func (f Facts) owner() string {
	r := f.Record
	if r.Owner == "" {
		return ""
	}
	var holds []string
	if r.QuotaHeld {
		holds = append(holds, "a place of the quota")
	}
	if r.HashHeld {
		holds = append(holds, "the content hash")
	}
	if len(holds) == 0 {
		return show.Name(r.Owner)
	}
	return show.Name(r.Owner) + "; it holds " + strings.Join(holds, " and ")
}

// timeline writes the moments, with now in its place.
func (f Facts) timeline(w *writer) {
	moments := f.Timeline()
	if len(moments) == 0 {
		return
	}
	w.title("its life, as far as the record knows")
	passed := false
	now := func() { w.line("  %s  -- now --", show.Instant(f.Now)) }
	for _, m := range moments {
		if !passed && m.At.After(f.Now) {
			passed = true
			now()
		}
		w.line("  %s  %s", show.Instant(m.At), m.What)
	}
	if !passed {
		now()
	}
}

func (f Facts) keeps(w *writer) {
	all := f.Keeps()
	if len(all) == 0 {
		return
	}
	w.title("what keeps it now")
	for _, k := range all {
		w.line("  %s:", k.From)
		for _, words := range k.Words {
			w.wrapped("    - ", words)
		}
	}
}

func (f Facts) next(w *writer) {
	w.title("what passes decide, at the earliest, if nothing else happens to it")
	for _, s := range f.Next() {
		if s.From.IsZero() {
			w.wrapped("  ", s.Words)
			continue
		}
		w.wrapped("  "+show.Instant(s.From)+"  ", s.Words)
	}
}

// objects writes a table of keys, in blocks: a million rows are not held.
func (f Facts) objects(w *writer, keys int) {
	total := f.Record.Declared()
	if total == 0 || f.Record.Schema > upload.Schema {
		return
	}
	title := "keys that may have been written"
	if len(f.Record.Manifest.Attempts) == 0 {
		title = "versions that were handed over"
	}
	w.title(title)
	const block = 1_000
	shown, table := int64(0), objectTable()
	for o := range f.Objects {
		if keys != AllKeys && shown >= int64(keys) {
			break
		}
		shown++
		table.Add("  "+show.Name(o.Key), cmp.Or(o.VersionID, "not known"), sizeOf(o), o.what())
		if table.Rows() == block {
			w.table(table)
			table = objectTable()
		}
	}
	if table.Rows() > 0 {
		w.table(table)
	}
	if left := total - shown; left > 0 {
		w.line("  and %s more; --keys %d shows all", bytesize.Count(left), AllKeys)
	}
}

func objectTable() *show.Table { return show.NewTable("  key", "version", ">size", "what") }

func sizeOf(o Object) string {
	if o.Size == nil {
		return "-"
	}
	return bytesize.Text(*o.Size)
}

// writer keeps the first error.
type writer struct {
	out io.Writer
	err error
}

func (w *writer) line(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.out, format+"\n", args...)
	}
}

// width is where lines of words end, if they can.
const width = 96

// ownName begins a line that is to be copied, and so stays whole.
const ownName = "strandline"

// wrapped writes words after a beginning, and goes on below where they began.
func (w *writer) wrapped(begin, words string) {
	if strings.HasPrefix(words, ownName+" ") {
		w.line("%s  %s", begin, words)
		return
	}
	line, blank := begin, strings.Repeat(" ", utf8.RuneCountInString(begin))
	for i, word := range strings.Fields(words) {
		switch {
		case i == 0:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			w.line("%s", line)
			line = blank + word
		default:
			line += " " + word
		}
	}
	w.line("%s", line)
}

func (w *writer) field(name, value string) {
	if value != "" {
		w.line("%-12s %s", name, value)
	}
}

func (w *writer) title(title string) { w.line("\n%s", title) }

func (w *writer) section(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	w.title(title)
	for _, line := range lines {
		w.wrapped("  ", line)
	}
}

func (w *writer) table(t *show.Table) {
	if w.err == nil {
		w.err = t.Write(w.out)
	}
}
