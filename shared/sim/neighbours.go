package sim

import (
	"bytes"
	"context"
	"fmt"
	"time"

	objectstores "github.com/strandline-dev/strandline/shared/objects/memory"

	"github.com/strandline-dev/strandline/shared/upload"
)

// visit is everybody else who uses the bucket and the queue: objects that no
// upload owns, locks on some that one does, releases of objects that were not
// uploaded through us, and messages that are no commands.
func (w *world) visit(name string) {
	p := w.host(name, 0, false).boot()
	w.stranger("other/program")
	w.stranger("up/t-1/nobody/1/1")
	for range w.draw(name, 8) {
		if !p.sleep(time.Duration(1+w.draw(name, 300))*time.Minute) || !w.stormy() {
			return
		}
		switch w.draw(name, 6) {
		case 0:
			w.beside(name)
		case 1, 2:
			w.lock(name)
		case 3, 4:
			w.adopt(name, p)
		default:
			w.garbage(name)
		}
	}
}

// beside puts an object below an upload's folder, under a key that the upload
// never declared: a purge by prefix would take it along.
func (w *world) beside(name string) {
	if r, ok := w.someUpload(name); ok {
		key := r.ObjectKey(upload.Key{Attempt: 99, Seq: 1})
		if _, known := w.strangers[key]; !known {
			w.say(name, "puts a stranger into the folder of %s", r.Upload)
			w.stranger(key)
			id, err := w.store.BeginMultipart(context.Background(), bucketName, key, "")
			w.must(err)
			w.beginnings[id] = true
			w.count("strangers")
		}
	}
}

// smuggle puts other bytes under a key than were stated of it, by somebody who
// has a right to the bucket and no URL.
func (w *world) smuggle(name, key string, longer bool, body []byte) {
	if len(w.standing()[key]) > 0 {
		return // a version too many is for the reconciler to find
	}
	other := bytes.ToUpper(body)
	if longer {
		other = append(other, " and more"...)
	}
	w.say(name, "finds other bytes under %s", short(key))
	v := w.store.Write(bucketName, key, other, time.Time{})
	w.stored(key, v.VersionID)
	w.count("other bytes")
}

func (w *world) someUpload(name string) (upload.Record, bool) {
	all := w.witness.all()
	if len(all) == 0 {
		return upload.Record{}, false
	}
	r := all[w.draw(name, len(all))]
	return r, r.Source == ""
}

// lock keeps some version from being deleted, for hours or until it is lifted.
func (w *world) lock(name string) {
	r, ok := w.someUpload(name)
	if !ok || len(r.Manifest.Objects) == 0 {
		return
	}
	o := r.Manifest.Objects[w.draw(name, len(r.Manifest.Objects))]
	key := r.ObjectKey(o.Key)
	if !w.stands(key, o.VersionID) {
		return
	}
	w.count("locked")
	if w.draw(name, 4) == 3 {
		w.say(name, "puts a legal hold on %s", short(key))
		w.must(w.store.SetLegalHold(bucketName, key, o.VersionID, true))
		return
	}
	w.say(name, "locks %s", short(key))
	w.must(w.store.Lock(bucketName, key, o.VersionID, objectstores.Lock{Until: w.now().Add(time.Duration(1+w.draw(name, 40)) * time.Hour)}))
}

// adopt releases an object of another table, and perhaps takes that back: then
// the version is nobody's again.
func (w *world) adopt(name string, p *process) {
	w.mu.Lock()
	w.adopted++
	n := w.adopted
	w.mu.Unlock()
	key := fmt.Sprintf("legacy/%d", n)
	v := w.store.Write(bucketName, key, fmt.Appendf(nil, "released %d", n), time.Time{})
	id := upload.ID{Tenant: upload.AdoptedTenant, Upload: fmt.Sprintf("r-%d", n)}
	w.apply(p, id, upload.Adopt{ID: id, Source: "table", Objects: []upload.Explicit{{
		Bucket: bucketName, Key: key, VersionID: v.VersionID, ETag: v.ETag, Size: v.Size, LastModified: v.LastModified,
	}}})
	if w.witness.records[id].State == upload.StateNone {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.strangers[key] = v.VersionID
		return
	}
	w.count("adopted")
	if w.draw(name, 3) < 2 {
		return
	}
	p.sleep(time.Duration(w.draw(name, 90)) * time.Minute)
	w.apply(p, id, upload.Withdraw{})
	if w.witness.records[id].Withdrawn() {
		w.strangers[key] = v.VersionID
		w.count("withdrawn")
	}
}

// apply decides an event from the record and writes it, once.
func (w *world) apply(p *process, id upload.ID, e upload.Event) {
	records := w.ledgerOf(p)
	r, err := records.Load(context.Background(), id)
	if err != nil {
		return
	}
	if c, err := upload.Step(w.policy, r, e, p.host.Now()); err == nil && !c.Nothing() {
		_ = records.Commit(context.Background(), c) // the record says whether it was done
	}
}

// garbage sends what no pass has sent.
func (w *world) garbage(name string) {
	w.say(name, "sends what is no command")
	w.count("garbage")
	body := "no command"
	if w.draw(name, 2) == 1 {
		body = `{"schema":1,"run":"x","operation":"claim","tenant":"t-1","upload":"nobody","version":1,"cutoff":"2000-01-01T00:00:00Z","reason":"none"}`
	}
	w.mu.Lock()
	w.rubbish[body]++
	w.mu.Unlock()
	w.queue.Put(body)
}
