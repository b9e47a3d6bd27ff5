# Everything a person does with this repository by hand or in CI starts here. `make` alone lists it.
# PYTHON=python3.12 chooses the Python behind .venv; ARGS="..." is handed on by test, bench and lock.

BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup run test check assets bench verify lock clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

setup:  ## make or refresh .venv (every other target does this first)
	@requirements/setup.sh

run: setup  ## start the site (not built yet: says what can be used today)
	@echo "The site is not built yet: it comes with the next step. What works today is the grader:"
	@echo
	@echo "    $(BIN)/grader check assignments/scaled-dot-product my.py"
	@echo "    $(BIN)/grader --help"

test: setup  ## run all tests, on all processors
	@$(BIN)/python -m pytest -n auto $(ARGS)

check: setup  ## lint, format, types, layers, locks: all that needs no test run
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	requirements/lock.sh --check
	$(BIN)/python -m pytest -q tests/architecture/test_registries.py

assets:  ## build the front end (there is none yet: says so)
	@echo "There is no front end yet, so there is nothing to build."

bench: setup  ## measure speed, as ratios
	@$(BIN)/python -m bench $(ARGS)

verify: setup  ## check that every assignment may be published
	@$(BIN)/grader verify assignments/*/

lock: setup  ## write the locks anew after a change in pyproject.toml (ARGS=--upgrade: newest versions)
	@requirements/lock.sh $(ARGS)

clean:  ## remove .venv and every cache
	rm -rf .venv .venv.lock dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
