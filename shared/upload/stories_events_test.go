package upload

import (
	"fmt"
)

var storyID = ID{Tenant: "acme", Upload: "u-1842"}

// event reads an event from a line of a story. Fence and version are the
// record's own unless they are told.
func (s *story) event(k Kind, a args) (Event, error) {
	fence := a.number("fence", s.record.Fence)
	switch k {
	case KindReserve:
		return Reserve{
			ID: storyID, Owner: "o-7", QuotaLimit: a.number("quota", 0), ContentHash: a.text("hash", ""), Holder: a.text("who", "w1"),
			Lease: a.span(a.text("lease", "15m")), HoldUntil: a.instant("hold"), Deadline: a.span(a.text("deadline", "0s")),
			Bucket: "b", Prefix: "up", Declared: int(a.number("declared", 0)), IdempotencyKey: a.text("key", ""),
			Expect: a.expected(), ByEvents: a.text("by", "") == "events",
		}, nil
	case KindAdopt:
		return Adopt{ID: storyID, Source: a.text("source", "operator"), Orphan: a.text("orphan", "") != "", Objects: []Explicit{{
			Bucket: "b", Key: a.text("object", "old/logo.png"), VersionID: a.text("version", "v1"), ETag: "e", Size: 9, LastModified: dawn,
		}}}, nil
	case KindAcquire:
		return Acquire{Holder: a.text("who", "w1"), Lease: a.span(a.text("lease", "15m")), Deadline: a.span(a.text("deadline", "0s"))}, nil
	case KindRenew:
		return Renew{fence, a.span(a.text("lease", "15m"))}, nil
	case KindHeartbeat:
		return Heartbeat{fence}, nil
	case KindDeclare:
		return Declare{Fence: fence, Declared: int(a.number("declared", 1)), Expect: a.expected()}, nil
	case KindRecordObject:
		return RecordObject{
			Fence: fence, Seq: int(a.number("seq", 1)), VersionID: a.text("version", "v1"), Size: a.number("size", 5), Checksum: a.text("sum", ""),
		}, nil
	case KindBeginAssembly:
		return BeginAssembly{fence}, nil
	case KindComplete:
		if a.text("list", "") == "gathered" {
			list, _ := s.record.Manifest.Gathered()
			return Complete{Fence: fence, List: list}, nil
		}
		return Complete{Fence: fence, List: a.keys("list"), HoldUntil: a.instant("hold")}, nil
	}
	return s.ownersEvent(k, a, fence)
}

func (s *story) ownersEvent(k Kind, a args, fence int64) (Event, error) {
	ref := Reference{Source: "page", Entity: a.text("page", "p1"), Generation: a.number("generation", 1)}
	switch k {
	case KindCancel:
		return Cancel{fence, a.text("reason", "given up")}, nil
	case KindRelease:
		return Release{a.text("owner", "o-7"), a.text("reason", "not needed")}, nil
	case KindAddReference:
		return AddReference{ref, a.number("quota", 0)}, nil
	case KindDropReference:
		return DropReference{ref}, nil
	case KindExtendHold:
		return ExtendHold{a.instant("hold")}, nil
	case KindResupersede:
		return Resupersede{a.keys("key")[0]}, nil
	case KindUnpark:
		return Unpark{}, nil
	case KindReopen:
		return Reopen{Undead: a.text("undead", "") != ""}, nil
	case KindWithdraw:
		return Withdraw{a.text("reason", "restored")}, nil
	}
	return s.cleanupEvent(k, a, fence)
}

// cleanupEvent goes by a published command, named or the last.
func (s *story) cleanupEvent(k Kind, a args, fence int64) (Event, error) {
	c, known := s.commands[a.text("name", "c")]
	if !known {
		c = Command{Version: s.record.Version, Cutoff: s.instant().Add(-s.p.SafetyMargin)}
	}
	kept := Retained{Count: a.number("retained", 0), Until: a.instant("until"), Reason: a.text("reason", "")}
	worker := a.text("who", "A")
	token := a.text("token", worker+"-1")
	switch k {
	case KindDefer:
		return Defer{c.Version, c.Cutoff}, nil
	case KindRepair:
		return Repair{c.Version, c.Cutoff}, nil
	case KindExpire:
		return Expire{c.Version, c.Cutoff}, nil
	case KindClaim:
		return Claim{c.Version, c.Cutoff, worker, token}, nil
	case KindReclaim:
		return Reclaim{worker, token}, nil
	case KindTrim:
		return Trim{c.Version, c.Cutoff, a.number("gone", 0), kept}, nil
	case KindContinue:
		return Continue{fence, a.number("through", 0), kept}, nil
	case KindUnclear:
		return Unclear{fence}, nil
	case KindRetry:
		return Retry{fence, a.text("error", "access denied"), a.span(a.text("backoff", "1m"))}, nil
	case KindFinish:
		return Finish{fence, a.number("gone", 0), kept}, nil
	}
	return nil, fmt.Errorf("%q is no event and no command", k)
}
