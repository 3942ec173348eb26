package s3_test

import (
	"errors"
	"net/http"
	"testing"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/objects/objectstest"
	"github.com/strandline-dev/strandline/shared/objects/s3/markers"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestMarkersConformance(t *testing.T) {
	w := newWorld(t, likeS3)
	objectstest.RunMarkers(t, w, markers.New(w.own))
}

func placing(t *testing.T, answer func(request) reply) (marker string, deletes []request, err error) {
	t.Helper()
	c := &canned{answer: func(r request) reply {
		if r.is("GET", "versioning") {
			return reply{status: 200, body: "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"}
		}
		return answer(r)
	}}
	client := awsconf.S3(awsconf.ForEndpoint("http://s3.invalid"), func(o *awss3.Options) { o.HTTPClient = c })
	marker, err = markers.New(client).PlaceMarker(t.Context(), "b", "k", "abc")
	for _, r := range c.asked {
		if r.method == http.MethodDelete {
			deletes = append(deletes, r)
		}
	}
	return marker, deletes, err
}

// Without the condition on the wire, a write between the look and the marker
// would be hidden; without "once", an answer that was lost would leave a second
// marker that nobody knows of.
func TestPlacingAMarkerAsksForTheETagAndIsSentOnce(t *testing.T) {
	placed := reply{status: 204, header: map[string]string{"x-amz-delete-marker": "true", "x-amz-version-id": "m1"}}
	marker, asked, err := placing(t, always(placed))
	if err != nil || marker != "m1" || len(asked) != 1 || asked[0].header.Get("If-Match") != `"abc"` || asked[0].is(http.MethodDelete, "versionId") {
		t.Errorf("placed %q, %v: asked %+v", marker, err, asked)
	}
	for name, c := range map[string]struct {
		answer reply
		kind   error
	}{
		"a broken connection":          {reply{broken: true}, upload.ErrUnclear},
		"an internal error":            {fault(500, "InternalError"), upload.ErrUnclear},
		"a failed condition":           {fault(412, "PreconditionFailed"), upload.ErrRefused},
		"a conflicting write":          {fault(409, "ConditionalRequestConflict"), upload.ErrUnclear},
		"missing rights":               {fault(403, "AccessDenied"), upload.ErrDenied},
		"an answer without a marker":   {reply{status: 204}, upload.ErrUnclear},
		"an answer with a null marker": {reply{status: 204, header: map[string]string{"x-amz-delete-marker": "true", "x-amz-version-id": "null"}}, upload.ErrUnclear},
	} {
		_, asked, err := placing(t, always(c.answer))
		if !errors.Is(err, c.kind) || len(asked) != 1 {
			t.Errorf("%s: %v after %d deletes, want %v after one", name, err, len(asked), c.kind)
		}
	}
}

func TestStoreWithoutConditionsGetsTheMarkerWithoutOne(t *testing.T) {
	marker, asked, err := placing(t, func(r request) reply {
		if r.header.Get("If-Match") != "" {
			return fault(501, "NotImplemented")
		}
		return reply{status: 204, header: map[string]string{"x-amz-delete-marker": "true", "x-amz-version-id": "m1"}}
	})
	if err != nil || marker != "m1" || len(asked) != 2 {
		t.Errorf("placed %q, %v with %d requests", marker, err, len(asked))
	}
}
