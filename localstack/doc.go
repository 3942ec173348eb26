// Package localstack starts and stops a cloud on this machine: ministack, an
// emulator of S3, DynamoDB, SQS, Lambda and more, at one pinned version.
//
// The first start installs it into the project's .tools folder, from hashes
// that requirements.txt pins; this needs Python 3.10 or newer and takes about
// 20 seconds. Every start after that takes under a second and gives an
// emulator of its own: empty, on a free loopback port, its state in a folder
// that Stop removes.
//
// The package writes nowhere but below .tools, listens nowhere but on
// 127.0.0.1, and leaves no process behind. It knows nothing of tables, queues
// and buckets: what is created on the endpoint is the caller's affair.
package localstack
