package fault

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// impossible makes of a conditional write one whose condition cannot hold. The
// service itself then refuses it, and shows the item as it really is.
var impossible = map[string]func(*http.Request) *http.Request{
	"DynamoDB.PutItem":    func(r *http.Request) *http.Request { return rewritten(r, neverHolds) },
	"DynamoDB.UpdateItem": func(r *http.Request) *http.Request { return rewritten(r, neverHolds) },
	"DynamoDB.TransactWriteItems": func(r *http.Request) *http.Request {
		return rewritten(r, func(in map[string]any) {
			first := in["TransactItems"].([]any)[0].(map[string]any)
			for _, write := range first {
				neverHolds(write.(map[string]any))
			}
			delete(in, "ClientRequestToken") // it is not the same request any more
		})
	},
}

func neverHolds(write map[string]any) {
	const never = "attribute_exists(nobody_has_this)"
	if given, ok := write["ConditionExpression"].(string); ok {
		write["ConditionExpression"] = "(" + given + ") AND " + never
		return
	}
	write["ConditionExpression"] = never
}

// rewritten is the request with its JSON changed. Its signature does not fit any
// more: this is for emulators, which check none.
func rewritten(r *http.Request, change func(map[string]any)) *http.Request {
	var in map[string]any
	body := whole(r)
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&in); err != nil {
		return with(r, body) // not ours to judge: the service will
	}
	change(in)
	changed, err := json.Marshal(in)
	if err != nil {
		return with(r, body)
	}
	return with(r, changed)
}

// whole reads a request's body.
func whole(r *http.Request) []byte {
	if r.Body == nil {
		return nil
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(r.Body) // it comes from memory
	return body
}

// with is the request with another body, and without what was said of the first.
func with(r *http.Request, body []byte) *http.Request {
	again := r.Clone(r.Context())
	for name := range again.Header {
		if len(name) > len("X-Amz-Checksum-") && name[:len("X-Amz-Checksum-")] == "X-Amz-Checksum-" {
			again.Header.Del(name)
		}
	}
	again.Header.Del("Content-Length")
	again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return again
}
