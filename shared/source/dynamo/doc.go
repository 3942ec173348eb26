// Package dynamo reads the rows of applications' own DynamoDB tables.
//
// A global secondary index is never consistent: it may lag, and may have only
// some attributes. So what it finds is read once more, whole and consistently,
// by the table's own key: a row that is gone is none, and one that changed says
// so itself. Where the source's index is the table's own key, that one is read
// consistently.
//
// It needs dynamodb:Query on the index (or the table), and dynamodb:GetItem and
// dynamodb:DescribeTable on the table: which attributes are its key is asked
// once for each table. It writes nothing.
package dynamo
