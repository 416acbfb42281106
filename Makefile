# The verbs of this repository. `make` alone lists them.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= auto
ARGS ?=
SHARE ?=
FUZZ_JOBS ?= 2

BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Tests are rewritten as they are imported, which takes each worker 10 s more where Python may not keep what it compiles.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest
BENCH := .venv-bench
BENCH_READY := $(BENCH)/.ready

.DEFAULT_GOAL := help

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  PYTHON=$(PYTHON) makes the environment in VENV=$(VENV); JOBS=0 tests in one process;"
	@echo "  ARGS=... goes to pytest, as in: make test ARGS='-k bounce -x',"
	@echo "  to the benchmarks, as in: make bench ARGS='hold mm1 --rounds 3',"
	@echo "  to the breaks, as in: make mutate ARGS='--only location',"
	@echo "  or to random programs, as in: make fuzz ARGS='--minutes 120'"

demo: $(READY) ## run the example of the README
	@$(BIN)/eventide run examples/soaking_pit.py --entropy 1 --plot soaking_pit.png

test: $(READY) ## the tests, without the slow ones
	@$(PYTEST) -m 'not slow' -n $(JOBS) $(ARGS)

check: $(READY) ## format, lint, types, order of the rooms
	@$(BIN)/ruff format --check
	@$(BIN)/ruff check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

mutate: $(READY) ## break the library line by line; tests must notice
	@$(BIN)/python tools/mutate.py $(ARGS)

rows: $(READY) ## which requirements the tests show; an error if they do not show all
	@$(BIN)/python tools/rows.py

slow: $(READY) ## the slow tests
	@$(PYTEST) -m slow -n $(JOBS) $(SHARE) $(ARGS)

fuzz: $(READY) ## random programs beside an independent reference
	@$(BIN)/python tools/fuzz.py --jobs $(FUZZ_JOBS) $(ARGS)

bench: $(BENCH_READY) ## eventide beside its peers and the bare loops: counts, rates, ratios
	@$(BENCH)/bin/python benchmarks/bench.py $(ARGS)

walks: $(READY) ## how many functions and files one event, one wait, one request goes through
	@$(BIN)/python tools/walks.py $(ARGS)

docs: $(READY) ## the site, in docs/_build/html; its programs run, and a warning is an error
	@$(BIN)/python -m sphinx -W --keep-going -q -j auto -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

dist: $(READY) ## the wheel and the source distribution, each tried in an empty environment
	@$(BIN)/python tools/dist.py

floors: ## the tests, with the oldest releases of its libraries that pyproject.toml allows
	@mkdir -p .venv-floors && $(PYTHON) tools/floors.py > .venv-floors/floors.txt
	@PIP_CONSTRAINT=$(CURDIR)/.venv-floors/floors.txt $(MAKE) --no-print-directory VENV=.venv-floors test

contract: $(READY) ## the conformance set: what was asked, what eventide finds, what peers find
	@$(BIN)/python tools/contract.py $(ARGS)

clean: ## remove caches and builds; the environment stays
	rm -rf dist docs/_build docs/examples docs/reference .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests tools examples benchmarks -name __pycache__ -prune -exec rm -rf {} +

NEW_ENOUGH = $(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("eventide needs Python 3.11 or newer, \
	and $(PYTHON) is %d.%d: name a newer one, as in make PYTHON=python3.12" % v[:2])'

# The environment is made once, and again when pyproject.toml changes.
$(READY): pyproject.toml
	@$(NEW_ENOUGH)
	@echo "Installing eventide and its tools into $(VENV): once, and again when pyproject.toml changes" >&2
	@start=$$(date +%s) && \
	$(PYTHON) -m venv $(VENV) && \
	$(BIN)/python -m pip install -qq --disable-pip-version-check 'pip>=25.1' && \
	$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[all]' --group dev && \
	touch $(READY) && \
	echo "$(VENV) took $$(($$(date +%s) - start)) s" >&2

# Peers that do not install are named and left out; remove the environment to try them again.
$(BENCH_READY): pyproject.toml
	@$(NEW_ENOUGH)
	@echo "Installing eventide and its peers into $(BENCH): once, and again when pyproject.toml changes" >&2
	@start=$$(date +%s) && \
	$(PYTHON) -m venv $(BENCH) && \
	$(BENCH)/bin/python -m pip install -qq --disable-pip-version-check --editable '.[all]' && \
	$(BENCH)/bin/python benchmarks/peers.py && \
	touch $(BENCH_READY) && \
	echo "$(BENCH) took $$(($$(date +%s) - start)) s" >&2

.PHONY: help demo test check mutate rows slow fuzz bench walks docs dist floors contract clean
