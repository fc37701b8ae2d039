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
    'test_languages', 'test_demo', 'test_kalman', 'test_identify_demo', 'test_tune',
    'test_node_faults', 'test_compiled_kalman', 'test_effort_comparison', 'test_estimators',
    'test_joint_simulator', 'test_load', 'test_oracles', 'test_node_control',
    'test_languages_loads', 'test_compiled_loads', 'test_colcon', 'test_compiled_cache',
    'test_node_status', 'test_package', 'test_fewest_operations', 'test_benchmarks',
    'test_node_signals', 'test_wrenches_on_links', 'test_stream_machine', 'test_node_observer',
    'test_default_parameters', 'test_trajectory_file', 'test_base_sensors', 'test_gap',
    'test_node_loads', 'test_joint_types', 'test_tune_set_back', 'test_simulated_efforts',
    'test_regressor', 'test_identify_command', 'test_publishers', 'test_velocity_check',
    'test_plots', 'test_models', 'test_tune_command', 'test_node_publishers',
    'test_moving_base', 'test_compiled_compiler', 'test_base_faults', 'test_node',
    'test_scripts', 'test_accelerations', 'test_node_base', 'test_node_wrenches',
    'test_shared_memory', 'test_overruns', 'test_node_description')
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
