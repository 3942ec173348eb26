package intake_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/intake/validate"
	"github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/policy"
)

// An application on AWS makes one service for its process. Region and
// credentials are found as the AWS SDK finds them; the table is that of the
// installation.
func ExampleNew() {
	cloud, err := awsconf.Load(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	table := dynamo.New(awsconf.DynamoDB(cloud), os.Getenv("STRANDLINE_TABLE"))
	service, err := intake.New(intake.Config{
		Records: table, Lookups: table, Objects: s3.New(awsconf.S3(cloud)), Policy: policy.Default(), Now: time.Now,
		Uploads: intake.Uploads{Bucket: "my-uploads", Prefix: "in", Limits: validate.Limits{
			Kinds: map[string]validate.Rules{"invoice": {MaxBytes: 20 << 20, Types: []validate.Type{validate.PDF()}}},
		}},
	})
	fmt.Println(service != nil, err)
}
