package schema

import (
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
)

func TestAnInstallationsNamesBeginWithItsPrefix(t *testing.T) {
	in, err := New("acme-prod", policy.Default(), "uploads", "media")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{
		in.Ledger.Name, in.Purge.Name, in.DeadLetter.Name, in.Events.Name, in.Stored.Name, in.Releases.Name, in.ReleasesDead.Name,
		in.Buckets[0].Name, in.Buckets[1].Name,
	}
	want := "acme-prod-ledger acme-prod-purge acme-prod-purge-dead acme-prod-events-dead acme-prod-stored acme-prod-releases acme-prod-releases-dead " +
		"acme-prod-uploads acme-prod-media"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if in.Purge.DeadLetter != in.DeadLetter.Name || in.Purge.MaxReceives != MaxReceives {
		t.Errorf("the purge queue's redrive is %q after %d", in.Purge.DeadLetter, in.Purge.MaxReceives)
	}
	if in.Purge.Visibility != policy.Default().VisibilityTimeout || in.Purge.Retention != 14*24*time.Hour {
		t.Errorf("visibility %v, retention %v", in.Purge.Visibility, in.Purge.Retention)
	}
}

func TestANameThatAServiceWouldNotTakeIsRefused(t *testing.T) {
	for _, prefix := range []string{"", "Acme", "acme_prod", "-acme", "acme-", "a--b", "1acme", "ä", strings.Repeat("a", 41)} {
		if _, err := New(prefix, policy.Default()); err == nil {
			t.Errorf("prefix %q was taken", prefix)
		}
	}
	for _, bucket := range []string{"", "Up", "a.b", "a_b", "-a", "a-", strings.Repeat("a", 60)} {
		if _, err := New("acme", policy.Default(), bucket); err == nil {
			t.Errorf("bucket %q was taken", bucket)
		}
	}
}

// Without this relation a message comes back while the function that has it is
// still at work, and its receives are used up by that.
func TestAVisibilityTimeoutBelowSixTimesTheWorkersIsRefused(t *testing.T) {
	p := policy.Default()
	p.VisibilityTimeout = 6*p.WorkerTimeout - time.Second
	if _, err := New("acme", p); err == nil || !strings.Contains(err.Error(), "VisibilityTimeout") {
		t.Errorf("got %v", err)
	}
}

func TestTheZeroPolicyDescribesNothing(t *testing.T) {
	if _, err := New("acme", policy.Policy{}); err == nil {
		t.Error("it was taken")
	}
}

// A queue that is made before the one for its dead letters would have none: what
// kills its function comes back until it is too old, and is gone then.
func TestEveryQueueStandsAfterTheOneOfItsDeadLettersWhichKeepsThemAsLong(t *testing.T) {
	in, err := New("acme", policy.Default())
	if err != nil {
		t.Fatal(err)
	}
	before := map[string]Queue{}
	for _, q := range in.Queues() {
		dead, known := before[q.DeadLetter]
		switch {
		case q.DeadLetter == "" && q.MaxReceives != 0, q.DeadLetter != "" && q.MaxReceives < 5:
			t.Errorf("%s gives up after %d receives, and has the dead letters %q", q.Name, q.MaxReceives, q.DeadLetter)
		case q.DeadLetter != "" && (!known || dead.Retention < q.Retention):
			t.Errorf("%s: its dead letters' queue %q is made after it, or keeps them for less", q.Name, q.DeadLetter)
		}
		before[q.Name] = q
	}
	if len(before) != 6 || in.Stored.Visibility < 6*RecorderTimeout || in.Releases.Visibility < 6*policy.Default().WorkerTimeout {
		t.Errorf("%d queues: %+v", len(before), in.Queues())
	}
}
