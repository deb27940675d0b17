# `make help` lists what can be done here. Everything works in a fresh clone: .venv is made and filled on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
FRAMEWORKS := .interpreters/frameworks/.ready
# What `make everything` and `make frameworks` examine besides: 2 GB more.
KINDS := $(if $(FRAMEWORKS),$(patsubst %,.interpreters/%/.ready,openenv shapes))

# Some hundred commands are started: without bytecode each of them compiles the package anew. What
# environments print waits in a buffer, as it does for users.
unexport PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED

HEAP := tests/probe/heap
CHANGED := --changed
# Thousands of short tests, of which hardly one starts a process.
PURE := $(addprefix tests/,analysis config discovery matrix model plan remedies reports rules verdict)
SHOWN := $(addprefix tests/,company reporters request) $(patsubst %,tests/project/test_%.py,architecture everything glossary house)
VALUES := $(PURE) $(SHOWN)
RECORDED := tests/recorded
PROCESSES := $(addprefix --ignore ,$(HEAP) $(VALUES) $(RECORDED))

# Whether other processes keep the machine busy: half of it is left to as many processes again.
BUSY = $(shell test `ps -eo stat= | grep -c '^R'` -gt 4 && echo busy)

# Half of a test is waiting for processes, so there are two workers a core (tests/conftest.py).
pytest = $(BIN)/python -m pytest -n $(if $(BUSY),8,logical) --maxprocesses 8 --dist worksteal -q --durations=40 --durations-min=5 $(1)

.PHONY: help demo test checks tests processes pure shown recorded heap everything quick lint types layers interpreters frameworks zoo record reports study-check mutants wheel house docs matrix company remedies deaths fix-deaths losses load test-under-load selfcheck pictures bench axe site site-check clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 18

$(READY): pyproject.toml requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.interpreters/openenv/.ready: tests/interpreters/openenv.txt  # without PyTorch
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement $<
	@touch $@

.interpreters/%/.ready: tests/interpreters/%.txt
	$(PYTHON) -m venv --clear $(@D)
	! grep --quiet ^torch= $< || $(@D)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $< torch  # with the libraries that its build for this machine needs
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement $<
	@touch $@

demo: $(READY)  ## set up, then examine the sick environment that ships with envdoctor
	$(BIN)/envdoctor check envdoctor.demo:Arm --exit-zero

test: $(READY)  ## set up, then lint, type-check and test
	-@$(MAKE) --no-print-directory interpreters  # without them, tests that need one are skipped and say so
	@$(MAKE) --no-print-directory -j6 tests pure shown recorded checks heap BUSY=$(BUSY)

checks: lint types layers

tests: $(VENV)/collected.txt  # on an idle machine, a little behind the parts of one process each
	$(if $(BUSY),,nice -n 2) $(call pytest,$(CHANGED) $(PROCESSES))

processes: $(VENV)/collected.txt  ## all tests of processes, of which `make test` plays what changed; writes tests/settled.json
	-@$(MAKE) --no-print-directory interpreters
	$(call pytest,--settle $(PROCESSES))
	$(BIN)/python -m pytest -q --settle $(HEAP)

heap: $(READY)  # these search all objects of their process: beside 9,000 collected tests, 20 times as long
	$(BIN)/python -m pytest -q $(CHANGED) $(HEAP)

$(VENV)/collected.txt: $(READY)  # compiles the tests once: else each worker does
	@$(BIN)/python -m pytest --collect-only -q -p no:syrupy $(PROCESSES) > $@ || true  # what fails here, fails below

everything: $(READY)  ## every case of every matrix: before a release, and after a change below the probe
	-@$(MAKE) --no-print-directory -j2 interpreters FRAMEWORKS="$(FRAMEWORKS) $(KINDS)"
	$(call pytest,--whole --ignore $(HEAP))
	@$(MAKE) --no-print-directory heap CHANGED=

quick: $(READY)  ## after each edit: lint, types, and the tests that start no environment
	@$(MAKE) --no-print-directory -j3 pure shown checks

# Parts of equal work: workers would each collect all of them, and send each result.
pure: $(READY)
	$(BIN)/python -m pytest -q $(PURE)

shown: $(READY)
	$(BIN)/python -m pytest -q $(SHOWN)

recorded: $(READY)
	$(BIN)/python -m pytest -q $(if $(BUSY),-n 4 --dist worksteal) $(RECORDED)

lint: $(READY)  ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .

types: $(READY)  ## mypy --strict
	$(BIN)/mypy

layers: $(READY)  ## the import law
	$(BIN)/lint-imports --no-cache

interpreters: $(FRAMEWORKS)  ## the interpreter with the frameworks that tests examine (1.6 GB, PyTorch among them); kept until their lists change

