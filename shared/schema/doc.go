// Package schema describes what an installation consists of: the ledger's
// table with its index, the queues, the buckets, and their settings. It is the
// one description that infra/ deploys from and schema/create creates from on
// any endpoint. It holds names and numbers; it calls nothing.
package schema
