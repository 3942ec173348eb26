package sim

// RunBroken makes the run of a seed in a world with a quirk.
func RunBroken(seed uint64, clock Clock, broken string) Outcome {
	return run(seed, nil, MaxSteps, clock, quirk(broken))
}

// Quirks are those that there are, and the invariant that falls.
func Quirks() map[string]string {
	return map[string]string{
		string(unconditional): "8",
		string(byPrefix):      "2",
		string(liveToo):       "4",
		string(alwaysGone):    "13",
		string(everOpen):      "gate",
		string(freeSlots):     "gate",
		string(ownClock):      "clock",
		string(silent):        "trail",
		string(forgetful):     "14",
		string(tornLists):     "13",
	}
}
