"""
The order of test files, equations as Python text unless a test names a back end, and Ctrl-C.

This file makes pytest add its folder to the path of imports, for the package `support`.

"""

import inspect
import signal
from collections.abc import Iterator

import pytest

from urdf2dyn_ros import InverseDynamics

LONGEST = (
    'test_languages', 'test_node_control', 'test_kalman', 'test_node_faults', 'test_gap',
    'test_demo', 'test_kalman_lag', 'test_load', 'test_compiled_kalman', 'test_effort_comparison',
    'test_languages_loads', 'test_node_status', 'test_simulated_efforts', 'test_node_signals',
    'test_tune_set_back', 'test_joint_simulator', 'test_fewest_operations', 'test_node',
    'test_evaluate', 'test_overruns', 'test_models', 'test_node_observer', 'test_oracles',
    'test_node_base', 'test_default_parameters', 'test_node_wrenches', 'test_compiled_cache',
    'test_node_loads', 'test_estimators', 'test_node_publishers', 'test_base_rates',
    'test_node_description', 'test_joint_types', 'test_shared_memory')
"""
The files that take longest, those that compute and those that wait for nodes in turn. A core that
has nothing to do at the end, because one long file was begun last, costs a minute.
"""

# The default compiles each robot, hundreds of random ones, which takes longer than their tests.
_MAKE = inspect.unwrap(InverseDynamics.__init__)
_MAKE.__defaults__ = tuple('python' if default == 'auto' else default
                           for default in _MAKE.__defaults__ or ())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest files first, which needs xdist's option ``--no-loadscope-reorder``."""
    rank = {name: k for k, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(LONGEST)))


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C has an effect, also if the tests run in the background, where it is ignored."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)
