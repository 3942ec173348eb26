package upload

// protocol is the state table, in the order of the specification's §2.
var protocol = table{rows: append(append(append([]row{}, writerRows...), ownerRows...), cleanupRows...)}

var writing = []State{StateReceiving, StateAssembling, StateExpired}

// writerRows is what a writer does, fence in hand.
var writerRows = []row{
	{
		name: "reserve", on: KindReserve, from: []State{StateNone},
		guards: []guard{leaseBounded, deadlinePositive, reserveValid},
		apply:  applyReserve,
	},
	{
		name: "acquire", on: KindAcquire, from: writing,
		guards: []guard{markedReceiving, leaseOverOrSameHolder, leaseBounded, deadlinePositive},
		apply:  applyAcquire,
	},
	{
		name: "renew", on: KindRenew, from: writing,
		guards: []guard{markedReceiving, fenceEqual, leaseBounded},
		apply:  applyRenew,
	},
	{
		name: "heartbeat", on: KindHeartbeat, from: writing,
		guards: []guard{markedReceiving, fenceEqual},
		apply:  func(s *step) { s.active() },
	},
	{
		name: "declare", on: KindDeclare, from: writing,
		guards: []guard{markedReceiving, fenceEqual, declareBounded, multipartsDeclared, expectedOnce},
		apply:  applyDeclare,
	},
	{
		name: "record-object", on: KindRecordObject, from: writing,
		guards: []guard{markedReceiving, fenceEqual, objectDeclared, objectExpected},
		apply:  applyRecordObject,
	},
	{
		name: "begin-assembly", on: KindBeginAssembly, from: []State{StateReceiving},
		guards: []guard{fenceEqual},
		apply: func(s *step) {
			s.active()
			s.record.State = StateAssembling
		},
	},
	{
		name: "complete", on: KindComplete, from: []State{StateReceiving, StateAssembling},
		guards: []guard{fenceEqual, everyListedKnown, holdAhead},
		apply:  applyComplete,
	},
}

var givable = []State{StateReceiving, StateAssembling, StateComplete, StateExpired}

// ownerRows is what an application does with an upload it owns.
var ownerRows = []row{
	{
		name: "adopt", on: KindAdopt, from: []State{StateNone},
		guards: []guard{adoptValid},
		apply:  applyAdopt,
	},
	{
		name: "cancel", on: KindCancel, from: givable,
		guards: []guard{fenceEqual, noReferences},
		apply:  func(s *step) { s.cancel(s.event.(Cancel).Reason) },
	},
	{
		name: "release", on: KindRelease, from: givable,
		guards: []guard{ownerEqual, noReferences},
		apply:  func(s *step) { s.cancel(s.event.(Release).Reason) },
	},
	{
		name: "add-reference to complete", on: KindAddReference, from: []State{StateComplete},
		guards: []guard{referenceValid},
		apply:  func(s *step) { s.addReference(s.event.(AddReference).Reference) },
	},
	{
		name: "add-reference to cancelled", on: KindAddReference, from: []State{StateCancelled},
		guards: []guard{referenceValid, completedBefore},
		apply:  applyRevive,
	},
	{
		name: "drop-reference", on: KindDropReference, from: []State{StateComplete},
		guards: []guard{hasReference},
		apply:  applyDropReference,
	},
	{
		name: "extend-hold of receiving", on: KindExtendHold, from: []State{StateReceiving},
		guards: []guard{holdLater},
		apply:  applyExtendHold,
	},
	{
		name: "extend-hold of held", on: KindExtendHold, from: []State{StateExpired, StateComplete},
		guards: []guard{hasHold, holdLater},
		apply:  applyExtendHold,
	},
}

// cleanupRows is what scheduler, worker, reconciler and operator do.
var cleanupRows = []row{
	{
		name: "defer", on: KindDefer,
		from:   []State{StateReceiving, StateAssembling, StateExpired, StateComplete},
		guards: []guard{versionEqual, hasDue, notEligible, laterDue},
		apply:  applyDefer,
	},
	{
		name: "repair", on: KindRepair, from: []State{StateReceiving},
		guards: []guard{policySafe, versionEqual, cutoffPast, noHold, deadlineOver, activityOver},
		apply:  func(s *step) { s.cancel("timed out") },
	},
	{
		name: "expire receiving", on: KindExpire, from: []State{StateReceiving},
		guards: []guard{policySafe, versionEqual, cutoffPast, hasHold, holdOver, activityOver},
		apply:  applyExpire,
	},
	{
		name: "expire complete", on: KindExpire, from: []State{StateComplete},
		guards: []guard{policySafe, versionEqual, cutoffPast, noReferences, hasHold, holdOver, activityOver},
		apply:  applyExpire,
	},
	{
		name: "claim expired", on: KindClaim, from: []State{StateExpired},
		guards: []guard{policySafe, versionEqual, cutoffPast, secondGraceOver, holdOver, deadlineGraceOver, noReferences},
		apply:  applyClaim,
	},
	{
		name: "claim cancelled", on: KindClaim, from: []State{StateCancelled},
		guards: []guard{policySafe, versionEqual, cutoffPast, dueByCutoff, leaseOver, noReferences},
		apply:  applyClaim,
	},
	{
		name: "trim", on: KindTrim, from: []State{StateComplete},
		guards: []guard{policySafe, versionEqual, cutoffPast, supersededDue, everySupersededGone},
		apply:  applyTrim,
	},
	{
		name: "resupersede", on: KindResupersede, from: []State{StateComplete},
		guards: []guard{trimmedKey},
		apply:  applyResupersede,
	},
	{
		name: "reclaim", on: KindReclaim, from: []State{StateDeleting},
		guards: []guard{policySafe, notParked, leaseOver},
		apply:  applyReclaim,
	},
	{
		name: "continue", on: KindContinue, from: []State{StateDeleting},
		guards: []guard{fenceEqual, claimHeld, progressMade},
		apply:  applyContinue,
	},
	{
		name: "unclear", on: KindUnclear, from: []State{StateDeleting},
		guards: []guard{fenceEqual, claimHeld},
		apply:  func(s *step) { s.record.UncertainAt = s.now },
	},
	{
		name: "unclear trim", on: KindUnclear, from: []State{StateComplete},
		guards: []guard{fenceEqual, hasSuperseded},
		apply:  func(s *step) { s.record.UncertainAt = s.now },
	},
	{
		name: "retry", on: KindRetry, from: []State{StateDeleting},
		guards: []guard{fenceEqual}, // without a claim it is a repetition
		apply:  applyRetry,
	},
	{
		name: "unpark", on: KindUnpark, from: []State{StateDeleting},
		guards: nil, // not parked is a repetition
		apply:  applyUnpark,
	},
	{
		name: "finish", on: KindFinish, from: []State{StateDeleting},
		guards: []guard{fenceEqual, claimHeld, everyDeclaredGone},
		apply:  applyFinish,
	},
	{
		name: "reopen", on: KindReopen, from: []State{StateDeleted},
		guards: []guard{undeadOrReleased},
		apply:  applyReopen,
	},
	{
		name: "withdraw", on: KindWithdraw, from: []State{StateCancelled},
		guards: []guard{wasAdopted},
		apply:  applyWithdraw,
	},
}
