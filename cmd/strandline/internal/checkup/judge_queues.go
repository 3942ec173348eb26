package checkup

import (
	"strings"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
)

// receivesPerAttempt is how many receives that are no attempts (a closed gate,
// a throttle, another's claim) each attempt may cost before the queue may give
// a message up.
const receivesPerAttempt = 20

func (j *judge) queues() {
	if o := j.on(CheckQueue, "queue of commands"); seen(o, j.facts.Queue, "sqs:GetQueueAttributes", "name it with --queue-url (the stack's output PurgeQueueUrl)") {
		j.commands(j.facts.Queue.Got)
		j.depth(j.facts.Queue.Got)
	} else {
		j.on(CheckDepth, "queue of commands").add(Unchecked, "the queue was not seen", "see the queue check")
	}
	if o := j.on(CheckDead, "queue of dead letters"); seen(o, j.facts.DeadLetters, "sqs:GetQueueAttributes", "name it with --dead-letter-url (the stack's output PurgeDeadQueueUrl)") {
		j.dead(j.facts.DeadLetters.Got)
	}
}

// set is how a queue's attribute is set on the command line.
func set(q Queue, attribute string) string {
	return "aws sqs set-queue-attributes --queue-url URL --attributes " + attribute + " (of queue " + q.Name + ")"
}

// commands judges the settings; what is in order is one line.
func (j *judge) commands(q Queue) {
	o, before := j.on(CheckQueue, "queue %s", q.Name), len(j.all)
	if strings.HasSuffix(q.Name, ".fifo") {
		o.wrong("make a standard queue: deploy again", "it is a FIFO queue: one upload that waits makes others wait")
	}
	if least := max(j.policy.VisibilityTimeout, 6*j.policy.WorkerTimeout); q.Visibility < least {
		o.wrong(set(q, "VisibilityTimeout="+seconds(least)),
			"it hides a message for %s, less than %s: a batch is delivered again while it is worked on", spell(q.Visibility), spell(least))
	}
	if least := 2 * j.policy.RepublishAfter; q.Retention < least {
		o.wrong(set(q, "MessageRetentionPeriod="+seconds(14*24*time.Hour)),
			"it keeps a message for %s, less than %s (2 × RepublishAfter)", spell(q.Retention), spell(least))
	}
	j.redrive(o, q)
	if len(j.all) == before {
		o.ok("hides a message for %s, keeps it for %s, gives it up after %d receives", spell(q.Visibility), spell(q.Retention), q.Receives)
	}
}

func (j *judge) redrive(o on, q Queue) {
	dead := j.facts.DeadLetters
	least := j.policy.MaxAttempts * receivesPerAttempt
	switch {
	case q.Redrive == "":
		o.wrong(set(q, "RedrivePolicy=…, or deploy again"), "it has no dead-letter queue: a message that kills its worker comes back until it is too old")
	case dead.Seen && dead.Got.ARN != q.Redrive:
		o.wrong("give the other with --dead-letter-url, or deploy again",
			"its dead letters go to %s, and --dead-letter-url is %s", lastOf(q.Redrive), dead.Got.Name)
	case q.Receives < least:
		o.wrong(set(q, "RedrivePolicy=… with a maxReceiveCount of 1000"),
			"it gives a message up after %d receives, fewer than %d: waits and throttles are receives too, the ledger counts the attempts", q.Receives, least)
	}
}

func (j *judge) depth(q Queue) {
	o := j.on(CheckDepth, "queue %s", q.Name)
	if q.Depth > j.policy.QueueHighWater {
		o.wrong("see whether workers run and the gate is open (strandline mode); passes publish again below it",
			"%d messages, more than QueueHighWater (%d): passes publish nothing", q.Depth, j.policy.QueueHighWater)
		return
	}
	o.ok("%d messages, QueueHighWater is %d", q.Depth, j.policy.QueueHighWater)
}

func (j *judge) dead(d Queue) {
	o, before := j.on(CheckDead, "queue %s", d.Name), len(j.all)
	if q := j.facts.Queue; q.Seen && d.Retention < q.Got.Retention {
		// SQS counts a message's age from when it was first sent.
		o.wrong(set(d, "MessageRetentionPeriod="+seconds(q.Got.Retention)),
			"it keeps a message for %s, less than the queue of commands (%s): one that waited there is gone at once", spell(d.Retention), spell(q.Got.Retention))
	}
	if d.Depth > 0 {
		o.wrong("strandline dlq list shows why; then strandline dlq redrive", "%s wait for a person", show.Counted(d.Depth, "message"))
	}
	if len(j.all) > before {
		return
	}
	o.ok("empty; keeps a message for %s", spell(d.Retention))
}

func lastOf(arn string) string { return arn[strings.LastIndex(arn, ":")+1:] }
