package s3

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Codes of results that the service did not give.
const (
	codeCancelled    = "cancelled"    // the context ended before anything was sent
	codeUnanswered   = "unanswered"   // asked for, and not in the answer
	codeContradicted = "contradicted" // both deleted and in error
	codeBroken       = "no answer"    // the call broke
)

// Delete deletes exactly these versions and answers for each, in the same
// order. It takes at most objects.MaxPerDelete: with more, a caller has lost
// count of the slots it holds, and nothing is sent.
//
// There is no error: what failed as a whole is the outcome of each. The call
// is sent once. Repeating it would be harmless for these versions, but an
// answer of "absent" to the second attempt would hide that the first was
// unclear, and the deletes would not be what the gate has counted.
func (s *Store) Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result {
	results := objects.Checked(bucket, versions)
	found := answers{}
	var batch, single []entry
	for _, r := range results {
		e := entry{r.Condemned.Key(), r.Condemned.VersionID()}
		if _, twice := found[e]; twice || r.Refused() {
			continue
		}
		found[e] = answer{outcome: objects.Unclear, code: codeUnanswered}
		if objects.Alone(e.key) {
			single = append(single, e)
			continue
		}
		batch = append(batch, e)
	}
	s.deleteBatch(ctx, bucket, batch, found)
	s.deleteSingle(ctx, bucket, single, found)
	s.explainDenied(ctx, bucket, found)
	for i, r := range results {
		if !r.Refused() {
			a := found[entry{r.Condemned.Key(), r.Condemned.VersionID()}]
			results[i].Outcome, results[i].Retained, results[i].Code = a.outcome, a.retained, a.code
		}
	}
	return results
}

// entry is one version on the wire. Both parts are needed to know it: many
// keys have a version called null.
type entry struct{ key, versionID string }

type answer struct {
	outcome  objects.Outcome
	retained upload.Retained
	code     string
	// own: given for this very version, not for the call it was in.
	own bool
}

// answers holds one answer for each version that was asked for, and for no
// other.
type answers map[entry]answer

// set answers for an entry, if it was asked for.
func (a answers) set(e entry, outcome objects.Outcome, code string) {
	if _, asked := a[e]; asked {
		a[e] = answer{outcome: outcome, code: code, own: true}
	}
}

// all answers for entries whose call failed as a whole.
func (a answers) all(entries []entry, outcome objects.Outcome, code string) {
	for _, e := range entries {
		a[e] = answer{outcome: outcome, code: code}
	}
}

func (s *Store) deleteBatch(ctx context.Context, bucket string, batch []entry, found answers) {
	if len(batch) == 0 {
		return
	}
	if ctx.Err() != nil {
		found.all(batch, objects.Failed, codeCancelled)
		return
	}
	asked := make([]types.ObjectIdentifier, len(batch))
	for i, e := range batch {
		asked[i] = types.ObjectIdentifier{Key: aws.String(e.key), VersionId: aws.String(e.versionID)}
	}
	out, err := s.client.DeleteObjects(ctx, &awss3.DeleteObjectsInput{
		Bucket: aws.String(bucket),
		Delete: &types.Delete{Objects: asked, Quiet: aws.Bool(false)},
	}, once)
	if err != nil {
		outcome, code := failed(err)
		found.all(batch, outcome, code)
		return
	}
	found.read(out)
}

// once keeps the client from repeating a call.
func once(o *awss3.Options) { o.Retryer = aws.NopRetryer{} }

// failed is what a failed call means for each version in it. Without an answer
// nobody knows that nothing was done, whatever the client's error may be.
func failed(err error) (objects.Outcome, string) {
	code, status := answerOf(err)
	outcome := outcomeOf(awsconf.Kind(err))
	if code == "" {
		code = codeBroken
	}
	if outcome == objects.Failed && status == 0 {
		outcome = objects.Unclear
	}
	return outcome, code
}

// read takes what a 200 says: nothing about the whole, something about each.
func (a answers) read(out *awss3.DeleteObjectsOutput) {
	for _, d := range out.Deleted {
		a.set(entry{aws.ToString(d.Key), aws.ToString(d.VersionId)}, objects.Gone, "")
	}
	for _, e := range out.Errors {
		at := entry{aws.ToString(e.Key), aws.ToString(e.VersionId)}
		if a[at].outcome == objects.Gone {
			a.set(at, objects.Unclear, codeContradicted)
			continue
		}
		a.set(at, outcomeOfEntry(aws.ToString(e.Code)), aws.ToString(e.Code))
	}
}

// outcomeOfEntry is what an error entry under a 200 means. A version that is
// not there is gone, whoever removed it. A code without a kind says that this
// version was not deleted.
func outcomeOfEntry(code string) objects.Outcome {
	kind := awsconf.KindOfCode(code)
	if errors.Is(kind, upload.ErrAbsent) {
		return objects.Gone
	}
	return outcomeOf(kind)
}
