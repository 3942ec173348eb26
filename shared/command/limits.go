package command

import (
	"strings"
	"time"
	"unicode/utf8"
)

// MaxBatch is how many messages one call sends, or receives
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html).
const MaxBatch = 10

// MaxHide is the longest that a message is hidden. SQS allows 12 hours counted
// from its receipt
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html);
// a function that received it may have lived for 15 minutes by then.
const MaxHide = 12*time.Hour - 15*time.Minute

// HideFor is what a queue makes of a wish to hide a message for d: whole
// seconds, rounded up, from zero to [MaxHide].
func HideFor(d time.Duration) time.Duration {
	d = max(0, min(d, MaxHide))
	whole := d.Truncate(time.Second)
	if whole < d {
		whole += time.Second
	}
	return whole
}

// MaxDeadReason bounds the reason that goes with a dead letter, in bytes.
const MaxDeadReason = 512

// DeadReason is the reason as it goes with a dead letter: of bounded length,
// never empty, and only characters that an SQS attribute may hold
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html).
func DeadReason(reason string) string {
	clean := strings.Map(attributeCharacter, strings.ToValidUTF8(reason, "?"))
	for len(clean) > MaxDeadReason {
		_, size := utf8.DecodeLastRuneInString(clean)
		clean = clean[:len(clean)-size]
	}
	if strings.TrimSpace(clean) == "" {
		return "no reason given"
	}
	return clean
}

func attributeCharacter(r rune) rune {
	if r < ' ' || r == 0x7f || r == 0xfffe || r == 0xffff {
		return ' '
	}
	return r
}
