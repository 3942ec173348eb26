// Package localstack starts and stops clouds on this machine: ministack, an
// emulator of S3, DynamoDB, SQS, Lambda and more, and LocalStack, a second
// opinion about S3 and SQS, each at one pinned version.
//
// The first start installs an emulator into the project's .tools folder, from
// hashes that requirements-*.txt pin. Ministack needs Python 3.10 or newer and
// about 20 seconds, LocalStack Python 3.12 or 3.13 and about a minute. Every
// start after that takes seconds and gives an emulator of its own: empty, on a
// free loopback port, its state in a folder that Stop removes.
//
// Where a machine has no PostgreSQL, its programs come the same way; the tests
// of the outbox start them.
//
// The package writes nowhere but below .tools, listens nowhere but on
// 127.0.0.1, and leaves no process behind. It knows nothing of tables, queues
// and buckets: what is created on the endpoint is the caller's affair.
package localstack
