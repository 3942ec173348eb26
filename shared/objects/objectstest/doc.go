// Package objectstest is the suite that every object store passes: memory, and
// S3 on a real wire. What only a wire has (broken connections, partial
// answers) is tested beside objects/s3.
package objectstest
