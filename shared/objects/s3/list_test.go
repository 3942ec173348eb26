package s3_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/upload"
)

func page(inside string) reply {
	return reply{status: 200, body: "<ListVersionsResult>" + inside + "</ListVersionsResult>"}
}

func listed(key, versionID string) string {
	return "<Version><Key>" + key + "</Key><VersionId>" + versionID + "</VersionId></Version>"
}

func keysOf(t *testing.T, s *s3.Store) (keys []string, err error) {
	t.Helper()
	for v, e := range s.Versions(t.Context(), "b", "") {
		if e != nil {
			return keys, e
		}
		keys = append(keys, v.Key)
	}
	return keys, nil
}

// Decoded twice, a%20b would become "a b": another key.
func TestKeysAreDecodedOnceAndOnlyIfTheAnswerSaysSo(t *testing.T) {
	inside := listed("a%2520b", "v1") + listed("c+d", "v2") + listed("e%2Bf", "v3")
	for _, c := range []struct {
		encoding string
		want     []string
	}{
		{"<EncodingType>url</EncodingType>", []string{"a%20b", "c d", "e+f"}},
		{"", []string{"a%2520b", "c+d", "e%2Bf"}},
	} {
		s, _ := store(t, always(page(c.encoding+inside)))
		got, err := keysOf(t, s)
		must(t, err)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("keys (-want +got):\n%s", diff)
		}
	}
}

// With the key marker sent as it came, encoded, a page would be skipped or
// read twice; without the version marker, the rest of the key is skipped.
func TestTheNextPageIsAskedForBehindTheLastVersionOfTheLast(t *testing.T) {
	s, c := store(t, func(r request) reply {
		if r.is(http.MethodGet, "key-marker=") {
			return page(listed("a b", "v2"))
		}
		return page("<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><NextKeyMarker>a%20b</NextKeyMarker><NextVersionIdMarker>v1</NextVersionIdMarker>" + listed("a%20b", "v1"))
	})
	got, err := keysOf(t, s)
	must(t, err)
	if diff := cmp.Diff([]string{"a b", "a b"}, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if last := c.asked[len(c.asked)-1].query; !strings.Contains(last, "key-marker=a%20b&") || !strings.Contains(last, "version-id-marker=v1") {
		t.Errorf("asked %s", last)
	}
}

// A shorter answer is never taken for the whole: what is not listed would be
// recorded as gone.
func TestAListingThatCannotBeReadToItsEndIsAnError(t *testing.T) {
	more := "<IsTruncated>true</IsTruncated>"
	for name, pages := range map[string][]reply{
		"cut off without a marker":  {page(more + listed("a", "v1"))},
		"a key that is not encoded": {page("<EncodingType>url</EncodingType>" + listed("%zz", "v1"))},
		"the second page fails":     {page(more + "<NextKeyMarker>a</NextKeyMarker>" + listed("a", "v1")), fault(403, "AccessDenied")},
		"the page is cut":           {{status: 200, body: "<ListVersionsResult>" + listed("a", "v1")}},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			s, _ := store(t, func(request) reply {
				calls++
				return pages[min(calls, len(pages))-1]
			})
			if keys, err := keysOf(t, s); err == nil {
				t.Errorf("listed %q without an error", keys)
			}
		})
	}
}

func TestMultipartUploadsAreReadPageByPage(t *testing.T) {
	s, _ := store(t, func(r request) reply {
		n, rest := 1, "<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><NextKeyMarker>a%2Bb</NextKeyMarker><NextUploadIdMarker>u1</NextUploadIdMarker>"
		if r.is(http.MethodGet, "key-marker=a%2Bb") && strings.Contains(r.query, "upload-id-marker=u1") {
			n, rest = 2, "<EncodingType>url</EncodingType>"
		}
		return reply{status: 200, body: fmt.Sprintf("<ListMultipartUploadsResult>%s<Upload><Key>a%%2Bb</Key><UploadId>u%d</UploadId></Upload></ListMultipartUploadsResult>", rest, n)}
	})
	var got []string
	for m, err := range s.Multiparts(t.Context(), "b", "a") {
		must(t, err)
		got = append(got, m.Key+" "+m.UploadID)
	}
	if diff := cmp.Diff([]string{"a+b u1", "a+b u2"}, got); diff != "" {
		t.Errorf("uploads (-want +got):\n%s", diff)
	}
}

func TestAnAbortThatIsDeniedOrBreaksIsAnErrorAndAnAbsentUploadIsNot(t *testing.T) {
	for want, answer := range map[error]reply{
		nil:              fault(404, "NoSuchUpload"),
		upload.ErrDenied: fault(403, "AccessDenied"), upload.ErrUnclear: fault(500, "InternalError"),
	} {
		s, _ := store(t, always(answer))
		if err := s.Abort(t.Context(), "b", "a", "u1"); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

func wantKind(t *testing.T, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("error is %v, want %v", err, kind)
	}
}
