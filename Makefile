# The main targets are setup, test and run. The others are parts of these.
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

# We load thousands of modules over and over, so keep their bytecode, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup embedded web wheel web-types web-checks chromium bubblewrap golang compiled check types-of-src decisions test test-model test-agents explore lint types unit run serve bench bench-model reference lock clean

setup: $(STAMP)

# uv comes from the pinned list itself, so a fresh machine only needs pip.
$(STAMP): requirements/dev.txt requirements/uv.txt pyproject.toml Makefile
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes --compile-bytecode requirements/dev.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q src
	touch $@

embedded: $(EMBEDDED)

# The engine for the embedded model. No test needs it.
$(EMBEDDED): $(STAMP) requirements/embedded.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/embedded.txt
	touch $@

# First lint, page checks and build in parallel, then tests and types in parallel: many tests only wait.
test: setup
	$(MAKE) --no-print-directory --output-sync=target -j2 lint web-checks web chromium bubblewrap golang
	$(MAKE) --no-print-directory -j2 types unit

# A quick check while you work: the decisions, on many cases, without a browser or PostgreSQL and with few processes.
QUICK := tests/core tests/loop tests/tools tests/store tests/test_import_direction.py \
         tests/drill/test_mutations.py::test_what_is_broken_is_still_there
LONGER := postgres or database_errors or property or store_processes or found_commands_run

check: compiled
	$(MAKE) --no-print-directory --output-sync=target -j2 lint types-of-src decisions

types-of-src: setup
	$(BIN)/pyright src

decisions: compiled
	$(PYTEST) -m "not hypothesis and not real_model and not real_agents and not breadth" \
	  -k "not ($(LONGER))" $(QUICK)

# The page. It is built into the Python package, so only the build needs Node.
web: $(PAGE)

# Not `npm ci`: it refuses a lock file without the optional packages of other systems, which we don't want.
$(WEB): web/package.json web/package-lock.json web/.npmrc
	@command -v npm >/dev/null || { echo "The page needs Node 20 or newer, with npm: https://nodejs.org" >&2; exit 1; }
	npm install --prefix web --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

$(PAGE): $(WEB) $(WEB_SOURCES)
	npm --prefix web run --silent build
	touch $@

# The wheel for users, including the page: dist/mulligan-VERSION-py3-none-any.whl.
wheel: setup web
	$(BIN)/uv build --quiet --wheel --no-build-isolation --python $(BIN)/python --out-dir dist
	@ls dist/*.whl

web-checks: $(WEB_CHECKED)

$(WEB_CHECKED): $(WEB) $(WEB_SOURCES)
	npm --prefix web run --silent lint
	npm --prefix web run --silent check
	npm --prefix web run --silent test
	touch $@

# Generates the page's API types. A test fails if they are out of date.
web-types: setup $(WEB)
	$(BIN)/python -m mulligan.server.openapi > web/openapi.json
	npm --prefix web run --silent types

# Installs a program that tests need from a Debian package: $(call installed,PROGRAM,PACKAGE).
define installed
@command -v $(1) >/dev/null || \
if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
  flock Makefile sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends $(2) >/dev/null'; \
else \
  echo "The tests need $(2). On Debian or Ubuntu: sudo apt-get install $(2)" >&2; exit 1; \
fi
endef

# The browsers for page tests: nearly all need only the engine.
chromium:
	$(call installed,chromium,chromium)
	$(call installed,chromium-headless-shell,chromium-headless-shell)

# The sandbox for commands. Without it, tests would only cover the weaker one.
bubblewrap:
	$(call installed,bwrap,bubblewrap)

# Some projects that tests find commands for, and fix, are written in Go.
golang:
	$(call installed,go,golang-go)

# Tests with the real embedded model. It is downloaded once, to MULLIGAN_HOME.
test-model: embedded
	$(BIN)/pytest -q -m real_model

# Property tests with new examples (`make test` tries the same ones every time), and tests that cover more cases than
# `make test` does.
explore: compiled golang
	HYPOTHESIS_PROFILE=default $(PYTEST) -m "hypothesis or breadth"

# Tests the real external agents with a scripted model. Installs them once, at pinned versions, without running their
# install scripts: about 1 GB, Linux on x64.
test-agents: setup $(AGENTS)/node_modules/.ready
	$(BIN)/pytest -n auto -q -m real_agents

# Not `npm ci`: it refuses a lock file without the optional packages of other systems, which we don't want.
$(AGENTS)/node_modules/.ready: $(AGENTS)/package.json $(AGENTS)/package-lock.json
	npm install --prefix $(AGENTS) --no-save --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/pyright

# One more than the number of cores: many tests wait for a process, a page or a clock.
WORKERS := $(shell expr $$(nproc 2>/dev/null || echo 2) + 1)
# Each worker gets a contiguous part of the tests, so most servers, browsers and databases are started by only one of them.
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist worksteal -q

# Tests start hundreds of processes. If Python can't write bytecode, each of them would compile all modules again.
compiled: setup
	$(BIN)/python -m compileall -q src

unit: compiled
	$(PYTEST)

# Copies a small project with a missing function and fixes the copy. `make run PROJECT=DIR` works on your own project.
PROJECT ?=
GOAL ?= make the tests pass

run: embedded
	examples/run $(if $(PROJECT),"$(PROJECT)" "$(GOAL)")

# Opens the page for this folder, or for `PROJECT=DIR`. Without Node, the server says how to get the page.
serve: setup
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web; fi
	$(BIN)/mulligan serve --open $(if $(PROJECT),-C "$(PROJECT)")

# Runs benchmarks and regenerates docs/results.md, even if a limit was missed (the page says so). A diff to the committed
# page is the effect of a change, or of the machine.
define measured
$(BIN)/python -m bench $(1) --into bench/results.json; held=$$?; \
$(BIN)/python -m bench report bench/results.json > docs/results.md && exit $$held
endef

bench: setup
	$(call measured)

# The same for benchmarks that ask the embedded model: an hour on an idle machine.
bench-model: embedded
	$(call measured,questions fixes)

# Generates docs/reference from the code. A test fails if it is out of date.
reference: setup
	$(BIN)/python -m reference

# To update pins, change pyproject.toml, then run `make lock`.
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-header
one_pin = awk '/^$(1)==/ {here=1; print; next} /^    / && here {print; next} {here=0}'

lock:
	$(COMPILE) --extra dev --extra fleet --extra mcp --output-file requirements/dev.txt pyproject.toml
	$(call one_pin,uv) requirements/dev.txt > requirements/uv.txt
	$(COMPILE) --extra embedded --constraint requirements/dev.txt pyproject.toml | $(call one_pin,xllamacpp) > requirements/embedded.txt

clean:
	rm -rf $(VENV) $(AGENTS)/node_modules web/node_modules src/mulligan/server/page .pytest_cache .ruff_cache
