# Two commands matter: `make demo` and `make test`. Both set themselves up.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
export ZENCLI_CACHE ?= $(CURDIR)/.cache/zencli

.PHONY: setup demo test lint format bench sample clean

setup: $(STAMP)

$(STAMP): pyproject.toml zencli/llm/model_file.py
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Python 3.11 or later is needed"'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	command -v java >/dev/null || (apt-get update -qq && apt-get install -y -qq default-jre-headless)
	command -v chromedriver >/dev/null || (apt-get update -qq && apt-get install -y -qq chromium chromium-driver)
	$(BIN)/zencli model install
	touch $(STAMP)

demo: setup
	PATH="$(CURDIR)/$(BIN):$$PATH" sh bench/demo.sh

test: setup lint
	$(BIN)/python -m compileall -q zencli
	$(BIN)/python -m pytest -n 2

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup
	$(BIN)/python -m bench

sample: setup
	$(BIN)/python -m bench.sample

clean:
	rm -rf $(VENV) .cache build dist demo
