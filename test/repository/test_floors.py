"""The floors of the package: which folder may import which."""

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from support.imports import imported_names
from support.paths import ROOT

PACKAGE = ROOT / 'urdf2dyn_ros'

Floors = Mapping[str, Sequence[str]]
FLOORS: Floors = {
    'ground': ['text', 'errors', 'signals', 'system'],
    'robot': ['robot'],
    'equations': ['equations'],
    'generating': ['codegen', 'inverse_dynamics', 'export'],
    'estimating': ['estimation'],
    'recording': ['recordings'],
    'simulating': ['simulation'],
    'identifying': ['identification'],
    'ros': ['nodes'],
    'used': ['page', '__init__', 'commands', '__main__'],
}
"""Lowest first: the name of a floor to its folders."""


def imported(path: Path, package: Path) -> Iterator[str]:
    """Yield the folders and modules of a package that a file of it imports."""
    for name in imported_names(path):
        top, _, rest = f'{name}.__init__'.partition('.')
        if top == package.name:
            first = rest.partition('.')[0]
            known = (package / first).is_dir() or (package / f'{first}.py').is_file()
            yield first if known else '__init__'


def imported_files(path: Path, package: Path) -> Iterator[Path]:
    """Yield the files of a package that a file of it imports; folders without their __init__."""
    for name in imported_names(path):
        whole = package.parent.joinpath(*name.split('.'))
        yield from (file for file in (whole.with_suffix('.py'), whole.parent.with_suffix('.py'))
                    if file.is_file() and package in file.parents)


def false_arrows(package: Path, floors: Floors) -> list[str]:
    """Return what no floor allows, a line for each arrow and for each folder on no floor."""
    order = [folder for folders in floors.values() for folder in folders]
    faults = []
    for path in sorted(package.rglob('*.py')):
        folder = path.relative_to(package).parts[0].removesuffix('.py')
        for other in sorted({*imported(path, package)} - {folder}):
            arrow = f'{path.relative_to(package)} imports {other}'
            if not {folder, other} <= {*order}:
                faults.append(f'{arrow}: {", ".join({folder, other} - {*order})} on no floor')
            elif order.index(other) > order.index(folder):
                faults.append(f'{arrow}, which stands above {folder}')
    return faults


def test_no_folder_imports_one_above_it() -> None:
    """The package can be read from the ground floor up."""
    assert false_arrows(PACKAGE, FLOORS) == []


def in_circles(package: Path) -> list[str]:
    """Return the files that import each other in a circle, or none."""
    files = {path: {*imported_files(path, package)} for path in package.rglob('*.py')}
    try:
        TopologicalSorter(files).prepare()
    except CycleError as error:
        return [str(path.relative_to(package)) for path in error.args[1]]
    return []


def test_no_files_import_each_other() -> None:
    assert in_circles(PACKAGE) == []


def test_a_circle_of_files_is_found(tmp_path: Path) -> None:
    (tmp_path / 'house').mkdir()
    for name, text in (('a', 'from house import b'), ('b', 'from house.c import one'),
                       ('c', 'import os')):
        (tmp_path / 'house' / f'{name}.py').write_text(text)
    assert in_circles(tmp_path / 'house') == []
    (tmp_path / 'house' / 'c.py').write_text('def f():\n    import house.a')
    assert {*in_circles(tmp_path / 'house')} == {'a.py', 'b.py', 'c.py'}


def test_the_floors_list_every_folder_once() -> None:
    """Nothing that is gone, either."""
    folders = [folder for folders in FLOORS.values() for folder in folders]
    there = {path.name.removesuffix('.py') for path in PACKAGE.iterdir()
             if path.suffix == '.py' or (path / '__init__.py').is_file()}
    assert sorted(folders) == sorted(there)


def parameters_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the number of parameters without self or cls; ``**parameters`` is one."""
    known = function.args
    names = [each.arg for each in (*known.posonlyargs, *known.args, *known.kwonlyargs)]
    return len([name for name in names if name not in ('self', 'cls')]) + sum(
        each is not None for each in (known.vararg, known.kwarg))


def test_no_function_has_more_than_eight_parameters() -> None:
    """More need a type that names what belongs together."""
    counts = {f'{path.relative_to(PACKAGE)}: {node.name}': parameters_of(node)
              for path in PACKAGE.rglob('*.py') for node in ast.walk(ast.parse(path.read_text()))
              if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    assert counts['export.py: export_model'] == 8
    assert [name for name, count in counts.items() if count > 8] == []


@pytest.mark.parametrize(('folder', 'text', 'fault'), [
    ('sensors', 'from house.ground import one', ''),
    ('top', 'import house.sensors.file, house.texts.file', ''),
    ('ground', 'import os, houses.top', ''),
    ('ground', 'from house.top.file import one', 'which stands above ground'),
    ('ground', 'import house.top.file as top', 'which stands above ground'),
    ('ground', 'from house import top', 'which stands above ground'),
    ('ground', 'from house import one', '__init__, which stands above ground'),
    ('ground', 'def f():\n    from house.top import one', 'which stands above ground'),
    ('ground', 'if TYPE_CHECKING:\n    from house.top import one', 'which stands above ground'),
    ('sensors', 'from house.texts import one', 'which stands above sensors'),
    ('top', 'from house.cellar import one', 'cellar on no floor'),
])
def test_a_false_arrow_is_found(folder: str, text: str, fault: str, tmp_path: Path) -> None:
    """In a package of this name with these floors, also in functions and for types alone."""
    floors = {'ground': ['ground'], 'measuring': ['sensors'], 'generating': ['texts'],
              'use': ['top', '__init__']}
    package = tmp_path / 'house'
    for name in ('ground', 'sensors', 'texts', 'top', 'cellar'):
        (package / name).mkdir(parents=True)
    (package / folder / 'file.py').write_text(text)
    faults = false_arrows(package, floors)
    assert len(faults) == bool(fault) and all(line.endswith(fault) for line in faults)


IMPORTED = """
import importlib, pkgutil, sys
sys.modules['lxml'] = None   # import raises ImportError
for folder in sys.argv[1:]:
    package = importlib.import_module(f'urdf2dyn_ros.{folder}')
    for module in pkgutil.walk_packages(package.__path__, f'{package.__name__}.'):
        importlib.import_module(module.name)
print(*{name.split('.')[1] for name in sys.modules if name.startswith('urdf2dyn_ros.')})
"""


def loaded_with(*folders: str) -> set[str]:
    """Return the folders that are imported with these, where there is no lxml."""
    done = subprocess.run([sys.executable, '-c', IMPORTED, *folders], cwd=ROOT, text=True,
                          capture_output=True, timeout=230)
    assert done.returncode == 0, done.stderr
    return {*done.stdout.split()}


def test_only_the_reader_of_urdf_needs_lxml() -> None:
    """Equations, languages and filters work where it is not installed."""
    folders = {'equations', 'codegen', 'estimation'}
    assert folders <= loaded_with(*folders)
