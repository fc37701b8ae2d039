"""The public names, their types, and the documents that use and list them."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

from support.paths import ROOT
from urdf2dyn_ros.codegen.compiled import BACKENDS
from urdf2dyn_ros.codegen.generator import GENERAL, STYLES, Style
from urdf2dyn_ros.codegen.languages import LANGUAGES, LanguageName
from urdf2dyn_ros.codegen.signature import FRAME_AXES, FrameAxes
from urdf2dyn_ros.export import PACKAGES
from urdf2dyn_ros.generated_robot import BackEnd, BaseName
from urdf2dyn_ros.robot.loads import BASES

PACKAGE = 'urdf2dyn_ros'
MODULES = [importlib.import_module(name) for name in re.findall(
    r'`(urdf2dyn_ros[\w.]*)`', re.search(r'The public interface.*?\n4\.', (
        ROOT / 'QUALITY_DECLARATION.md').read_text(), re.DOTALL)[0])]
"""The modules whose names are public, as QUALITY_DECLARATION.md lists them."""

PAGES = [ROOT / 'README.md', *sorted((ROOT / 'docs').glob('*.md'))]
PROGRAMS = sorted(path for path in (ROOT / 'examples').glob('*.py')
                  if path.stem not in ('record_rx90', 'identify_demo'))   # simulate a robot
UNTYPED = re.compile(r'\[(no-untyped-def|no-untyped-call|no-any-return|misc)\]')
"""What mypy reports of scripts because they are short: no annotations, and bases of rclpy."""


def scripts() -> Iterator[tuple[str, str]]:
    """Yield the Python blocks of each page from the first import on, by the page's name."""
    for page in PAGES:
        texts = re.findall(r'^```python\n(.*?)^```', page.read_text(), re.MULTILINE | re.DOTALL)
        first = next((k for k, text in enumerate(texts) if 'import' in text), len(texts))
        if texts[first:]:
            yield f'{page.stem}_blocks.py', '\n'.join(texts[first:])


def imports(text: str) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of everything that a program imports of the package."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or '').startswith(PACKAGE):
            yield from ((node.module or '', alias.name) for alias in node.names)


def public(module: ModuleType) -> Iterator[tuple[str, object]]:
    for name in module.__all__:
        yield f'{module.__name__}.{name}', getattr(module, name)


def test_what_documents_and_examples_import_is_public() -> None:
    texts = [*(text for _, text in scripts()), *(path.read_text() for path in PROGRAMS)]
    used = {each for text in texts for each in imports(text)}
    assert len(used) >= 8
    modules = {module.__name__: module for module in MODULES}
    assert {(module, name) for module, name in used
            if module not in modules or name not in modules[module].__all__} == set()


def test_every_public_name_exists_and_has_a_docstring() -> None:
    for module in MODULES:
        assert sorted({*module.__all__}) == sorted(module.__all__)
        for name, value in public(module):
            assert not callable(value) or inspect.getdoc(value), name


def test_every_error_is_public() -> None:
    package, errors = (importlib.import_module(f'{PACKAGE}{end}') for end in ('', '.errors'))
    assert {name for name, value in vars(errors).items()
            if inspect.isclass(value) and issubclass(value, Exception)} <= {*package.__all__}


def test_types_have_the_choices_of_the_tables() -> None:
    for choices, table in ((LanguageName, (*LANGUAGES, *PACKAGES)), (Style, (*STYLES, GENERAL)),
                           (BackEnd, BACKENDS), (BaseName, BASES),
                           (FrameAxes, FRAME_AXES)):
        assert {*get_args(choices)} == {*table}


@pytest.mark.slow
def test_mypy_accepts_the_programs_of_documents(tmp_path: Path) -> None:
    """With the options of the package, but a cache of its own: lint may run at the same time."""
    pytest.importorskip('mypy')
    paths = []
    for name, text in scripts():
        (tmp_path / name).write_text(text)
        paths.append(str(tmp_path / name))
    wrong = tmp_path / 'wrong.py'
    wrong.write_text("from urdf2dyn_ros import InverseDynamics\n"
                     "InverseDynamics('robot.urdf', backend='rust')\n")
    done = subprocess.run([sys.executable, '-m', 'mypy', '--cache-dir', '.mypy_cache/documents',
                           *paths, str(wrong)], cwd=ROOT, text=True, capture_output=True)
    faults = [line for line in done.stdout.splitlines()
              if ': error: ' in line and not UNTYPED.search(line)]
    assert len(faults) == 1 and 'wrong.py:2: error: Argument "backend"' in faults[0], done.stdout
