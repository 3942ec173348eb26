package checkup

import (
	"github.com/strandline-dev/strandline/shared/schema"
)

// What shared/schema describes, in the words of the facts.
const (
	tableKey   = schema.PartitionKey + " and " + schema.SortKey
	indexKey   = schema.DueShard + " and " + schema.DueAt
	projection = "KEYS_ONLY"
	stream     = "NEW_AND_OLD_IMAGES"
	active     = "ACTIVE"
)

func (j *judge) table() {
	look, t := j.facts.Table, j.facts.Table.Got
	o := j.on(CheckTable, "table %s", t.Name)
	if !seen(o, look, "dynamodb:DescribeTable", "name the ledger's table with --table (the stack's output LedgerName); look at the region") {
		for _, c := range []Check{CheckIndex, CheckRecovery, CheckTimeToLive, CheckStream} {
			j.on(c, "table").add(Unchecked, "the table was not seen", "see the table check")
		}
		return
	}
	switch {
	case t.Status != active:
		o.wrong("wait until it is; nothing is decided meanwhile", "its status is %s", t.Status)
	case t.Key != tableKey:
		o.wrong("this is another table: name the ledger's with --table", "its key is %s, not %s", t.Key, tableKey)
	default:
		o.ok("active")
	}
	if !t.Protected {
		o.note("deletion protection is off: aws dynamodb update-table --table-name %s --deletion-protection-enabled", t.Name)
	}
	j.index(t)
	j.recovery(t)
	j.timeToLive(t)
	j.stream(t)
}

func (j *judge) index(t Table) {
	o := j.on(CheckIndex, "index %s", schema.DueIndex)
	switch {
	case t.IndexStatus == "":
		o.wrong("deploy again: the stack makes it, and DynamoDB fills it from what is there", "there is none: nothing that is due is found")
	case t.IndexStatus != active:
		o.wrong("wait until it is filled; passes see only a part meanwhile", "its status is %s", t.IndexStatus)
	case t.Index != indexKey:
		o.wrong("delete the index and deploy again", "its key is %s, not %s", t.Index, indexKey)
	case t.Projection != projection:
		o.wrong("delete the index and deploy again: every heartbeat is written twice", "it projects %s, not %s", t.Projection, projection)
	default:
		o.ok("active, keys only")
	}
}

func (j *judge) recovery(t Table) {
	o := j.on(CheckRecovery, "table %s", t.Name)
	if !seen(o, t.PointInTime, "dynamodb:DescribeContinuousBackups", "look at the table's name and region") {
		return
	}
	if !t.PointInTime.Got {
		o.wrong("aws dynamodb update-continuous-backups --table-name "+t.Name+" --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true",
			"point-in-time recovery is off: a ledger that is lost stays lost")
		return
	}
	o.ok("point-in-time recovery is on")
}

func (j *judge) timeToLive(t Table) {
	o := j.on(CheckTimeToLive, "table %s", t.Name)
	if !seen(o, t.TimeToLive, "dynamodb:DescribeTimeToLive", "look at the table's name and region") {
		return
	}
	switch has := t.TimeToLive.Got; has {
	case schema.TTL:
		o.ok("on, by %s", has)
	case "":
		o.wrong("aws dynamodb update-time-to-live --table-name "+t.Name+" --time-to-live-specification Enabled=true,AttributeName="+schema.TTL,
			"it is off: tombstones and runs stay for ever")
	default:
		o.wrong("turn it off for that attribute and on for "+schema.TTL, "it is by %s: DynamoDB deletes items that live", has)
	}
}

func (j *judge) stream(t Table) {
	o := j.on(CheckStream, "table %s", t.Name)
	if t.Stream != stream {
		o.wrong("deploy again: the stack turns it on", "the stream is %s, not %s", orNone(t.Stream), stream)
		return
	}
	o.ok("new and old images")
}

func orNone(s string) string {
	if s == "" {
		return "off"
	}
	return s
}
