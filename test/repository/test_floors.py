"""The floors of the package: which folder may import which."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from support.paths import ROOT

PACKAGE = ROOT / 'urdf2dyn_ros'
FLOORS = {
    'ground': ['text', 'errors', 'system'],
    'robot': ['robot'],
    'equations': ['equations'],
    'generating': ['codegen', 'standing', 'generated_robot', 'link_motion', 'inverse_dynamics',
                   'export'],
    'estimating': ['estimation'],
    'recording': ['recordings'],
    'simulating': ['simulation'],
    'identifying': ['identification'],
    'ros': ['nodes'],
    'used': ['page', '__init__', 'commands', '__main__'],
}
"""Lowest first: the name of a floor to its folders."""

ORDER = [folder for folders in FLOORS.values() for folder in folders]
ROS = re.compile(r'(rclpy|ament_.*|tf2_.*|.*_(msgs|srvs|interfaces)|launch(_.*)?)$')


def imported(path: Path) -> Iterator[str]:
    """Yield the dotted names that a file imports, wherever it does."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'{path}: relative import'
            yield from (f'{node.module}.{alias.name}' for alias in node.names)


@cache
def names_by_file() -> dict[Path, list[str]]:
    return {path: [*imported(path)] for path in sorted(PACKAGE.rglob('*.py'))}


def test_no_folder_imports_one_above_it() -> None:
    """The package can be read from the ground floor up."""
    arrows = set()
    for path, names in names_by_file().items():
        folder = path.relative_to(PACKAGE).parts[0].removesuffix('.py')
        for name in names:
            top, _, rest = f'{name}.__init__'.partition('.')
            first = rest.partition('.')[0]
            if top == PACKAGE.name and first != folder:
                inside = (PACKAGE / first).is_dir() or (PACKAGE / f'{first}.py').is_file()
                arrows.add((path, folder, first if inside else '__init__'))
    assert len(arrows) > 100
    assert [(str(path), other) for path, folder, other in arrows
            if ORDER.index(other) > ORDER.index(folder)] == []


def test_no_files_import_each_other() -> None:
    """Folders without their __init__."""
    files = {path: {file for name in names
                    for whole in [PACKAGE.parent.joinpath(*name.split('.'))]
                    for file in (whole.with_suffix('.py'), whole.parent.with_suffix('.py'))
                    if file.is_file() and PACKAGE in file.parents}
             for path, names in names_by_file().items()}
    TopologicalSorter(files).prepare()   # raises a CycleError


def test_only_nodes_import_ros_and_nothing_imports_launch() -> None:
    """All else runs where ROS is not installed."""
    for path, names in names_by_file().items():
        found = {name for name in names if ROS.match(name.partition('.')[0])
                 # a command imports the demonstration when it runs, and reports what is missing
                 or (name.startswith('urdf2dyn_ros.nodes') and path.parent.name != 'commands')}
        if PACKAGE / 'nodes' in path.parents:
            found = {name for name in found if name.startswith('launch')}
        assert found == set(), path


def test_the_floors_list_every_folder_once() -> None:
    """Nothing that is gone, either."""
    there = {path.name.removesuffix('.py') for path in PACKAGE.iterdir()
             if path.suffix == '.py' or (path / '__init__.py').is_file()}
    assert sorted(ORDER) == sorted(there)
