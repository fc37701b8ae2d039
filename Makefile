# make demo: the whole system on a simulated arm, without a ROS installation
# make demo-identify: a simulated arm that is not as its URDF says is recorded and identified
# make test: lint, types, and the tests that protect against mistakes; make test-all: the other tests
# make test test-all docs: everything that CI checks
# They make their own .venv; PYTHON=python3.12 chooses the interpreter, ROBOT=file.urdf the robot.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
ROBOT ?=
OUTPUT ?= demo_output
# each worker collects all tests for 5 s of a processor, the first time 12
JOBS ?= 2
# [s] for one test; one that hangs is a failure with its stack, and the others go on
PATIENCE ?= 240

.PHONY: demo demo-identify test test-all suite lint bench load jazzy golden config docs mutants clean

demo: $(VENV)/demo-ready
	$(RUN)/urdf2dyn demo $(ROBOT) --output $(OUTPUT) --overwrite

demo-identify: $(VENV)/demo-ready
	$(RUN)/python examples/identify_demo.py $(ROBOT) --output $(OUTPUT)/identify

PYTEST := $(RUN)/python -m pytest -n $(JOBS) --dist worksteal -q -rs --timeout $(PATIENCE)

test: $(VENV)/test-ready
	$(MAKE) --no-print-directory --jobs 2 lint suite

# the workers share the cores: more threads of numpy only wait for each other
suite test-all: export OPENBLAS_NUM_THREADS = 1
# a test whose oracle is not installed fails, where colcon test skips it
suite test-all: export EVERY_PACKAGE = 1
# the tests start hundreds of processes, each of which would compile the package again
suite test-all: export PYTHONDONTWRITEBYTECODE =
suite: $(VENV)/test-ready
	$(PYTEST) -m 'not slow'

# sweeps of languages, rates and sensors, most live nodes, benchmarks, packages, documents
test-all: $(VENV)/test-ready
	$(PYTEST) -m slow

lint: $(VENV)/test-ready
	$(RUN)/ruff check .
	$(RUN)/mypy

# the times of a call, with those of all available contestants: a table, docs/benchmark.png and
# docs/benchmark.json, and the tables of README and docs/ that show them
bench: $(VENV)/bench-ready $(VENV)/test-ready
	$(RUN)/python benchmarks/run.py
	$(RUN)/python benchmarks/write_tables.py
	$(RUN)/python benchmarks/closed_loops.py
	$(RUN)/python benchmarks/optimisers.py
	$(RUN)/python -m pytest -q -s -m slow test/codegen/test_ros2_control.py -k an_update_takes

# the cost of a message at 1 kHz, compared with a node that only copies it: a table,
# docs/load.png and docs/load.json; MINUTES=10 adds a long phase that must lose nothing
load: $(VENV)/test-ready
	$(RUN)/python benchmarks/load.py --minutes $(or $(MINUTES),0)

# what the 2R's exported scripts look like; read the difference before you commit it
golden: $(VENV)/test-ready
	PYTHONPATH=test $(RUN)/python test/codegen/test_golden.py
	FREEZE=1 $(RUN)/python -m pytest -q $$(grep -rl assert_frozen test --include='test_*.py')

# the tests of the nodes with the rclpy of Jazzy, which needs Python 3.12: PYTHON=python3.12
jazzy: .venv-jazzy/ready
	.venv-jazzy/bin/python -m pytest -n $(JOBS) --dist worksteal -q -rs --timeout $(PATIENCE) test/nodes

# config/dynamics.yaml from the table of parameters
config: $(VENV)/test-ready
	$(RUN)/python config/config_file.py > config/dynamics.yaml

# breaks single operators and numbers at random and prints how many the tests find, by folder;
# some minutes to measure which test runs what, then a quarter of a minute for each of NUMBER
mutants: $(VENV)/test-ready
	$(RUN)/python test/mutants.py --number $(or $(NUMBER),50) --seed $(or $(SEED),0)

# the site of README, docs/, parameters, options and classes: site/index.html
docs: $(VENV)/docs-ready
	$(RUN)/python docs/build_site.py
	$(RUN)/zensical build --strict --clean

$(VENV)/%-ready: setup.py package.xml
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --upgrade pip
	@echo 'installing into $(VENV): some minutes the first time'
	@# setuptools warns of every editable installation; most modules are never imported
	PYTHONWARNINGS=ignore $(RUN)/python -m pip install --quiet --no-compile --editable '.[$*]'
	touch $@

.venv-jazzy/ready: setup.py package.xml
	$(PYTHON) -m venv .venv-jazzy
	.venv-jazzy/bin/python -m pip install --quiet --no-compile --editable '.[jazzy]'
	touch $@

clean:
	rm -rf $(VENV) .venv-jazzy build install log demo_output site .cache
