// Package inventory reads S3 Inventory: its manifest.json with checksum, and
// its CSV, Parquet and ORC files, all three as the same rows.
//
// Nothing is parsed before it is verified: the manifest against its checksum,
// every file against the size and MD5 that the manifest states. A file that
// cannot be read whole is an error that names the file (its position in the
// manifest) and the row; there are no partial answers. After an error nothing
// more comes, and what came before it must not be judged from.
//
// Write delivers an inventory in the same layout, in CSV or Parquet, for stores
// that have none of their own.
//
// Layout and columns:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-location.html
package inventory
