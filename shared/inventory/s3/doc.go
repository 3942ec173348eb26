// Package s3 is one bucket of S3 as a place of inventories and key lists: to
// read them from (inventory.InBucket) and to write them to (inventory.Write).
package s3
