package intake_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/create"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

// newWireWorld is a world over the wire: a tenant of its own in the
// installation of this process. The ledger's clock is the story's; the store
// has its own, so a presigned URL lives by that.
func newWireWorld(t *testing.T) *world {
	t.Helper()
	clients := create.For(localstacktest.Config(t))
	in, err := installation(clients)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, ctx: t.Context(), policy: policy.Default(), clock: morning,
		tenant: strings.ToLower(rand.Text()), bucket: in.Buckets[0].Name, redeem: sendPresigned,
	}
	w.ledger, w.store = dynamo.New(clients.DynamoDB, in.Ledger.Name), s3.New(clients.S3)
	t.Cleanup(w.checkInvariants)
	return w
}

var wire struct {
	once sync.Once
	in   schema.Installation
	err  error
}

// installation is the one of this process, created at the first call.
func installation(clients create.Clients) (schema.Installation, error) {
	wire.once.Do(func() {
		wire.in, wire.err = schema.New("intake-"+strings.ToLower(rand.Text()), policy.Default(), "uploads")
		if wire.err == nil {
			var made *create.Created
			if made, wire.err = create.Create(context.Background(), clients, wire.in); wire.err == nil {
				wire.err = made.KeepExpired(context.Background())
			}
		}
	})
	return wire.in, wire.err
}

// sendPresigned does what the holder of a presigned put does.
func sendPresigned(p objects.Presigned, body []byte) error {
	req, err := http.NewRequest(p.Method, p.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = p.Header.Clone()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("presigned put: %s", resp.Status)
	}
	return nil
}