frameworks: $(READY) interpreters  ## the tests that need one of those, all of them
	-@$(MAKE) --no-print-directory -j2 interpreters FRAMEWORKS="$(KINDS)"
	$(call pytest,--whole tests/frameworks tests/shapes tests/live/test_storages.py tests/project/test_docs_replay_memory.py tests/project/test_docs.py)
	$(call pytest,--whole tests/live/test_zoo.py -k "buf or api00")

zoo: $(READY)  ## every rule: its sick environment and the healthy twin
	$(call pytest,--whole tests/live/test_zoo.py)

matrix: $(READY)  ## every fault at every place under every manager: docs/fault-matrix.md
	$(BIN)/python -m tests.matrix --all --write docs/fault-matrix.md

remedies: $(READY)  ## twelve defects in one environment, each taken out in turn; every remedy of the zoo pasted
	$(call pytest,--whole tests/remedies)

company: $(READY)  ## all pairs of illnesses and 300 triples in one environment: docs/company.md
	$(BIN)/python -m tests.company --pairs -1 --triples 300 --jobs 2 --results .company.jsonl
	$(BIN)/python -m tests.company --results .company.jsonl --table

deaths: $(READY)  ## kill the doctor two hundred times
	$(BIN)/python -m tests.support.deaths_of_the_doctor

fix-deaths: $(READY)  ## kill `check --fix` a hundred times: each file is the old or the new text
	$(BIN)/python -m tests.support.deaths_of_fixes

losses: $(READY) .interpreters/cluster/.ready  ## twenty sweeps on a cluster of three nodes, of which one and the driver are killed
	$(BIN)/python -m tests.sweep.deaths_of_nodes

load: $(READY)  ## the whole zoo on a busy machine: the same findings as on an idle one?
	$(BIN)/python -m tests.support.load --all --times 3

test-under-load: $(READY)  ## the tests beside eight busy processes, three times, with figures
	$(BIN)/python -m tests.support.load --tests --times 3

record: $(READY) interpreters  ## make all recordings anew, and show what changed, finding by finding
	$(BIN)/python -m tests.recorded record

reports: $(READY) interpreters  ## all public reports, played anew: right, open or wrong
	$(BIN)/python -m tests.reports

study-check: $(READY)  ## confirm the findings of docs/study without envdoctor, where their packages are installed
	$(BIN)/python -m tests.study check

mutants: $(READY)  ## small faults put into rules, verdicts, analyses, remedies and requests: do the tests notice?
	$(BIN)/python -m tests.mutants

selfcheck: $(READY)  ## two hundred examinations in one process, by the meters of leak
	$(BIN)/python -m tests.support.health_of_the_doctor

wheel: $(READY) .release/.ready  ## build wheel and sdist into dist/, check them, and try them in each Python that is here
	rm -rf dist
	.release/bin/python -m build --no-isolation --outdir dist .
	.release/bin/twine check --strict dist/*
	.release/bin/check-wheel-contents dist/*.whl
	$(BIN)/python -m tests.support.packages dist

.release/.ready: requirements-release.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

house: $(READY)  ## count what stands in the wrong place: the table of ARCHITECTURE.md
	$(BIN)/python -m tests.project.house

docs: $(READY)  ## the pages of the rules, out of the rules' own files; what is new, into the list of what is stable
	$(BIN)/python docs/build.py
	$(BIN)/python -m tests.project.stable

.interpreters/site/.ready: docs/site/requirements.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

.interpreters/axe/.ready: tests/reporters/axe/package-lock.json
	mkdir -p $(@D)
	cp tests/reporters/axe/*.json $(@D)
	npm ci --prefix $(@D) --silent --no-audit --no-fund
	@touch $@

axe: $(READY) .interpreters/axe/.ready  ## the pages of reports by axe-core: for readers with a keyboard, a screen reader, in print
	$(BIN)/python -m pytest -q tests/reporters/test_accessibility.py

site: .interpreters/site/.ready  ## the documentation as a web site, into .site
	TMPDIR=$(abspath $(<D)) NO_MKDOCS_2_WARNING=1 $(<D)/bin/mkdocs build --quiet --strict --config-file docs/site/mkdocs.yml

site-check: $(READY) site  ## that, and each of its pages in Chromium: links, anchors, the console, narrow and wide
	$(BIN)/python -m tests.project.site_walk

pictures: $(READY)  ## the pictures of the report in docs/images, taken by Chromium
	$(BIN)/python -m tests.reporters.pictures

bench: $(READY)  ## speed, as ratios measured side by side in one run
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/detectors.py
	$(BIN)/python benchmarks/hangs.py
	$(BIN)/python benchmarks/verdicts.py

clean:  ## forget the virtual environment and every cache
	rm -rf $(VENV) .interpreters .release .site dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .company.jsonl
