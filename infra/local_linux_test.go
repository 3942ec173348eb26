//go:build infra

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/upload"
)

// TestLocalAStaleUploadGoesAllTheWay deploys the templates to an emulator and
// has the functions' own binaries do the work: schedule, scheduler, queue,
// worker, the versions are gone, and the audit trail says who did it. A presigned
// put is confirmed by the recorder, by what the bucket tells. Two rows of a table
// that name one object go: the relay hears of it by the stream, and the object
// goes with the second. Then a worker is killed in the middle of a delete: the
// message returns, and another worker finishes.
//
// Not exercised here: the architecture arm64 on other machines, the rights of
// the roles, the Scheduler's own filling in of the scheduled time, S3 Inventory
// and its delivery, the alarms. On LocalStack the functions run in containers,
// whose calls cannot be held back and whose processes are not to be killed from
// here: it ends before that.
func TestLocalAStaleUploadGoesAllTheWay(t *testing.T) {
	endpoint := localstacktest.Endpoint(t)
	if inContainers(t, endpoint) {
		i := deploy(t, endpoint) // LocalStack tells functions its endpoint itself
		i.clearsAStaleUpload(endpoint)
		i.confirmsAPresignedPut(endpoint)
		i.relaysARowThatGoes(endpoint)
		t.Log("not exercised on LocalStack: a worker that is killed in the middle of a delete")
		return
	}
	front := newFront(t, endpoint)
	i := deploy(t, endpoint, "AWS_ENDPOINT_URL="+endpoint, "AWS_ENDPOINT_URL_S3="+front.URL)
	i.clearsAStaleUpload(endpoint)
	t.Log("a presigned put, confirmed by the bucket's event")
	i.confirmsAPresignedPut(endpoint)
	t.Log("two rows that name one object go")
	i.relaysARowThatGoes(endpoint)

	t.Log("another stale upload, and its worker is killed in the middle of the delete")
	front.hold.Store(true)
	before := i.standing()
	// Due later than what the passes before have come to: a cursor only moves on,
	// and the uploads of one shard share it.
	second := i.stale("second", 3, 84*time.Hour)
	i.fire(endpoint, "pass")
	select {
	case <-front.held:
	case <-time.After(90 * time.Second):
		t.Fatal("no worker began to delete")
	}
	claimed := i.state(second.ID)
	if claimed.State != upload.StateDeleting || i.standing() != before+3 {
		t.Fatalf("in the middle of the delete the upload is %v, %d versions stand", claimed.State, i.standing())
	}
	must(t, killWorkers(endpoint))
	front.letGo()
	await(t, 3*time.Minute, "another worker finishes", func() bool { return i.state(second.ID).State == upload.StateDeleted })
	if n := i.standing(); n != before {
		t.Errorf("%d versions still stand", n-before)
	}
	if last := i.state(second.ID); last.Fence <= claimed.Fence {
		t.Errorf("fence %d after %d: nobody claimed it anew", last.Fence, claimed.Fence)
	}
}

// front stands between the functions and S3, and can hold a delete back.
type front struct {
	*httptest.Server
	hold    atomic.Bool
	held    chan struct{}
	release chan struct{}
	// letGo ends the holding back, also where the test ends before.
	letGo func()
}

func newFront(t *testing.T, endpoint string) *front {
	t.Helper()
	behind, err := url.Parse(endpoint)
	must(t, err)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(behind)
			r.Out.Host = r.In.Host // it is signed
		},
		Transport: &http.Transport{DisableKeepAlives: true},
	}
	f := &front{held: make(chan struct{}), release: make(chan struct{})}
	f.letGo = sync.OnceFunc(func() { close(f.release) })
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Query().Has("delete") && f.hold.CompareAndSwap(true, false) {
			close(f.held)
			<-f.release
			panic(http.ErrAbortHandler) // nobody is there to hear the answer
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		f.letGo()
		f.Close()
	})
	return f
}

// killWorkers kills the processes that run the worker's binary on this
// emulator, and no others.
func killWorkers(endpoint string) error {
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return err
	}
	killed := 0
	for _, p := range processes {
		environment, err := os.ReadFile(filepath.Join(p, "environ"))
		if err != nil || !bytes.Contains(environment, []byte("STRANDLINE_DEAD_LETTER_URL=")) ||
			!bytes.Contains(environment, []byte(endpoint)) {
			continue
		}
		if exe, err := os.Readlink(filepath.Join(p, "exe")); err != nil || filepath.Base(exe) != "bootstrap" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(p))
		if err != nil {
			return err
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return err
		}
		killed++
	}
	if killed == 0 {
		return errNoProcess
	}
	return nil
}
