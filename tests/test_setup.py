"""The files that describe the environment say the same."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
CONDA_NAMES = {"torch": "pytorch-cpu", "matplotlib": "matplotlib-base"}
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
RUNTIME = [Requirement(text) for text in PROJECT["dependencies"]]
EXTRAS = {
    name: [Requirement(text) for text in texts] for name, texts in PROJECT["optional-dependencies"].items()
}
EVERYTHING = RUNTIME + [requirement for extra in EXTRAS.values() for requirement in extra]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


def conda() -> dict[str, Requirement]:
    found = {}
    for entry in yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))["dependencies"]:
        texts = (
            [line for line in entry["pip"] if not line.startswith("-")]
            if isinstance(entry, dict)
            else [entry]
        )
        for text in texts:
            requirement = Requirement(re.sub(r"(?<![=<>!~])=(?!=)", "==", text))
            found[canonicalize_name(requirement.name)] = requirement
    return found


@pytest.mark.parametrize("requirement", EVERYTHING, ids=str)
def test_each_dependency_is_pinned_within_its_range(requirement):
    version = pins().get(canonicalize_name(requirement.name))
    assert version is not None, f"constraints.txt has no line for {requirement.name}"
    assert requirement.specifier.contains(version), f"{requirement.name}=={version} is outside {requirement}"


@pytest.mark.parametrize("requirement", RUNTIME + EXTRAS["test"], ids=str)
def test_conda_gets_the_same_ranges(requirement):
    entry = conda().get(CONDA_NAMES.get(requirement.name, canonicalize_name(requirement.name)))
    assert entry is not None, f"environment.yml has no line for {requirement.name}"
    assert entry.specifier == requirement.specifier


def test_conda_names_nothing_that_the_project_does_not_ask_for():
    asked = {CONDA_NAMES.get(r.name, canonicalize_name(r.name)) for r in EVERYTHING}
    assert set(conda()) - asked == {"python", "pip"}


def test_what_the_constraints_pin_is_what_is_installed():
    from importlib.metadata import version

    wrong = {
        r.name: version(r.name)
        for r in RUNTIME
        if version(r.name).split("+")[0] != pins()[canonicalize_name(r.name)]
    }
    if sys.version_info[:2] != (3, 11):
        pytest.skip(
            f"constraints.txt is for Python 3.11, this is {sys.version_info[0]}.{sys.version_info[1]}"
        )
    assert not wrong, f"installed otherwise than pinned: {wrong}"


def test_importing_the_package_loads_neither_torch_nor_transformers():
    code = (
        "import sys, minisgl_tok; print([name for name in ('torch', 'transformers') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_readme_has_both_commands_and_every_chapter():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "make lab" in readme and "make test" in readme
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        assert f"notebooks/{notebook.name}" in readme, f"README.md does not name {notebook.name}"


def test_no_file_names_a_path_of_one_machine():
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    pattern = re.compile(r"(?<![\w.])/(home|root|Users|work)/\w+")
    found = []
    for name in filter(None, files):
        path = ROOT / name
        if path.suffix in {".py", ".md", ".ipynb", ".toml", ".yml", ".json", ""} and path.is_file():
            found += [f"{name}: {m[0]}" for m in pattern.finditer(path.read_text("utf-8", "ignore"))]
    assert not found
