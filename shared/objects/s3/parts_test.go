package s3_test

import (
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

var onePart = objects.Part{Number: 1, Size: 3, SHA256: sum("abc"), ETag: "e1"}

func inBase64(sum []byte) string { return base64.StdEncoding.EncodeToString(sum) }

// sent is the only request that was made.
func sent(t *testing.T, c *canned) request {
	t.Helper()
	if len(c.asked) != 1 {
		t.Fatalf("%d calls", len(c.asked))
	}
	return c.asked[0]
}

func wantHeaders(t *testing.T, got http.Header, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got.Get(name) != value {
			t.Errorf("%s is %q, want %q", name, got.Get(name), value)
		}
	}
}

// A part sent without its sum is refused by S3 at the completion, when it can
// no longer be sent with it.
func TestAMultipartUploadIsBegunForPartsWithTheirSums(t *testing.T) {
	s, c := store(t, always(reply{status: 200, body: "<R><UploadId>m-1</UploadId></R>"}))
	id, err := s.BeginMultipart(t.Context(), "b", "a", "video/mp4")
	must(t, err)
	if id != "m-1" {
		t.Errorf("id is %q", id)
	}
	wantHeaders(t, sent(t, c).header, map[string]string{
		"Content-Type": "video/mp4", "X-Amz-Checksum-Algorithm": "SHA256", "X-Amz-Checksum-Type": "COMPOSITE",
	})
}

func TestAPartIsReadOnceAndBoundToItsSizeAndSum(t *testing.T) {
	s, c := store(t, always(reply{status: 200, header: map[string]string{"ETag": `"e1"`}}))
	got, err := s.UploadPart(t.Context(), "b", "a", "m-1", onePart, io.LimitReader(strings.NewReader("abc"), 3))
	must(t, err)
	if got.ETag != "e1" {
		t.Errorf("part: %+v", got)
	}
	r := sent(t, c)
	wantHeaders(t, r.header, map[string]string{
		"X-Amz-Checksum-Sha256": inBase64(sum("abc")), "X-Amz-Content-Sha256": hex.EncodeToString(sum("abc")),
	})
	if !r.is("PUT", "partNumber=1") || !r.is("PUT", "uploadId=m-1") || r.body != "abc" {
		t.Errorf("request: %+v", r)
	}
}

// Without If-None-Match a completion overwrites; without the sums S3 refuses it.
func TestACompletionSaysItsConditionAndTheSumOfEachPart(t *testing.T) {
	s, c := store(t, always(reply{status: 200, body: `<R><ETag>"e-1"</ETag></R>`, header: map[string]string{"X-Amz-Version-Id": "v1"}}))
	stored, err := s.CompleteMultipart(t.Context(), "b", "a", "m-1", []objects.Part{onePart})
	must(t, err)
	if stored != (objects.Stored{VersionID: "v1", ETag: "e-1"}) {
		t.Errorf("stored: %+v", stored)
	}
	r := sent(t, c)
	wantHeaders(t, r.header, map[string]string{"If-None-Match": "*"})
	for _, said := range []string{"<ETag>e1</ETag>", "<PartNumber>1</PartNumber>", "<ChecksumSHA256>" + inBase64(sum("abc")) + "</ChecksumSHA256>"} {
		if !strings.Contains(r.body, said) {
			t.Errorf("%s is not in %s", said, r.body)
		}
	}
}

// S3 may answer 200 and then say in the body that it failed
// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html).
func TestACompletionThatFailsInA200IsNoSuccess(t *testing.T) {
	s, _ := store(t, always(fault(200, "InternalError")))
	_, err := s.CompleteMultipart(t.Context(), "b", "a", "m-1", []objects.Part{onePart})
	wantKind(t, err, upload.ErrUnclear)
}

// Without the comparison of sums, a writer would take for its own whatever
// stands under the key, and publish it.
func TestACompletionThatIsRefusedKnowsItsOwnByItsSums(t *testing.T) {
	composite, err := hex.DecodeString(strings.TrimSuffix(objects.Composite([]objects.Part{onePart}), "-1"))
	must(t, err)
	for name, c := range map[string]struct {
		answer, look reply
		want         error
	}{
		"its own":            {fault(412, "PreconditionFailed"), checksum(inBase64(composite) + "-1"), nil},
		"its own, and over":  {fault(404, "NoSuchUpload"), checksum(inBase64(composite) + "-1"), nil},
		"another in parts":   {fault(412, "PreconditionFailed"), checksum(inBase64(sum("x")) + "-1"), upload.ErrRefused},
		"the same in whole":  {fault(412, "PreconditionFailed"), checksum(inBase64(composite)), upload.ErrRefused},
		"without a checksum": {fault(412, "PreconditionFailed"), reply{status: 200}, upload.ErrUnclear},
		"not to be seen":     {fault(412, "PreconditionFailed"), reply{status: 403}, upload.ErrUnclear},
		"nothing there":      {fault(404, "NoSuchUpload"), reply{status: 404}, upload.ErrAbsent},
		"another at work":    {fault(409, "ConditionalRequestConflict"), reply{status: 404}, upload.ErrUnclear},
		"a part is missing":  {fault(400, "InvalidPart"), reply{status: 404}, upload.ErrRefused},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := store(t, func(r request) reply {
				if r.method == http.MethodHead {
					return c.look
				}
				return c.answer
			})
			got, err := s.CompleteMultipart(t.Context(), "b", "secret-name", "m-1", []objects.Part{onePart})
			if c.want == nil {
				if err != nil || got.VersionID != "v1" {
					t.Errorf("got %+v, %v", got, err)
				}
				return
			}
			wantKind(t, err, c.want)
			if strings.Contains(err.Error(), "secret-name") {
				t.Errorf("the error holds a key: %v", err)
			}
		})
	}
}

