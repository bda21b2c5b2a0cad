# One command each: setup, test, run. Everything else is a part of these.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: setup test lint types unit run bench lock clean

setup: $(STAMP)

# uv comes from the pinned list itself, so pip is all a fresh machine needs.
$(STAMP): requirements/dev.txt requirements/uv.txt pyproject.toml Makefile
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes --compile-bytecode requirements/dev.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q src
	touch $@

test: setup lint types unit

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/pyright

unit: setup
	$(BIN)/pytest -n auto -q

run: setup
	$(BIN)/mulligan chat

bench: setup
	$(BIN)/python -m bench

# New pins: change pyproject.toml, then `make lock`.
lock:
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links \
		--no-header --extra dev --output-file requirements/dev.txt pyproject.toml
	grep -A9999 '^uv==' requirements/dev.txt | awk 'NR==1 || /^    /{print; next} {exit}' > requirements/uv.txt

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache
