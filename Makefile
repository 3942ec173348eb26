# Targets are listed by `make help`. Works with GNU Make 3.81 and newer.

GOLANGCI_VERSION := v2.15.0
GOLANGCI_DIR     := $(CURDIR)/.tools/golangci-lint-$(GOLANGCI_VERSION)
GOLANGCI         := $(GOLANGCI_DIR)/golangci-lint

# Tags of what a plain build leaves out: it needs the CDK, or LocalStack.
EVERY_TAG := infra,second

# A Lambda binary may have this many bytes.
SIZE_LIMIT := 16000000

# The cdk command; infra/package-lock.json pins it too.
CDK_VERSION := 2.1148.1
CDK_DIR     := $(CURDIR)/.tools/aws-cdk-$(CDK_VERSION)
CDK         := $(CDK_DIR)/node_modules/.bin/cdk

# Else jsii writes a page about it before each synthesis.
export JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION := 18,20

# What make synth and make deploy are told: docs/deploy.md has the rest.
BUCKETS     ?=
NEW_BUCKETS ?=
SOURCES     ?=
STREAMS     ?=
MAIL        ?=
PREFIX      ?=
CDK_ARGS    ?=
CDK_CONTEXT = $(if $(BUCKETS),-c strandline:buckets=$(BUCKETS)) $(if $(NEW_BUCKETS),-c strandline:new-buckets=$(NEW_BUCKETS)) \
	$(if $(SOURCES),-c strandline:sources=$(abspath $(SOURCES))) $(if $(STREAMS),-c strandline:streams=$(STREAMS)) \
	$(if $(MAIL),-c strandline:mail=$(MAIL)) $(if $(PREFIX),-c strandline:prefix=$(PREFIX)) $(CDK_ARGS)
LAMBDAS    := scheduler worker reconciler recorder relay

# Hidden folders hold tools, not our sources.
GO_FILES = find . -name '.?*' -prune -o -name cdk.out -prune -o -name '*.go' -print

# Rows of the inventory that bench compares. 50000000 only on request.
BENCH_ROWS ?= 10000000

# How long each fuzz target runs, and what else cmd/fuzz is told (-match=, -list).
FUZZ_TIME  ?= 10s
FUZZ_FLAGS ?=

# How much make soak does: seeds of the simulation, time of each fuzz target.
SOAK_SEEDS ?= 5000
SOAK_FUZZ  ?= 2m

# What every go test here is told besides.
TEST_FLAGS ?=

LOCAL_TEST = STRANDLINE_CDK=$(CDK) go test $(TEST_FLAGS) -tags infra -count=1 -v -run '^TestLocal' ./infra

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test verify fmt vet lint race fuzz soak bench build size synth deploy local infra second tools clean \
	need-go need-python need-second need-gcc need-node need-buckets

help: ## list the targets
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{ printf "  make %-8s %s\n", $$1, $$2 }'

demo: need-go need-python ## run the whole story on an emulator on this machine
	@go run ./cmd/strandline demo

# grep reads to the end: go test, whom nobody listens to, leaves its folder behind.
test: need-go need-python ## run the protocol checker, then every test
	@go test $(TEST_FLAGS) -list '^TestProtocol' ./shared/upload/ | grep '^TestProtocolHoldsInEveryInterleaving' >/dev/null || \
		{ echo "the protocol checker is missing: no TestProtocolHoldsInEveryInterleaving in shared/upload"; exit 1; }
	go test $(TEST_FLAGS) -count=1 -run '^TestProtocol' -v ./shared/upload/
	go test $(TEST_FLAGS) -timeout 20m -skip '^TestProtocol' ./...

# What is missing is said first: minutes of tests are no use without it.
verify: need-go need-gcc need-python need-node ## fmt, vet, lint, race, test, fuzz, size, synth, infra and second, two at a time
	@$(MAKE) --no-print-directory -j 2 -f .ci/verify.mk verify

fmt: need-go ## fail on files that gofmt would change, and list them
	@files=$$($(GO_FILES) | xargs gofmt -l) || exit 1; \
	if [ -n "$$files" ]; then echo "not in gofmt's form, run gofmt -w on:"; echo "$$files"; exit 1; fi

vet: need-go ## run go vet, the deployment and the second cloud included
	go vet -tags $(EVERY_TAG) ./...

lint: need-go $(GOLANGCI) ## run golangci-lint on the same (the first time builds it: about 3 minutes)
	$(GOLANGCI) run --build-tags $(EVERY_TAG) ./...

race: need-go need-gcc need-python ## run every test with the race detector, the checker's bound reduced
	STRANDLINE_BOUNDS=reduced CGO_ENABLED=1 go test $(TEST_FLAGS) -timeout 20m -race ./...

fuzz: need-go ## run every fuzz target for FUZZ_TIME (10s), as many at once as there are processors
	@go run ./cmd/fuzz -time $(FUZZ_TIME) $(FUZZ_FLAGS)

# Full bounds: 200 processes killed, each call of the sweep failing in every way
# over HTTP, a body of 5 GiB, the checker's larger worlds.
soak: need-go need-python ## what takes an hour or more: SOAK_SEEDS (5000) seeds, full bounds, SOAK_FUZZ (2m) for each fuzz target
	@echo "soak: $(SOAK_SEEDS) seeds of the simulation, every test with full bounds, each fuzz target for $(SOAK_FUZZ)"
	go test -count=1 -timeout 2h -run '^TestSeeds' -v ./shared/sim -seeds $(SOAK_SEEDS)
	STRANDLINE_BOUNDS=full go test -count=1 -timeout 2h ./...
	@$(MAKE) --no-print-directory fuzz FUZZ_TIME=$(SOAK_FUZZ) FUZZ_FLAGS=-deep

