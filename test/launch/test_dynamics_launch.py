"""
launch/dynamics.launch.py, by ROS 2's own launch: what it does with unusable parameters.

The launch stack is not on PyPI, so `make test` skips this; test_launch.py says how it is run.

"""

import pytest

from support.nodes.launch_prefix import LAUNCH, Prefix

pytest.importorskip('launch_ros', reason='launch comes with ROS 2, not from PyPI')


def test_a_node_with_unusable_parameters_is_not_started_again(tmp_path):
    """With respawn: they would be unusable each time."""
    config = tmp_path / 'config.yaml'
    config.write_text('inverse_dynamics:\n  ros__parameters:\n    gravity: down\n')
    prefix = Prefix(tmp_path, 'dynamics.launch.py')
    prefix.start(LAUNCH, 'respawn:=true', f'config:={config}').wait(120.0)
    output = prefix.output.read_text()
    assert output.count('process started') == 1, output
    assert 'parameter gravity = ' in output
    assert 'inverse_dynamics-1 is not started again: its parameters are unusable' in output
