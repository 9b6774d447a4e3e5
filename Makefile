# `make demo` plays a tournament to a finished report, `make test` runs every check. Both set up a
# virtual environment of their own first; nothing is needed but Python 3.11 or newer.

.DEFAULT_GOAL := help
.PHONY: help demo openspiel test lint scripts types layers kernels unit tests quick wheel web coverage docs messages pictures pins soak faults mutants bench clean

# The newest Python there is, from 3.11 on; `make PYTHON=...` takes another.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
	2>/dev/null && echo $$p && break; done)
# Tests start hundreds of processes: what one has compiled, the others need not, whoever forbids it.
export PYTHONDONTWRITEBYTECODE :=
VENV := .venv
BIN := $(VENV)/bin
# What is installed has the version and one of the hashes that constraints/ says, and is built by what
# is installed so.
PIP := $(BIN)/python -m pip install --quiet --use-pep517 --disable-pip-version-check
PINNED := .ci/install $(BIN)/python
DEMO := demo
WEB := tests/web
# Says how long what follows takes, where `.ci/run` asks.
STEP := .ci/step
AT_ONCE := --dist loadgroup --no-loadscope-reorder

help:
	@echo "make demo   play the built-in tournament; the report is $(DEMO)/report.html"
	@echo "make test   run every check: lint, types, layers, tests, the built wheel"
	@echo "make quick  for between two edits: lint, and the tests that start nothing and compute little"
	@echo "make scripts  check types and lint of the JavaScript of report and site (npm)"
	@echo "make web    install what checks that, and what tests hold the report's markup and accessibility against (npm)"
	@echo "make coverage  run the tests and print the branches they reach by folder; make mutants uses its map"
	@echo "make docs   build the documents as a site, in site/"
	@echo "make messages  write tests/*/messages.txt anew: what people are told, word for word; read the diff"
	@echo "make pictures  draw the pictures of README and docs anew (needs chromium)"
	@echo "make pins   write constraints/ anew: versions and hashes of what demo and tests install"
	@echo "make soak   run the slow campaigns, a line each: laws on many examples, fuzzing, kills, full disks, long runs"
	@echo "make faults play every case of the fault catalogue and print what each came to"
	@echo "make mutants  put the mistakes of tests/yardstick into a copy of the tree: tests must notice them (an hour)"
	@echo "make bench  measure what benchmarks/ claims"
	@echo "make clean  remove what the others made"

$(VENV)/made: pyproject.toml hatch_build.py .ci/install constraints/build.txt constraints/demo.txt
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer with venv was found (on Debian: python3-venv)." >&2; exit 2; }
	@echo "Setting up $(VENV): an environment of its own"
	@$(PYTHON) -m venv --clear $(VENV)
	@echo "Setting up $(VENV): what builds"
	@$(PINNED) constraints/build.txt
	@echo "Setting up $(VENV): what the program needs"
	@$(PINNED) constraints/demo.txt
	@$(PIP) --no-compile --no-build-isolation --no-deps -e .
	@touch $@

$(VENV)/made-dev: $(VENV)/made constraints/tests.txt
	@echo "Setting up $(VENV): what tests need"
	@$(PINNED) constraints/tests.txt
	@touch $@

# OpenSpiel for the tests of its plugin, which are skipped without it; there is no wheel for some Pythons.
openspiel: $(VENV)/made-dev
	@$(PIP) --no-deps --only-binary :all: --require-hashes -r constraints/openspiel.txt \
		|| echo "OpenSpiel has no wheel for this Python: its plugin is not tested"

pins:
	PYTHON=$(PYTHON) .ci/pins

demo: $(VENV)/made
	$(BIN)/arena run --output $(DEMO)
	@echo "Open $(DEMO)/report.html in a browser."

# What compiles takes one core, what reads the code another; then the tests have both.
test:
	@$(STEP) environment $(MAKE) --no-print-directory $(VENV)/made-dev
	@$(MAKE) --no-print-directory -j 2 kernels lint types layers wheel
	@$(MAKE) --no-print-directory tests

lint: $(VENV)/made-dev
	$(STEP) lint $(BIN)/ruff check .
	$(STEP) format $(BIN)/ruff format --check .
	@if ! command -v npm >/dev/null; then echo "npm is not installed: the scripts of report and site are not checked"; \
	elif [ -n "$$LATH_NO_SKIPS" ] || $(MAKE) --silent web; then $(MAKE) --no-print-directory scripts; \
	else echo "npm installs nothing here: the scripts of report and site are not checked"; fi

# What they found last is kept beside them: a second run takes a moment.
scripts: web
	$(STEP) tsc $(WEB)/node_modules/.bin/tsc -p $(WEB)
	$(STEP) eslint $(WEB)/node_modules/.bin/eslint --max-warnings 0 --cache --cache-location $(WEB)/node_modules/.cache/eslint \
		-c $(WEB)/eslint.config.mjs reports/templates arena/site/templates

types: $(VENV)/made-dev
	$(STEP) types $(BIN)/mypy

layers: $(VENV)/made-dev
	$(STEP) layers $(BIN)/lint-imports

# The kernels of the bots, which tests of them ask for; a moment where nothing of them has changed.
kernels: $(VENV)/made-dev
	$(STEP) kernels $(BIN)/python -m lath.bots.compiled

unit: kernels tests

# Two cores are busy with that: tests wait for bots, browsers and clocks.
tests: $(VENV)/made-dev
	$(STEP) tests $(BIN)/pytest -n 4 $(AT_ONCE)

quick: lint
	LATH_HYPOTHESIS=quick $(BIN)/pytest -q -n 2 $(AT_ONCE) --quick

# Without npm, or without a network, its tests say so and are skipped.
web: $(WEB)/node_modules/made

$(WEB)/node_modules/made: $(WEB)/package-lock.json $(WEB)/.npmrc
	npm ci --loglevel=error --prefix $(WEB) >/dev/null
	@touch $@

coverage: $(VENV)/made-dev
	$(BIN)/python tests/support/mutants.py --map

wheel: $(VENV)/made-dev
	PYTHON=$(BIN)/python $(STEP) wheel .ci/wheel

# The documents as a site, in site/; a broken link or reference is an error.
docs: $(VENV)/made-dev
	$(PIP) -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

messages: $(VENV)/made-dev
	$(BIN)/pytest -q --write-messages

pictures: $(VENV)/made-dev
	$(BIN)/python benchmarks/pictures.py

soak: $(VENV)/made-dev
	LATH_HYPOTHESIS=soak $(BIN)/pytest -q tests/soak tests

faults: $(VENV)/made-dev
	$(BIN)/python tests/support/fault_table.py

mutants: $(VENV)/made-dev
	$(BIN)/python tests/support/mutants.py --check

bench: $(VENV)/made-dev
	$(BIN)/python benchmarks/runner.py
	$(BIN)/python benchmarks/cluster.py
	$(BIN)/python benchmarks/records.py
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/database.py
	$(BIN)/python benchmarks/walls.py
	$(BIN)/python benchmarks/questions.py
	$(BIN)/python benchmarks/ratings.py
	$(BIN)/python benchmarks/ordo.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/spectators.py

clean:
	rm -rf $(VENV) .links $(DEMO) $(WEB)/node_modules site dist build .yardstick .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find arena bots examples games notation reports tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
