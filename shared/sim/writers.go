package sim

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// writer is one application at one upload: its process may be slow, forget what
// it was doing, die, and come back under its own name or another's.
type writer struct {
	world   *world
	name    string
	p       *process
	service *intake.Service
	session *intake.Session
	id      upload.ID
	owner   string
	chunks  int
	put     map[int]bool      // by sequence, in this session
	stale   []*intake.Session // that others have taken over from
	refs    int64             // generations that were added
	over    bool
}

func (w *world) write(name string) {
	if w.draw("whether "+name+" comes", 10) == 0 {
		return
	}
	x := &writer{world: w, name: name, owner: "o-" + name[len(name)-1:], put: map[int]bool{}}
	x.live()
	if !x.p.sleep(time.Duration(w.draw(name, 300)) * time.Minute) {
		return
	}
	if x.reserve() {
		for range 8 + w.draw(name, 12) {
			if x.over || !w.stormy() {
				break
			}
			x.act()
		}
	}
}

// live begins a process of the application, on a host of its own.
func (x *writer) live() {
	h := x.world.host(x.name, x.world.drift(x.name), true)
	x.p = h.boot()
	service, err := intake.New(intake.Config{
		Records: x.world.ledgerOf(x.p), Lookups: x.world.ledgerOf(x.p), Objects: x.world.storeOf(x.p),
		Policy: x.world.policy, Now: h.Now, NewID: x.world.newID,
	})
	x.world.must(err)
	x.service, x.session = service, nil
}

func (x *writer) draw(n int) int { return x.world.draw(x.name, n) }

// reserve begins the upload; its request may come again.
func (x *writer) reserve() bool {
	x.chunks = 1 + x.draw(5)
	r := intake.Request{
		Tenant: fmt.Sprintf("t-%d", 1+x.draw(4)), Owner: x.owner, Holder: x.name, IdempotencyKey: "key of " + x.name,
		Lease: time.Duration(1+x.draw(15)) * time.Minute, Bucket: bucketName, Prefix: "up",
	}
	if x.draw(2) == 1 {
		r.QuotaLimit = 3
	}
	if x.draw(3) == 2 {
		r.ContentHash = fmt.Sprintf("%064x", x.draw(2))
	}
	if x.draw(2) == 1 {
		r.Hold = time.Duration(1+x.draw(6)) * time.Hour
	}
	if x.draw(4) == 3 {
		r.ByEvents, r.Chunks = true, x.chunks
	}
	for range 4 {
		session, err := x.service.Reserve(context.Background(), r)
		if err == nil {
			x.took(session)
			x.owner = session.Record().Owner
			return true
		}
		if !again(err) || !x.p.sleep(time.Minute) {
			return false
		}
	}
	return false
}

func (x *writer) took(s *intake.Session) {
	if x.session != nil {
		x.stale = append(x.stale, x.session)
	}
	x.session, x.id = s, s.ID()
	x.put = map[int]bool{}
}

// again reports whether a failed call may succeed when it is repeated.
func again(err error) bool {
	return errors.Is(err, upload.ErrThrottled) || errors.Is(err, upload.ErrUnclear) || errors.Is(err, context.DeadlineExceeded)
}

// act does the next thing: dull is what an honest writer does.
func (x *writer) act() {
	if !x.p.alive() {
		x.afterDeath()
		return
	}
	if x.session != nil {
		x.uploading()
		return
	}
	x.published()
}

// afterDeath comes back, under its own name or another's, or does not.
func (x *writer) afterDeath() {
	if x.draw(3) == 2 {
		x.over = true
		return
	}
	x.name += "'"
	x.live()
	if !x.p.sleep(time.Duration(x.draw(120)) * time.Minute) {
		return
	}
	x.acquire()
}

func (x *writer) acquire() {
	holder := x.name
	if x.draw(2) == 0 {
		holder = "another of " + x.name
	}
	s, err := x.service.Acquire(context.Background(), x.id, holder, 10*time.Minute)
	if err == nil {
		x.took(s)
		x.world.count("taken over")
		return
	}
	if !again(err) && x.p.alive() {
		x.session = nil
	}
}

func (x *writer) uploading() {
	ctx := context.Background()
	var err error
	x.p.writes = x.session.Fence()
	defer func() { x.p.writes = 0 }()
	switch x.draw(20) {
	case 10:
		err = x.session.Heartbeat(ctx)
	case 11:
		err = x.session.Renew(ctx, 10*time.Minute)
	case 12:
		x.p.sleep(time.Duration(1+x.draw(50)) * time.Minute)
	case 13:
		x.p.sleep(time.Duration(1+x.draw(10)) * time.Hour)
	case 14:
		err = x.presign(ctx)
	case 15:
		err = x.parts(ctx)
	case 16:
		err = x.session.BeginAssembly(ctx)
	case 17:
		if err = x.session.Cancel(ctx, "given up"); err == nil {
			x.session = nil
		}
	case 18:
		x.acquire()
	case 19:
		x.over = x.draw(2) == 1 // it is never heard of again
		x.asStale(ctx)
	default:
		err = x.next(ctx)
	}
	if errors.Is(err, upload.ErrFenceLost) || errors.Is(err, upload.ErrRefused) || errors.Is(err, intake.ErrDeadline) {
		x.acquire()
	}
}

