package intake_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/intake/validate"
	ledger "github.com/strandline-dev/strandline/shared/ledger/memory"
	objects "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// exampleUploads is a service on stores in memory; an application has
// ledger/dynamo and objects/s3 instead.
func exampleUploads() (*intake.Service, error) {
	now := func() time.Time { return time.Date(2026, 3, 9, 8, 0, 0, 0, time.UTC) }
	records, store := ledger.New(), objects.New(now)
	store.CreateBucket("uploads", objects.BucketOptions{})
	return intake.New(intake.Config{
		Records: records, Lookups: records, Objects: store, Policy: policy.Default(), Now: now,
		Uploads: intake.Uploads{Bucket: "uploads", Prefix: "in", Limits: validate.Limits{
			Kinds: map[string]validate.Rules{
				"invoice": {MaxBytes: 20 << 20, Types: []validate.Type{validate.PDF(), validate.PNG()}},
			},
			Tenants: map[string]map[string]validate.Rules{ // who pays for more
				"acme": {"invoice": {MaxBytes: 5 << 30, Types: []validate.Type{validate.PDF()}}},
			},
		}},
	})
}

// takeInvoice is how an application's HTTP handler takes a file: it hands over
// the body as it comes, and answers with what came of it.
func takeInvoice(service *intake.Service) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		owner := intake.Owner{Tenant: "acme", ID: "ann", QuotaLimit: 100} // of the session
		done, err := service.Upload(r.Context(), owner, r.Body, intake.Meta{
			Kind: "invoice", Name: r.Header.Get("File-Name"), Size: r.ContentLength,
			IdempotencyKey: r.Header.Get("Idempotency-Key"),
			Hold:           24 * time.Hour, // until a row refers to it
		})
		if err == nil {
			_, _ = fmt.Fprintf(w, "%s, %d bytes of %s", done.Name, done.Size, done.Type)
			return
		}
		why, theirs := intake.Explain(err)
		switch {
		case !theirs:
			http.Error(w, "Something went wrong here: try again in a minute.", http.StatusServiceUnavailable)
		case errors.Is(err, intake.ErrInvalid):
			http.Error(w, string(why.Field)+": "+why.Sentence, http.StatusUnprocessableEntity)
		default: // quota, duplicate, key
			http.Error(w, string(why.Field)+": "+why.Sentence, http.StatusConflict)
		}
	}
}

// An HTTP handler takes files: a good one, one that is not what it says, and
// the good one again, under its key and under none.
func ExampleService_Upload() {
	service, err := exampleUploads()
	if err != nil {
		fmt.Println(err)
		return
	}
	handle := takeInvoice(service)
	for _, sent := range []struct{ name, key, body string }{
		{`C:\Users\ann\march.pdf`, "order-17", "%PDF-1.7 the invoice of march"},
		{"march.pdf", "", "MZ\x90\x00 a program"},
		{"march.png", "", "%PDF-1.7 a document"},
		{`C:\Users\ann\march.pdf`, "order-17", "%PDF-1.7 the invoice of march"},
		{"again.pdf", "", "%PDF-1.7 the invoice of march"},
	} {
		request := httptest.NewRequest(http.MethodPut, "/invoices", strings.NewReader(sent.body))
		request.Header.Set("File-Name", sent.name)
		request.Header.Set("Idempotency-Key", sent.key)
		answer := httptest.NewRecorder()
		handle(answer, request)
		fmt.Println(answer.Code, strings.TrimSpace(answer.Body.String()))
	}

	// Output:
	// 200 march.pdf, 29 bytes of application/pdf
	// 422 file: The file's content is application/vnd.microsoft.portable-executable, which is not taken here: choose a file of the type application/pdf.
	// 422 name: Files with this extension are not taken: choose one that ends in one of .pdf.
	// 200 march.pdf, 29 bytes of application/pdf
	// 409 file: You have uploaded exactly this file before: use the one that is there.
}

// A row refers to its upload; the last row that goes takes the upload with it.
// Were the process to die between the two, the upload would go when its hold is
// over.
func ExampleService_AddReference() {
	service, err := exampleUploads()
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := httptest.NewRequest(http.MethodPut, "/", nil).Context()
	done, err := service.Upload(ctx, intake.Owner{Tenant: "acme", ID: "ann"}, strings.NewReader("%PDF-1.7 one"), intake.Meta{
		Kind: "invoice", Name: "one.pdf", Hold: 24 * time.Hour,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	row := upload.Reference{Source: "invoices", Entity: "row-1", Generation: 1}
	fmt.Println("referred:", service.AddReference(ctx, done.ID, row, 0) == nil)
	fmt.Println("dropped:", service.DropReference(ctx, done.ID, row) == nil)
	again := service.AddReference(ctx, done.ID, row, 0)
	fmt.Println("a dropped one is used up:", errors.Is(again, upload.ErrReferenceUsed))

	// Output:
	// referred: true
	// dropped: true
	// a dropped one is used up: true
}
