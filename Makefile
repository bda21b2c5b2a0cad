# One command each: setup, test, run. Everything else is a part of these.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
EMBEDDED := $(VENV)/.embedded
AGENTS := requirements/agents
WEB := web/node_modules/.ready
WEB_CHECKED := web/node_modules/.checked
PAGE := src/mulligan/server/page/index.html
WEB_SOURCES := $(shell find web -path web/node_modules -prune -o -type f ! -name openapi.json -print)

# Thousands of modules are loaded again and again: what is compiled of them is kept, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup embedded web wheel web-types web-checks chromium bubblewrap golang compiled check types-of-src decisions test test-model test-agents explore lint types unit run serve bench bench-model reference lock clean

setup: $(STAMP)

# uv comes from the pinned list itself, so pip is all a fresh machine needs.
$(STAMP): requirements/dev.txt requirements/uv.txt pyproject.toml Makefile
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes --compile-bytecode requirements/dev.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q src
	touch $@

embedded: $(EMBEDDED)

# The engine of the embedded model, which no test needs.
$(EMBEDDED): $(STAMP) requirements/embedded.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/embedded.txt
	touch $@

# What reads the page runs side by side, then what runs everything, with what reads the Python beside it: many tests wait.
test: setup
	$(MAKE) --no-print-directory --output-sync=target -j2 lint web-checks web chromium bubblewrap golang
	$(MAKE) --no-print-directory -j2 types unit

# A quick look while working: what decides, on many cases; no browser, no PostgreSQL, and few processes.
QUICK := tests/core tests/loop tests/tools tests/store tests/test_import_direction.py
LONGER := postgres or database_errors or property or store_processes or found_commands_run

check: compiled
	$(MAKE) --no-print-directory --output-sync=target -j2 lint types-of-src decisions

types-of-src: setup
	$(BIN)/pyright src

decisions: compiled
	$(PYTEST) -m "not hypothesis and not real_model and not real_agents and not breadth" \
	  -k "not ($(LONGER))" $(QUICK)

# The page. It is built into the Python package, so that only whoever builds it needs Node.
web: $(PAGE)

# Not `npm ci`: it refuses a lock without the optional packages of other systems, and none of them is wanted here.
$(WEB): web/package.json web/package-lock.json web/.npmrc
	@command -v npm >/dev/null || { echo "The page needs Node 20 or newer, with npm: https://nodejs.org" >&2; exit 1; }
	npm install --prefix web --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

$(PAGE): $(WEB) $(WEB_SOURCES)
	npm --prefix web run --silent build
	touch $@

# What others install: dist/mulligan-VERSION-py3-none-any.whl, with the page in it.
wheel: setup web
	$(BIN)/uv build --quiet --wheel --no-build-isolation --python $(BIN)/python --out-dir dist
	@ls dist/*.whl

web-checks: $(WEB_CHECKED)

$(WEB_CHECKED): $(WEB) $(WEB_SOURCES)
	npm --prefix web run --silent lint
	npm --prefix web run --silent check
	npm --prefix web run --silent test
	touch $@

# The types of the API, as the page has them. A test fails where they are behind.
web-types: setup $(WEB)
	$(BIN)/python -m mulligan.server.openapi > web/openapi.json
	npm --prefix web run --silent types

# A program for the tests, from Debian's package of a name: $(call installed,PROGRAM,PACKAGE).
define installed
@command -v $(1) >/dev/null || \
if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
  flock Makefile sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends $(2) >/dev/null'; \
else \
  echo "The tests need $(2). On Debian or Ubuntu: sudo apt-get install $(2)" >&2; exit 1; \
fi
endef

# A browser for the tests of the page.
chromium:
	$(call installed,chromium,chromium)

# The sandbox that commands run in. Without it the tests would only see the weaker one.
bubblewrap:
	$(call installed,bwrap,bubblewrap)

# Some of the projects that tests find commands for, and fix, are in Go.
golang:
	$(call installed,go,golang-go)

# Asks the real embedded model. It is downloaded once, and kept under MULLIGAN_HOME.
test-model: embedded
	$(BIN)/pytest -q -m real_model

# The property tests with examples that were not tried before, where `make test` tries the same ones every time; and the
# tests that show on more cases what `make test` shows on a few.
explore: compiled golang
	HYPOTHESIS_PROFILE=default $(PYTEST) -m "hypothesis or breadth"

# Drives the real external agents against a scripted model. They are installed once, at pinned versions: about 1 GB,
# Linux on x64. No script of theirs runs at the installation.
test-agents: setup $(AGENTS)/node_modules/.ready
	$(BIN)/pytest -n auto -q -m real_agents

# Not `npm ci`: it refuses a lock without the optional packages of other systems, and none of them is wanted here.
$(AGENTS)/node_modules/.ready: $(AGENTS)/package.json $(AGENTS)/package-lock.json
	npm install --prefix $(AGENTS) --no-save --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/pyright

# One more than there are cores: many tests wait for a process, a page or a clock.
WORKERS := $(shell expr $$(nproc 2>/dev/null || echo 2) + 1)
# Each has a part of the tests in one piece, so that most servers, browsers and databases are started by one of them only.
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist worksteal -q

# Tests start hundreds of processes. Where nobody may write what Python compiles, each would compile all modules anew.
compiled: setup
	$(BIN)/python -m compileall -q src

unit: compiled
	$(PYTEST)

# A little project with a function that nobody has written is copied aside and fixed there. `make run PROJECT=DIR` works on yours.
PROJECT ?=
GOAL ?= make the tests pass

run: embedded
	examples/run $(if $(PROJECT),"$(PROJECT)" "$(GOAL)")

# The page on this folder, or on `PROJECT=DIR`. Without Node the server says how to get it.
serve: setup
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web; fi
	$(BIN)/mulligan serve --open $(if $(PROJECT),-C "$(PROJECT)")

# Measures, and makes docs/results.md anew, also if a bound was missed: the page says so. What differs from the committed
# page is what a change did, or the machine.
define measured
$(BIN)/python -m bench $(1) --into bench/results.json; held=$$?; \
$(BIN)/python -m bench report bench/results.json > docs/results.md && exit $$held
endef

bench: setup
	$(call measured)

# The same for what asks the embedded model: an hour, on a machine with nothing else to do.
bench-model: embedded
	$(call measured,questions fixes)

# The pages under docs/reference, from the code. A test fails where they are behind.
reference: setup
	$(BIN)/python -m reference

# New pins: change pyproject.toml, then `make lock`.
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-header
one_pin = awk '/^$(1)==/ {here=1; print; next} /^    / && here {print; next} {here=0}'

lock:
	$(COMPILE) --extra dev --extra fleet --extra mcp --output-file requirements/dev.txt pyproject.toml
	$(call one_pin,uv) requirements/dev.txt > requirements/uv.txt
	$(COMPILE) --extra embedded --constraint requirements/dev.txt pyproject.toml | $(call one_pin,xllamacpp) > requirements/embedded.txt

clean:
	rm -rf $(VENV) $(AGENTS)/node_modules web/node_modules src/mulligan/server/page .pytest_cache .ruff_cache