// asStale has an older session of this upload go on as if nothing had happened.
// The witness judges what comes of it.
func (x *writer) asStale(ctx context.Context) {
	if len(x.stale) == 0 {
		return
	}
	s := x.stale[x.draw(len(x.stale))]
	x.world.count("stale writer")
	x.p.writes = s.Fence()
	defer func() { x.p.writes = 0 }()
	if x.draw(2) == 0 {
		_ = s.Complete(ctx, nil, time.Time{})
		return
	}
	_, _ = s.Put(ctx, x.chunk(s, x.chunks), bytes.NewReader(x.body(s, x.chunks)))
}

func (x *writer) body(s *intake.Session, seq int) []byte {
	return fmt.Appendf(nil, "%s %d/%d", s.ID().Upload, s.Fence(), seq)
}

func (x *writer) chunk(s *intake.Session, seq int) intake.Chunk {
	body := x.body(s, seq)
	sum := sha256.Sum256(body)
	return intake.Chunk{Seq: seq, Size: int64(len(body)), SHA256: sum[:]}
}

// next puts the next object, or publishes when all are there.
func (x *writer) next(ctx context.Context) error {
	for _, o := range x.session.Stored() {
		x.put[o.Seq] = true
	}
	for seq := 1; seq <= x.chunks; seq++ {
		if !x.put[seq] {
			_, err := x.session.Put(ctx, x.chunk(x.session, seq), bytes.NewReader(x.body(x.session, seq)))
			return err
		}
	}
	var list []upload.Key
	for _, o := range x.session.Stored() {
		list = append(list, o.Key)
	}
	if len(list) > 1 && x.draw(4) == 3 {
		list = list[1:] // the first is superseded
	}
	hold := time.Time{}
	if x.draw(3) == 2 {
		hold = x.p.host.Now().Add(time.Duration(1+x.draw(20)) * time.Hour)
	}
	err := x.session.Complete(ctx, list, hold)
	if err == nil {
		x.world.count("completed")
		x.stale, x.session = append(x.stale, x.session), nil
	}
	return err
}

// presign hands a URL to a client, who uses it at once, later, twice or never.
func (x *writer) presign(ctx context.Context) error {
	seq := 1 + x.draw(x.chunks)
	p, err := x.session.Presign(ctx, x.chunk(x.session, seq), 0)
	if err != nil {
		return err
	}
	r := x.session.Record()
	key, body := r.ObjectKey(x.session.Key(seq)), x.body(x.session, seq)
	store, client := x.world.storeOf(x.p), x.p
	if x.draw(8) == 7 {
		x.world.smuggle(x.name, key, x.draw(2) == 1, body)
	}
	for range x.draw(3) {
		client.sleep(time.Duration(x.draw(25)) * time.Minute)
		_ = store.Redeem(ctx, p, bytes.NewReader(body), key)
		x.world.count("redeemed")
	}
	if x.draw(2) == 1 {
		_, err = x.session.Confirm(ctx, seq)
		if errors.Is(err, upload.ErrAbsent) {
			err = nil
		}
	}
	return err
}

// parts begins a multipart upload, and leaves it with a part or none.
func (x *writer) parts(ctx context.Context) error {
	seq := 1 + x.draw(x.chunks)
	id, err := x.session.BeginMultipart(ctx, seq, "")
	if err != nil || x.draw(2) == 0 {
		return err
	}
	r, body := x.session.Record(), x.body(x.session, seq)
	sum := sha256.Sum256(body)
	_, _ = x.world.storeOf(x.p).UploadPart(ctx, bucketName, r.ObjectKey(x.session.Key(seq)), id,
		objects.Part{Number: 1, Size: int64(len(body)), SHA256: sum[:]}, bytes.NewReader(body))
	x.world.count("parts left")
	return nil
}

// published is what becomes of an upload that its writer has let go of. What is
// refused is not tried again.
func (x *writer) published() {
	ctx := context.Background()
	ref := func(n int64) upload.Reference { return upload.Reference{Source: "rows", Entity: x.name, Generation: n} }
	switch x.draw(14) {
	case 4:
		x.p.sleep(time.Duration(1+x.draw(90)) * time.Minute)
	case 5, 12, 13:
		n := 1 + int64(x.draw(int(x.refs)+2)) // perhaps one that was dropped
		x.refs = max(x.refs, n)
		_ = x.service.AddReference(ctx, x.id, ref(n), 0)
	case 6, 10, 11:
		if x.refs > 0 {
			_ = x.service.DropReference(ctx, x.id, ref(1+int64(x.draw(int(x.refs)))))
		}
	case 7:
		_ = x.service.Release(ctx, x.id, x.owner, "released")
	case 8:
		_ = x.service.ExtendHold(ctx, x.id, x.p.host.Now().Add(time.Duration(1+x.draw(20))*time.Hour))
	case 9:
		x.asStale(ctx)
	default:
		x.over = true
	}
}
