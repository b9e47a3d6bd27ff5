# Everything a person does with this repository by hand or in CI starts here. `make` alone lists it.
# PYTHON=python3.12 chooses the Python behind .venv; ARGS="..." is handed on by test, bench and lock.

BIN := .venv/bin
TESTERS = $(shell echo $$(( $$(nproc) * 2 )))  # many tests wait for a limit or for a browser, not for a processor

.DEFAULT_GOAL := help
.PHONY: help setup run manage test check assets bench gpu-check verify lock clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

setup:  ## make or refresh .venv (every other target does this first)
	@requirements/setup.sh

run: setup assets  ## start the whole site on this machine; PORT=8001, HOST=..., SOFTMARK_DATA=... change where
	@$(BIN)/python -m softmark.config.local

manage: setup  ## one of Django's commands, on the data of the site that runs (ARGS="import_assignment --help")
	@$(BIN)/python -m softmark.config.local.manage $(ARGS)

test: setup assets  ## run all tests, several at a time
	@$(BIN)/python -m pytest -n $(TESTERS) --dist loadgroup $(ARGS)

# mypy's plugin loads the settings, which ask for these; nothing is ever connected to.
check: export SECRET_KEY := check
check: export DATABASE_URL := postgres:///check
check: export REDIS_URL := redis://check
check: setup  ## lint, format, types, layers, locks: all that needs no test run
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/djlint --profile django --lint --quiet platform/softmark
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml
	$(BIN)/python manage.py makemigrations --check --dry-run --skip-checks
	requirements/lock.sh --check
	$(BIN)/python -m pytest -q tests/architecture/test_registries.py

assets: setup  ## build the front end: the code editor and the fonts
	@requirements/assets.sh

bench: setup  ## measure speed, as ratios
	@$(BIN)/python -m bench $(ARGS)

gpu-check: setup  ## check the reference on this machine's CUDA device (needs CuPy)
	@$(BIN)/python -m bench.gpu_check $(ARGS)

verify: setup  ## check that every assignment may be published
	@$(BIN)/grader verify assignments/*/

lock: setup  ## write the locks anew after a change in pyproject.toml (ARGS=--upgrade: newest versions)
	@requirements/lock.sh $(ARGS)

clean:  ## remove .venv, what was built, and every cache
	rm -rf .venv .venv.lock dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	rm -rf frontend/node_modules frontend/.node frontend/.stamp frontend/.lock platform/softmark/ui/static/ui/built
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
