//go:build infra

package strandline

import (
	"crypto/sha256"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/s3"
)

// A browser asks the bucket before it sends a header that pages usually do not.
// One that is signed for and not allowed, and no presigned put comes to pass.
func TestBrowsersMaySendWhatAPresignedPutIsSignedFor(t *testing.T) {
	sum := sha256.Sum256([]byte("a picture"))
	store := s3.New(awsconf.S3(awsconf.ForEndpoint("http://127.0.0.1:9")))
	signed, err := store.PresignPut(t.Context(), "acme-media", "in/1", objects.Content{Size: 9, SHA256: sum[:], Type: "image/jpeg"}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	var sends []string
	for name := range signed.Header {
		if name = strings.ToLower(name); name != "host" && name != "content-length" { // the browser's own
			sends = append(sends, name)
		}
	}
	if slices.Sort(sends); !slices.Equal(sends, signedHeaders) {
		t.Fatalf("it is signed for %v, allowed are %v", sends, signedHeaders)
	}
	manual, err := os.ReadFile("../../docs/uploads.md")
	if err != nil {
		t.Fatal(err)
	}
	if rule := `"AllowedHeaders": ["` + strings.Join(signedHeaders, `", "`) + `"]`; !strings.Contains(string(manual), rule) {
		t.Errorf("docs/uploads.md does not say %s", rule)
	}
}

// A bucket of nobody's pages has no rule: whoever opens it to browsers says so.
func TestANewBucketLetsPagesOfTheOriginsPutAndNobodyElse(t *testing.T) {
	rule := func(origins any) object {
		return object{"BucketName": "acme-media", "CorsConfiguration": origins}
	}
	theUsual(t).has(t, "AWS::S3::Bucket", rule(assertions.Match_Absent()))
	props := usual(t)
	props.Origins = []string{"https://app.example.com"}
	synthesize(t, props).has(t, "AWS::S3::Bucket", rule(object{"CorsRules": []any{object{
		"AllowedOrigins": []any{"https://app.example.com"}, "AllowedMethods": []any{"PUT"}, "MaxAge": 3000,
		"AllowedHeaders": []any{"content-type", "if-none-match", "x-amz-checksum-sha256"},
	}}}))
}
