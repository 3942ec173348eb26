package purging

import (
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/shared/schema"
)

// one is what a plain loop does about one upload.
type one struct {
	read          *dynamodb.GetItemInput
	claim, finish *dynamodb.PutItemInput
	deletes       []*awss3.DeleteObjectInput
}

// byUpload sorts the calls by upload, in the order of the claims.
func (c calls) byUpload() ([]*one, error) {
	var all []*one
	of := map[string]*one{}
	for _, in := range c {
		switch in := in.(type) {
		case *dynamodb.PutItemInput:
			key := partitionOf(in.Item)
			if u := of[key]; u != nil {
				u.finish = in
				continue
			}
			u := &one{claim: in, read: &dynamodb.GetItemInput{
				TableName: in.TableName, ConsistentRead: aws.Bool(true),
				Key: map[string]types.AttributeValue{
					schema.PartitionKey: in.Item[schema.PartitionKey], schema.SortKey: in.Item[schema.SortKey],
				},
			}}
			of[key] = u
			all = append(all, u)
		case *awss3.DeleteObjectsInput:
			for _, o := range in.Delete.Objects {
				upload := strings.Split(aws.ToString(o.Key), "/")[2]
				u := of["T#acme#U#"+upload]
				if u == nil {
					return nil, errors.New("an object is deleted of an upload that was not claimed")
				}
				u.deletes = append(u.deletes, &awss3.DeleteObjectInput{Bucket: in.Bucket, Key: o.Key, VersionId: o.VersionId})
			}
		}
	}
	return all, nil
}

// partitionOf is an item's first key.
func partitionOf(item map[string]types.AttributeValue) string {
	key, _ := item[schema.PartitionKey].(*types.AttributeValueMemberS)
	if key == nil {
		return ""
	}
	return key.Value
}
