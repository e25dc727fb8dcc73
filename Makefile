# Two commands do everything: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
PARTNERS := .venv/.partners
EXTRAS := signals,tables,documents,words,dev,docs,experiments

.PHONY: install install-hashed hashes demo test test-random test-boundscheck test-nojit test-portable lint bench experiments wheelhouse docs clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[$(EXTRAS)]"
	touch $@

# The same with every download checked against hashes.txt, which holds Linux on x86-64 and Python 3.11: pip has no file
# of checksums for all systems that it takes beside a folder of ours. Only setuptools, which builds it, is not checked.
install-hashed:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes --requirement hashes.txt
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	touch $(STAMP)

hashes:
	$(BIN)/python -m pip install --quiet --dry-run --ignore-installed --report - --constraint constraints.txt \
		".[$(EXTRAS)]" | $(BIN)/python .ci/hashes.py > hashes.txt

# What only some tests use: pm4py, Presidio, Spark and axe-core. Where they cannot be had, those tests say that they were skipped.
$(PARTNERS): $(STAMP)
	-$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[pm4py,presidio,spark,catalogues]"
	-npm install --silent --no-save --no-audit --no-fund --prefix .venv/axe axe-core@4.14.0
	touch $@

demo: $(STAMP)
	$(BIN)/sequester demo --out demo --overwrite

# Two processes. Each gets a stretch of tests, so that what a file sets up is mostly set up once; who is ready takes over.
TWO := -n 2 --dist worksteal

test: $(PARTNERS)
	$(BIN)/python -m pytest $(TWO)

# Generated cases and draws that were never tried before.
test-random: $(STAMP)
	$(BIN)/python -m pytest $(TWO) --hypothesis-profile random --draws fresh

# The kernels again, with every index checked, and as plain Python (CONTRIBUTING.md says what is left out and why).
KERNEL_TESTS := tests/unit/test_*_twins.py \
	$(addprefix tests/unit/test_,activity_kernels.py compiled.py markov_primitives.py sorting.py)

test-boundscheck: $(STAMP)
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest $(TWO)

test-nojit: $(STAMP)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(TWO) $(KERNEL_TESTS)

# Publishing as on Windows: the POSIX calls are taken away in every process (tests/portable/sitecustomize.py).
test-portable: $(STAMP)
	PYTHONPATH="$(CURDIR)/tests/portable" PATH="$(CURDIR)/tests/portable:$$PATH" $(BIN)/python -m pytest $(TWO) tests/portable \
		tests/flow/test_both_folders.py tests/flow/test_publish.py $(wildcard tests/unit/test_account*.py) tests/unit/test_stored_tables.py
	PYTHONPATH="$(CURDIR)/tests/portable" PATH="$(CURDIR)/tests/portable:$$PATH" $(BIN)/sequester demo --out demo --overwrite

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP)
	$(BIN)/python -m benchmarks

experiments: $(STAMP)
	$(BIN)/python -m experiments

# For machines without a network: everything as wheels; there, `pip install --no-index --find-links wheelhouse sequester`.
wheelhouse: $(STAMP)
	$(BIN)/python -m pip wheel --quiet --constraint constraints.txt --wheel-dir wheelhouse ".[signals,tables,documents,words]"

docs: $(STAMP)
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

clean:
	rm -rf .venv demo results docs/_build
