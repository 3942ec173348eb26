package sqs

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// hashedGroup begins the group of a tenant whose id SQS would refuse.
const hashedGroup = "sha256-"

// Group is the MessageGroupId of a tenant: its id where SQS takes it, else a
// hash. SQS takes up to 128 letters, digits and ASCII punctuation
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatchRequestEntry.html).
func Group(tenant string) string {
	plain := !strings.ContainsFunc(tenant, func(r rune) bool { return r <= ' ' || r >= 0x7f })
	if plain && !strings.HasPrefix(tenant, hashedGroup) {
		return tenant
	}
	sum := sha256.Sum256([]byte(tenant))
	return hashedGroup + hex.EncodeToString(sum[:])
}