// checksum is a look that shows one.
func checksum(value string) reply {
	return reply{status: 200, header: map[string]string{"X-Amz-Checksum-Sha256": value, "X-Amz-Version-Id": "v1"}}
}

// S3 shows a checksum only to who asks for it.
func TestALookAsksForTheChecksumAndShowsItInHexadecimal(t *testing.T) {
	for value, want := range map[string]string{
		inBase64(sum("abc")):        hex.EncodeToString(sum("abc")),
		inBase64(sum("abc")) + "-7": hex.EncodeToString(sum("abc")) + "-7",
		"":                          "",
		"not base64":                "",
		inBase64([]byte("short")):   "",
	} {
		s, c := store(t, always(checksum(value)))
		facts, err := s.Stat(t.Context(), "b", "a", "v1")
		must(t, err)
		if facts.Checksum != want {
			t.Errorf("%q is shown as %q, want %q", value, facts.Checksum, want)
		}
		wantHeaders(t, sent(t, c).header, map[string]string{"X-Amz-Checksum-Mode": "ENABLED"})
	}
}

// Without the second look, a worker that may not decrypt would be denied every
// look at an encrypted object, and nothing of it could ever be deleted.
func TestALookThatIsDeniedTheChecksumSeesTheRest(t *testing.T) {
	s, c := store(t, func(r request) reply {
		if r.header.Get("X-Amz-Checksum-Mode") != "" {
			return reply{status: 403}
		}
		return reply{status: 200, header: map[string]string{"ETag": `"e1"`}}
	})
	facts, err := s.Stat(t.Context(), "b", "a", "v1")
	if err != nil || facts.ETag != "e1" || facts.Checksum != "" || len(c.asked) != 2 {
		t.Errorf("%+v, %v, after %d looks", facts, err, len(c.asked))
	}
}

// A header that is not signed can be left out by whoever holds the URL: then
// the part is of another size, or of other bytes.
func TestAPresignedPartSignsItsSizeAndItsSum(t *testing.T) {
	s, c := store(t, always(reply{status: 200}))
	p, err := s.PresignPart(t.Context(), "b", "a", "m-1", onePart, time.Minute)
	must(t, err)
	u, err := url.Parse(p.URL)
	must(t, err)
	wantSigned(t, p, "content-length", "x-amz-checksum-sha256")
	if q := u.Query(); q.Get("partNumber") != "1" || q.Get("uploadId") != "m-1" || len(c.asked) != 0 {
		t.Errorf("signed %s, %d calls", u.RawQuery, len(c.asked))
	}
	_, err = s.PresignPart(t.Context(), "b", "a", "m-1", objects.Part{Number: 1, Size: 3}, time.Minute)
	wantKind(t, err, upload.ErrRefused)
	_, err = s.PresignPart(t.Context(), "b", "a", "m-1", onePart, 8*24*time.Hour)
	wantKind(t, err, upload.ErrRefused)
}

func TestAPutIsOfTheMediaTypeThatItsURLWasSignedFor(t *testing.T) {
	s, c := store(t, always(reply{status: 200}))
	content := objects.Content{Size: 3, SHA256: sum("abc"), Type: "image/png"}
	p, err := s.PresignPut(t.Context(), "b", "a", content, time.Minute)
	must(t, err)
	wantSigned(t, p, "content-type")
	wantHeaders(t, p.Header, map[string]string{"Content-Type": "image/png"})
	_, err = s.Put(t.Context(), "b", "a", strings.NewReader("abc"), content)
	must(t, err)
	wantHeaders(t, sent(t, c).header, map[string]string{"Content-Type": "image/png"})
}

// wantSigned checks that a URL is signed for these headers, and says them.
func wantSigned(t *testing.T, p objects.Presigned, names ...string) {
	t.Helper()
	u, err := url.Parse(p.URL)
	must(t, err)
	signed := strings.Split(u.Query().Get("X-Amz-SignedHeaders"), ";")
	for _, name := range names {
		if !slices.Contains(signed, name) || p.Header.Get(name) == "" {
			t.Errorf("%s is not signed: %v, %v", name, signed, p.Header)
		}
	}
}
