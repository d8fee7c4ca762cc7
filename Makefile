# Set-up is part of every target: a virtual environment in .venv, made from nothing when it is not there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= auto
# The tests start many processes; without compiled modules each of them would compile everything again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test backends real-models vendors lint coverage package site schemas clean

demo: $(VENV)/.base
	$(BIN)/lite-delegate demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS)

# The whole conformance suite, and all cases that ONNX publishes, through each backend take many minutes of all cores;
# `make test` runs samples of both.
backends: $(VENV)/.dev
	$(BIN)/lite-delegate conformance --delegate onnxruntime
	$(BIN)/lite-delegate conformance --delegate openvino
	$(BIN)/python -m tests.onnx_cases onnxruntime openvino
	$(BIN)/python -m tests.tflite_out

# Downloads packages with trained models, runs them all, and writes the tables of docs/real_models.md: an hour.
# REAL_MODELS="--quick --seconds 60" is the slice that .ci/run has.
REAL_MODELS ?= --write
real-models: $(VENV)/.dev
	$(BIN)/python -m tests.real_models $(REAL_MODELS)

# Vendors' toolchains (docs/real_npus.md), in an environment of their own, each by a pip call of its own: a toolchain that
# this machine cannot have is one line, and its tests and its part of the conformance suite are left out.
VENDORS := .venv-vendors
TOOLCHAINS := .[qnn] .[ethosu] onnxruntime-ep-openvino onnxruntime-ep-webgpu
SAMPLE := $(VENDORS)/bin/lite-delegate conformance --no-patterns --timeout 60 --op Softmax
vendors: pyproject.toml
	test -x $(VENDORS)/bin/python || $(PYTHON) -m venv $(VENDORS)
	$(VENDORS)/bin/pip install --quiet --editable '.[onnx,tflite,onnxruntime]' pytest pytest-xdist hypothesis
	for each in $(TOOLCHAINS); do \
		$(VENDORS)/bin/pip install --quiet "$$each" 2>$(VENDORS)/log || \
			echo "$$each cannot be had here: $$(grep -m 1 ERROR $(VENDORS)/log)"; \
	done
	$(VENDORS)/bin/python -m pytest tests/vendors -rs
	! $(VENDORS)/bin/python -c 'import onnxruntime_qnn' 2>$(VENDORS)/log || \
		$(SAMPLE) --op AddFusion --delegate qnn --known tests/vendors/known_failures_qnn.toml
	! $(VENDORS)/bin/python -c 'import ethosu, ai_edge_litert' 2>$(VENDORS)/log || \
		$(SAMPLE) --op AddFusion --delegate ethos-u55-128
	! $(VENDORS)/bin/python -c 'import onnxruntime_ep_openvino' 2>$(VENDORS)/log || \
		$(SAMPLE) --delegate onnxruntime:OpenVINOExecutionProvider

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

coverage: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --cov=lite_delegate --cov=lite_delegate_kernels --cov=lite_delegate_fast --cov-report=term:skip-covered

# Builds wheel and sdist and runs the demo from each, in an environment that has nothing else.
package: $(VENV)/.dev
	rm -rf build/package && mkdir -p build/package
	$(BIN)/python -m build --outdir build/package . >build/package/log
	for file in build/package/*.whl build/package/*.tar.gz; do \
		$(PYTHON) -m venv --clear build/package/env && \
		build/package/env/bin/pip install --quiet "$$file" && \
		(cd build/package && env/bin/lite-delegate demo >demo.txt && tail -n 1 demo.txt) || exit 1; \
	done

# Builds the documents and the API's pages into site/, where a warning is an error, and walks all links of the result.
site: $(VENV)/.docs
	rm -rf site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs --quiet build --strict
	LITE_DELEGATE_SITE=site $(BIN)/python -m pytest tests/site

# Regenerates the readers, the layout and the primitives from the .fbs files; needs flatc on the PATH.
schemas: $(VENV)/.dev
	$(BIN)/python -m lite_delegate_schemas.generate

$(VENV)/.base: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is " + sys.version)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.base
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

$(VENV)/.docs: $(VENV)/.dev
	$(BIN)/pip install --quiet --editable '.[docs]'
	touch $@

clean:
	rm -rf $(VENV) $(VENDORS) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
