# `make demo` and `make test` work on a fresh machine with Python 3.11+ and make; each does its own set-up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help install demo test lint format types lock wheel reference clean

help:            ## what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=…")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m forensics.match.ready
	touch $@

install: $(STAMP) ## make .venv with the pinned, hashed dependencies

demo: $(STAMP)   ## the whole road on the published incident; reports in demo/
	rm -rf demo
	$(BIN)/forensics demo demo

test: $(STAMP)   ## lint, types, layers, then the tests
	$(BIN)/ruff check forensics tests benchmarks
	$(BIN)/ruff format --check forensics tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest -n auto

format: $(STAMP) ## put the code into its one shape
	$(BIN)/ruff format forensics tests benchmarks
	$(BIN)/ruff check --fix forensics tests benchmarks

reference: $(STAMP) ## write docs/reference again from the code
	$(BIN)/python docs/make_reference.py

wheel: $(STAMP)  ## a wheel that carries queries/ and reports/, in dist/
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

lock:            ## pin again (needs uv)
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-emit-index-url --output-file requirements.lock

clean:
	rm -rf $(VENV) dist build demo
