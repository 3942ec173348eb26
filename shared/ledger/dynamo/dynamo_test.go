package dynamo

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/ledger/ledgertest"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/create"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

func TestDynamoKeepsTheLedgersContractOverTheWire(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) ledgertest.Ledger { return open(t) })
}

// open returns an empty ledger in a table of its own.
func open(t *testing.T, options ...func(*dynamodb.Options)) *Store {
	t.Helper()
	cfg := localstacktest.Config(t)
	prefix := "t" + strings.ToLower(rand.Text())
	in, err := schema.New(prefix, policy.Default())
	if err != nil {
		t.Fatal(err)
	}
	made, err := create.Create(t.Context(), create.For(cfg), in)
	if err == nil {
		err = made.KeepExpired(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return New(awsconf.DynamoDB(cfg, options...), in.Ledger.Name)
}
