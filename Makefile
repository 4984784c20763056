# The commands of the project. "make run" and "make test" are the two a newcomer
# needs; each works on a fresh machine with Go and a C++ compiler.

GO ?= go
# Without paths of this machine, compiled packages are shared by all checkouts, and the
# same commit gives the same bytes anywhere.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME ?= 2s
CASES ?= 50000
# Flags of the linker for bin/ and tests. Without debug information it takes two thirds of the time;
# "make build LDFLAGS=" keeps it for a debugger. Stack traces do not need it.
LDFLAGS ?= -w
# Test binaries that hold DuckDB are large, and linking many at once takes memory.
PACKAGES := $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((n < 4 ? n : 4)))
# The tests that take longest begin first, so that no core waits for them at the end.
LONGEST := ./internal/serve/site ./cmd/grantgraph

.PHONY: FORCE pictures run build test golden minutes require lint fuzz oracle soak fleet bench audit image release installed clean

run: bin/grantgraph ## make an invented world, build it, serve it on 127.0.0.1:8080
	@bin/grantgraph demo

build: bin/grantgraph bin/measure ## both programs, in bin/

bin/grantgraph bin/measure: FORCE # Go knows whether there is anything to do
	$(GO) build -ldflags="$(LDFLAGS)" -o $@ ./cmd/$(@F)

test: require lint ## everything continuous integration runs; seeds of fuzz targets run as tests
	@worlds=$$(mktemp -d) && trap 'rm -rf "$$worlds"' EXIT && export GRANTGRAPH_WORLDS="$$worlds" && set -x && \
		$(GO) test -vet=off -ldflags="$(LDFLAGS)" -p $(PACKAGES) -timeout 60m $(LONGEST) ./... # lint has vetted everything already

golden: ## write all golden files and generated pages anew; then look at the difference
	GOLDEN=1 $(GO) test -vet=off -count=1 -timeout 60m -run 'Golden|Page|Docs|Generated|Glossary|Pictures|OpenAPI|EvalJudged|Example' \
		$$(grep -rl --include='*_test.go' 'internal/bench/golden"' cmd internal | xargs -n1 dirname | sort -u | sed 's,^,./,')
	git status --short

minutes: ## where the minutes of "make test" go, step by step and package by package
	./scripts/minutes

require: ## what the tests need beyond Go, installed where it is missing and we may
	./scripts/require

# Collecting garbage less often saves the compiler and staticcheck a seventh of their time and takes some
# hundred megabytes. The tests run without it, because some of them count memory.
lint: export GOGC ?= 400
lint: ## formatting and static checks
	@unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l client cmd internal); if [ -n "$$unformatted" ]; then echo "not gofmt-clean:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

fuzz: ## each fuzz target for FUZZTIME, from its seeds (make fuzz FUZZTIME=10m)
	./scripts/fuzz $(FUZZTIME)

oracle: ## the engine against DuckDB on many more random questions (make oracle CASES=200000)
	ORACLE_CASES=$(CASES) $(GO) test -count=1 -timeout 0 ./internal/bench/oracle

soak: ## kills, swaps, clocks and disks for an hour, printed as a table, then many random questions; KILLS, BUILD_KILLS, SWAPS and MINUTES shorten it
	./scripts/soak
	ORACLE_CASES=$(CASES) $(GO) test -count=1 -timeout 0 ./internal/bench/oracle

fleet: ## several machines under load, and everything that may happen to them; builds an object store from source at first
	./scripts/fleet

bench: ## the benchmarks of docs/benchmarks.md
	./scripts/bench

pictures: ## the pictures of the README, from a demo that runs ("make run")
	./scripts/pictures

audit: ## known vulnerabilities, where their database can be reached; says so where it cannot
	./scripts/audit

image: ## the image of deploy/Dockerfile, built and run without a registry; as root on Debian
	./scripts/image

release: ## binaries, packages, an SBOM and checksums in dist/, from a clean tag
	./scripts/release

installed: ## the .deb of dist/ in a clean Debian: installed, served over HTTPS, upgraded, purged; as root
	./scripts/installed

clean:
	rm -rf bin demo dist
