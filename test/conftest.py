"""
The order of test files, equations as Python text unless a test names a back end, and Ctrl-C.

This file makes pytest add its folder to the path of imports, for the package `support`.

"""

import gc
import inspect
import logging
import signal
from collections.abc import Iterator

import pytest

from support.missing_packages import pytest_pycollect_makemodule as pytest_pycollect_makemodule
from urdf2dyn_ros import InverseDynamics

LONGEST = (
    'test_languages', 'test_demo', 'test_every_motion', 'test_twins', 'test_load',
    'test_compiled_kalman', 'test_languages_loads', 'test_node_control',
    'test_kalman', 'test_gap', 'test_default_parameters', 'test_identify_demo', 'test_package',
    'test_oracles', 'test_effort_comparison', 'test_simulated_efforts', 'test_compiled_cache',
    'test_repeated_positions', 'test_node_faults', 'test_fewest_operations', 'test_estimators',
    'test_stream_machine', 'test_colcon', 'test_effort_checks',
    'test_node_status', 'test_compiled_loads', 'test_gate', 'test_base_faults',
    'test_joint_simulator', 'test_publishers', 'test_joint_types', 'test_identify_command',
    'test_node_observer', 'test_benchmarks', 'test_documents', 'test_node_loads',
    'test_forward_dynamics', 'test_adaptation', 'test_accelerations', 'test_trajectory_file',
    'test_wrenches_on_links', 'test_compiled_compiler', 'test_models', 'test_start',
    'test_base_sensors', 'test_kalman_lag', 'test_security_policy', 'test_moving_base',
    'test_regressor', 'test_operations', 'test_node_hold', 'test_scripts', 'test_c_trigonometry',
    'test_velocity_check', 'test_node_signals', 'test_evaluate_observer', 'test_single_precision',
    'test_node', 'test_simulators', 'test_identify_recordings', 'test_outliers',
    'test_node_publishers', 'test_examples', 'test_stream', 'test_misfits',
    'test_misspelt_parameters', 'test_momentum', 'test_overruns',
    'test_executors', 'test_workers', 'test_node_base', 'test_node_description',
    'test_node_wrenches', 'test_serialized', 'test_shared_memory')
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
    gc.freeze()   # what was imported stays
    gc.set_threshold(500_000, 20, 20)   # a robot's expressions, all in use, are many objects
    items.sort(key=lambda item: rank.get(item.path.stem, len(LONGEST)))


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C has an effect, also if the tests run in the background, where it is ignored."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


@pytest.fixture
def caplog(caplog: pytest.LogCaptureFixture,
           monkeypatch: pytest.MonkeyPatch) -> pytest.LogCaptureFixture:
    """Receive this package's messages under ROS too: launch has loggers that keep theirs."""
    monkeypatch.setattr(logging, '_loggerClass', logging.Logger)   # of those that a test names
    for name, logger in logging.root.manager.loggerDict.items():
        if name.startswith('urdf2dyn_ros') and isinstance(logger, logging.Logger):
            monkeypatch.setattr(logger, 'propagate', True)
    return caplog
