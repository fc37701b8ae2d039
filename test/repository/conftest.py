"""Examples, documents and benchmarks run as a developer does it, with all that ``.[test]`` has."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.missing_packages import STRICT

PROGRAMS_NEED = ('dartpy', 'mujoco', 'pinocchio', 'rosbags')
RUN_PROGRAMS = ('test_benchmarks', 'test_colcon', 'test_documents', 'test_examples',
                'test_notebook', 'test_package')


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip files whose programs import packages that are missing, as under ROS."""
    missing = [name for name in PROGRAMS_NEED if find_spec(name) is None]
    if missing and not os.environ.get(STRICT):
        skip = pytest.mark.skip(reason=f'{", ".join(missing)} not installed')
        for item in items:
            if item.path.parent == Path(__file__).parent and item.path.stem in RUN_PROGRAMS:
                item.add_marker(skip)
