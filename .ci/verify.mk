# The steps of `make verify`, and what each of them waits for; `make verify`
# runs them two at a time. Not to be run by itself.
#
# What is said here is about time alone: two cores are the machine that this is
# made for, and with an empty cache most of the time is the compiler's.

# One form of everything for vet, lint, test, infra, second, and the functions'
# own binaries, which are built like this: else each would compile the CDK, the
# SDK and the standard library anew. The race detector and arm64 have theirs.
export CGO_ENABLED := 0
export GOFLAGS     := $(strip $(shell go env GOFLAGS) -trimpath)

# Vet is a step of its own, and looks at more.
export TEST_FLAGS  := -vet=off

STEPS := fmt tools vet race lint infra test fuzz second synth size

.PHONY: verify $(STEPS)
verify: $(STEPS)

# vet compiles what these only link; tools fetches what they start.
lint race test infra second fuzz synth: vet tools

# The tests with the race detector take longest, and wait for much: what else
# there is goes on beside them.
$(STEPS):
	+@.ci/step $(MAKE) $@
