# Targets are listed by `make help`. Works with GNU Make 3.81 and newer.

GOLANGCI_VERSION := v2.15.0
GOLANGCI_DIR     := $(CURDIR)/.tools/golangci-lint-$(GOLANGCI_VERSION)
GOLANGCI         := $(GOLANGCI_DIR)/golangci-lint

# A Lambda binary may have this many bytes.
SIZE_LIMIT := 16000000
LAMBDAS    := scheduler worker reconciler

# Hidden folders hold tools, not our sources.
GO_FILES = find . -name '.?*' -prune -o -name cdk.out -prune -o -name '*.go' -print

# Rows of the inventory that bench compares. 50000000 only on request.
BENCH_ROWS ?= 10000000

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test verify fmt vet lint race bench build size tools clean need-go need-python need-gcc

help: ## list the targets
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{ printf "  make %-8s %s\n", $$1, $$2 }'

demo: need-go need-python ## run the whole story on an emulator on this machine
	@go run ./cmd/strandline demo

test: need-go need-python ## run the protocol checker, then every test
	@go test -list '^TestProtocol' ./shared/upload/ | grep -q '^TestProtocolHoldsInEveryInterleaving' || \
		{ echo "the protocol checker is missing: no TestProtocolHoldsInEveryInterleaving in shared/upload"; exit 1; }
	go test -count=1 -run '^TestProtocol' -v ./shared/upload/
	go test -skip '^TestProtocol' ./...

verify: fmt vet lint race test size ## fmt, vet, lint, race, test and size

fmt: need-go ## fail on files that gofmt would change, and list them
	@files=$$($(GO_FILES) | xargs gofmt -l) || exit 1; \
	if [ -n "$$files" ]; then echo "not in gofmt's form, run gofmt -w on:"; echo "$$files"; exit 1; fi

vet: need-go ## run go vet
	go vet ./...

lint: need-go $(GOLANGCI) ## run golangci-lint (the first time builds it: about 3 minutes)
	$(GOLANGCI) run ./...

race: need-go need-gcc need-python ## run every test with the race detector, the checker's bound reduced
	STRANDLINE_BOUNDS=reduced CGO_ENABLED=1 go test -race ./...

bench: need-go need-python ## compare reconcile with DuckDB (10 million rows; BENCH_ROWS=, BENCH_FLAGS=)
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

tools: need-go need-python $(GOLANGCI) ## fetch the linter and the emulator into .tools/ now
	go test -count=1 -run '^TestCloudAnswers' ./localstack/

clean: ## remove what was built (.tools/ stays: it takes minutes to fetch)
	rm -rf dist cdk.out
	find . -name '.?*' -prune -o \( -name '*.test' -o -name '*.prof' -o -name 'coverage.*' \) -type f -exec rm -f {} +

$(GOLANGCI):
	@echo "building golangci-lint $(GOLANGCI_VERSION) into .tools/, once: about 3 minutes"
	@GOBIN="$(GOLANGCI_DIR)" GOFLAGS= go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

need-go:
	@command -v go >/dev/null 2>&1 || { echo "go is missing: install Go 1.26 or newer and put it on PATH"; exit 1; }

need-python:
	@[ -n "$$STRANDLINE_PYTHON$$STRANDLINE_TEST_ENDPOINT" ] && exit 0; \
	for name in python3 python3.14 python3.13 python3.12 python3.11 python3.10 python; do \
		command -v $$name >/dev/null 2>&1 && exit 0; \
	done; \
	echo "python is missing: install Python 3.10 or newer with venv (the emulator runs on it), or set STRANDLINE_PYTHON"; exit 1

need-gcc: need-go
	@set -- $$(go env CC); command -v "$$1" >/dev/null 2>&1 || \
		{ echo "$$1 is missing: the race detector needs a C compiler (debian, ubuntu: apt-get install gcc libc6-dev)"; exit 1; }
