package s3_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/objectstest"
	"github.com/strandline-dev/strandline/shared/upload"
)

func sum(body string) []byte {
	digest := sha256.Sum256([]byte(body))
	return digest[:]
}

// Without the stamp, a writer whose first answer was lost would be told that
// somebody else has its key, and its object would stand unrecorded.
func TestAPutWhoseAnswerWasLostFindsItsOwnObject(t *testing.T) {
	lost := false
	w := newWorld(t, through(func(next httpClient, r *http.Request) (*http.Response, error) {
		resp, err := next.Do(r)
		if r.Method == http.MethodPut && !lost {
			lost = true
			return nil, errors.New("connection reset by peer")
		}
		return resp, err
	}))
	b := w.Bucket(t, objectstest.Enabled)
	stored, err := w.store.Put(t.Context(), b, "a", bytes.NewReader([]byte("1")), objects.Content{Size: 1, SHA256: sum("1")})
	must(t, err)
	for v, err := range objects.VersionsOf(t.Context(), w.store, b, "a") {
		must(t, err)
		if v.VersionID != stored.VersionID || !lost {
			t.Errorf("stored %+v, listed %+v", stored, v)
		}
	}
}

func TestAPutThatFailsSaysOfWhichKindAndNamesNoKey(t *testing.T) {
	for want, answer := range map[error]reply{
		upload.ErrRefused:   fault(412, "PreconditionFailed"),
		upload.ErrUnclear:   fault(409, "ConditionalRequestConflict"),
		upload.ErrThrottled: fault(503, "SlowDown"),
		upload.ErrDenied:    fault(403, "AccessDenied"),
	} {
		s, _ := store(t, func(r request) reply {
			if r.method == http.MethodHead {
				return reply{status: 200}
			}
			return answer
		})
		_, err := s.Put(t.Context(), "b", "secret-name", strings.NewReader("1"), objects.Content{Size: 1, SHA256: sum("1")})
		wantKind(t, err, want)
		if err != nil && strings.Contains(err.Error(), "secret-name") {
			t.Errorf("the error holds a key: %v", err)
		}
	}
}

// Without the look's own failure, a writer that may not read would take its own
// object for somebody else's.
func TestAPutThatIsRefusedAndCannotLookIsUnclear(t *testing.T) {
	s, _ := store(t, func(r request) reply {
		if r.method == http.MethodHead {
			return reply{status: 403}
		}
		return fault(412, "PreconditionFailed")
	})
	_, err := s.Put(t.Context(), "b", "a", strings.NewReader("1"), objects.Content{Size: 1, SHA256: sum("1")})
	wantKind(t, err, upload.ErrUnclear)
}

func TestAPutOfAStreamWithoutASumIsRefusedBeforeTheWire(t *testing.T) {
	s, c := store(t, always(reply{status: 200}))
	_, err := s.Put(t.Context(), "b", "a", io.LimitReader(strings.NewReader("1"), 1), objects.Content{Size: 1})
	wantKind(t, err, upload.ErrRefused)
	_, err = s.Put(t.Context(), "b", "a", strings.NewReader("1"), objects.Content{Size: 1, SHA256: []byte("short")})
	wantKind(t, err, upload.ErrRefused)
	if len(c.asked) != 0 {
		t.Errorf("%d calls", len(c.asked))
	}
}

// A header that is not signed can be left out by whoever holds the URL: then
// the put overwrites, or is of another size.
func TestAPresignedPutSignsItsConditionItsSizeAndItsSum(t *testing.T) {
	s, c := store(t, always(reply{status: 200}))
	p, err := s.PresignPut(t.Context(), "b", "a", objects.Content{Size: 3, SHA256: sum("abc")}, time.Minute)
	must(t, err)
	wantSigned(t, p, "if-none-match", "content-length", "x-amz-checksum-sha256")
	if life := time.Until(p.ExpiresAt); life > time.Minute || life < 50*time.Second {
		t.Errorf("expires in %v", life)
	}
	if len(c.asked) != 0 {
		t.Errorf("%d calls", len(c.asked))
	}
	bare, err := s.PresignPut(t.Context(), "b", "a", objects.Content{Size: 3}, time.Minute)
	must(t, err)
	if strings.Contains(strings.ToLower(fmt.Sprint(bare.URL, bare.Header)), "checksum") {
		t.Errorf("the sum of a body that nobody has is signed: %+v", bare)
	}
	_, err = s.PresignPut(t.Context(), "b", "a", objects.Content{Size: 3, SHA256: []byte("short")}, time.Minute)
	wantKind(t, err, upload.ErrRefused)
	for _, life := range []time.Duration{0, -time.Second, 8 * 24 * time.Hour} {
		_, err := s.PresignPut(t.Context(), "b", "a", objects.Content{Size: 3, SHA256: sum("abc")}, life)
		wantKind(t, err, upload.ErrRefused)
	}
}
