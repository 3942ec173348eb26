package fault

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// part does a part of a call, and answers for the whole as the kind says.
func (t *Transport) part(r *http.Request, operation string, k Kind) (*http.Response, error) {
	switch operation {
	case "S3.DeleteObjects":
		return t.partOfDelete(r, k)
	case "SQS.SendMessageBatch":
		return t.partOfSend(r, k)
	case "DynamoDB.BatchGetItem":
		return unprocessed(r)
	}
	// A listing that says there is more, and not where.
	root := strings.TrimSuffix(strings.TrimPrefix(operation, "S3.List"), "s")
	discard(r.Body)
	name := map[string]string{"ObjectVersion": "ListVersionsResult", "MultipartUpload": "ListMultipartUploadsResult"}[root]
	return answer(r, http.StatusOK, "application/xml", fmt.Sprintf("<%s><IsTruncated>true</IsTruncated></%s>", name, name)), nil
}

// identifier names one version in a request to delete, and in its answer.
type identifier struct {
	Key       string `xml:"Key"`
	VersionID string `xml:"VersionId"`
}

type deleteRequest struct {
	XMLName xml.Name     `xml:"http://s3.amazonaws.com/doc/2006-03-01/ Delete"`
	Objects []identifier `xml:"Object"`
}

type deleteAnswer struct {
	XMLName xml.Name     `xml:"DeleteResult"`
	Deleted []identifier `xml:"Deleted"`
	Errors  []refused    `xml:"Error"`
}

type refused struct {
	identifier
	Code    string `xml:"Code"`
	Message string `xml:"Message"`
}

// partOfDelete deletes the first half, or all of it if only the answer is to be
// in part.
func (t *Transport) partOfDelete(r *http.Request, k Kind) (*http.Response, error) {
	var asked deleteRequest
	if err := xml.Unmarshal(whole(r), &asked); err != nil {
		return nil, fmt.Errorf("fault: read a request to delete: %w", err)
	}
	named, rest := asked.Objects[:len(asked.Objects)/2], asked.Objects[len(asked.Objects)/2:]
	done := named
	if k == PartUnnamed {
		done = asked.Objects
	}
	if err := t.deleting(r, done); err != nil {
		return nil, err
	}
	says := deleteAnswer{Deleted: named}
	switch k {
	case PartTimeout:
		return nil, broken(k)
	case PartThrottled, PartDenied:
		_, code := k.outcome()
		for _, id := range rest {
			says.Errors = append(says.Errors, refused{id, code, "injected"})
		}
	}
	body, err := xml.Marshal(says)
	if err != nil {
		return nil, err
	}
	return answer(r, http.StatusOK, "application/xml", string(body)), nil
}

func (t *Transport) deleting(r *http.Request, some []identifier) error {
	if len(some) == 0 {
		return nil
	}
	body, err := xml.Marshal(deleteRequest{Objects: some})
	if err != nil {
		return err
	}
	return t.lose(with(r, body))
}

// partOfSend sends the first half, or all of it if only the answer is to be in
// part.
func (t *Transport) partOfSend(r *http.Request, k Kind) (*http.Response, error) {
	var rest []any
	first := func(in map[string]any) {
		all := in["Entries"].([]any)
		in["Entries"], rest = all[:len(all)/2], all[len(all)/2:]
	}
	out := map[string]any{}
	if k == PartUnnamed {
		first = func(in map[string]any) { rest = in["Entries"].([]any)[len(in["Entries"].([]any))/2:] }
	}
	if err := t.sending(rewritten(r, first), out); err != nil {
		return nil, err
	}
	if k == PartUnnamed {
		named, _ := out["Successful"].([]any)
		out["Successful"] = named[:len(named)-min(len(rest), len(named))]
	} else {
		out["Failed"] = refusedEntries(rest)
	}
	body, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return answer(r, http.StatusOK, "application/x-amz-json-1.0", string(body)), nil
}

// sending sends a batch, unless nothing is left in it, and reads the answer.
func (t *Transport) sending(r *http.Request, out map[string]any) error {
	body := whole(r)
	var in struct{ Entries []any }
	if err := json.Unmarshal(body, &in); err != nil || len(in.Entries) == 0 {
		return err
	}
	got, err := t.next.Do(with(r, body))
	if err != nil {
		return err
	}
	defer got.Body.Close()
	said, err := io.ReadAll(got.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(said, &out)
}

// refusedEntries blame the sender: else the adapter would send them again, and
// succeed.
func refusedEntries(entries []any) []any {
	var failed []any
	for _, e := range entries {
		failed = append(failed, map[string]any{
			"Id": e.(map[string]any)["Id"], "Code": "InternalError", "Message": "injected", "SenderFault": true,
		})
	}
	return failed
}

// unprocessed answers a batch of reads with nothing, and all of it left to do.
func unprocessed(r *http.Request) (*http.Response, error) {
	var in struct{ RequestItems json.RawMessage }
	if err := json.Unmarshal(whole(r), &in); err != nil {
		return nil, fmt.Errorf("fault: read a request for items: %w", err)
	}
	return answer(r, http.StatusOK, "application/x-amz-json-1.0",
		fmt.Sprintf(`{"Responses":{},"UnprocessedKeys":%s}`, in.RequestItems)), nil
}