bench: need-go need-python ## measure what docs/performance.md says (BENCH_ROWS=, BENCH_FLAGS=-short)
	@go run ./cmd/bench -rows $(BENCH_ROWS) $(BENCH_FLAGS)

build: need-go ## compile everything
	go build ./...

size: need-go ## build the Lambda binaries (linux/arm64) into dist/, fail above 16 MB
	@for name in $(LAMBDAS); do \
		mkdir -p dist/$$name || exit 1; \
		CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -tags lambda.norpc -trimpath -buildvcs=false \
			-ldflags='-s -w -buildid=' -o dist/$$name/bootstrap ./functions/$$name/bootstrap || exit 1; \
		bytes=$$(wc -c < dist/$$name/bootstrap | tr -d ' '); \
		echo "dist/$$name/bootstrap: $$bytes bytes of $(SIZE_LIMIT)"; \
		if [ $$bytes -gt $(SIZE_LIMIT) ]; then echo "$$name is too large"; exit 1; fi; \
	done

synth: need-go need-node $(CDK) ## write the CloudFormation template into infra/cdk.out (BUCKETS=… MAIL=…)
	@$(if $(BUCKETS)$(NEW_BUCKETS),,echo "no BUCKETS given: this is for a bucket named example-uploads")
	@cd infra && $(CDK) synth --quiet $(if $(BUCKETS)$(NEW_BUCKETS),,-c strandline:buckets=example-uploads) $(CDK_CONTEXT)
	@ls infra/cdk.out/*.template.json

deploy: need-go need-node need-buckets $(CDK) ## deploy to the AWS account of your credentials (BUCKETS=… MAIL=…)
	cd infra && $(CDK) deploy $(CDK_CONTEXT)

# With Docker at hand the emulator is LocalStack by compose; else a process.
local: need-go need-node need-python $(CDK) ## deploy to an emulator here and run the functions' own binaries on it
	@if docker compose version >/dev/null 2>&1 && docker info >/dev/null 2>&1; then \
		trap 'docker compose -f localstack/compose.yaml down' EXIT; \
		docker compose -f localstack/compose.yaml up --wait && \
		STRANDLINE_TEST_ENDPOINT=http://127.0.0.1:4566 $(LOCAL_TEST); \
	else $(LOCAL_TEST); fi

infra: need-go need-node need-python $(CDK) ## test the deployment
	go test $(TEST_FLAGS) -tags infra ./infra/strandline
	STRANDLINE_CDK=$(CDK) go test $(TEST_FLAGS) -tags infra -count=1 ./infra

second: need-go need-second ## run the suites of objects and command, and the demo, on LocalStack
	go test $(TEST_FLAGS) -tags second -count=1 -run '^TestLocalStack' ./localstack
	go run ./localstack/second sh -ec 'go test $(TEST_FLAGS) -count=1 ./shared/objects/s3 ./shared/command/sqs; go run ./cmd/strandline demo --uploads 400'

tools: need-second $(CDK) $(GOLANGCI) ## fetch the emulators, the cdk command and the linter into .tools/ now

clean: ## remove what was built (.tools/ stays: it takes minutes to fetch)
	rm -rf dist cdk.out infra/cdk.out
	find . -name '.?*' -prune -o \( -name '*.test' -o -name '*.prof' -o -name 'coverage.*' \) -type f -exec rm -f {} +

$(GOLANGCI):
	@echo "building golangci-lint $(GOLANGCI_VERSION) into .tools/, once: about 3 minutes"
	@GOBIN="$(GOLANGCI_DIR)" GOFLAGS=$(filter -trimpath,$(GOFLAGS)) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

$(CDK): infra/package-lock.json | need-node
	@echo "fetching the cdk command $(CDK_VERSION) into .tools/"
	@mkdir -p $(CDK_DIR) && cp infra/package.json infra/package-lock.json $(CDK_DIR)/
	@cd $(CDK_DIR) && npm ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

need-go:
	@command -v go >/dev/null 2>&1 || { echo "go is missing: install Go 1.26 or newer and put it on PATH"; exit 1; }

need-python:
	@[ -n "$$STRANDLINE_PYTHON$$STRANDLINE_TEST_ENDPOINT" ] && exit 0; \
	for name in python3 python3.14 python3.13 python3.12 python3.11 python3.10 python \
		"$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/3.1[0-9]*/bin/python3; do \
		command -v $$name >/dev/null 2>&1 && exit 0; \
	done; \
	echo "python is missing: install Python 3.10 or newer with venv (the emulator runs on it), or set STRANDLINE_PYTHON"; exit 1

# Fetches what the second cloud consists of.
need-second: need-go
	@go run ./localstack/second -fetch

need-node:
	@command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || \
		{ echo "node is missing: install Node 20 or newer with npm and put it on PATH (the CDK runs on it)"; exit 1; }

need-buckets:
	@[ -n "$(BUCKETS)$(NEW_BUCKETS)" ] || { echo "no bucket is given: make deploy BUCKETS=my-uploads MAIL=ops@example.com"; exit 1; }
	@[ -n "$(MAIL)" ] || { echo "no address is given for the alarms: make deploy BUCKETS=my-uploads MAIL=ops@example.com"; exit 1; }

need-gcc: need-go
	@set -- $$(go env CC); command -v "$$1" >/dev/null 2>&1 || \
		{ echo "$$1 is missing: the race detector needs a C compiler (debian, ubuntu: apt-get install gcc libc6-dev)"; exit 1; }
