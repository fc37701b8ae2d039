"""
launch/demo.launch.py, by ROS 2's own launch, where packages that it needs are missing.

The launch stack is not on PyPI, so `make test` skips this; test_launch.py says how it is run.

"""

from contextlib import suppress
from pathlib import Path

import pytest
from launch_prefix import LAUNCH, Prefix

pytest.importorskip('launch_ros', reason='launch comes with ROS 2, not from PyPI')


def nodes_of(prefix: Path) -> list[str]:
    """Return the commands of the processes that run from a prefix."""
    commands = []
    for path in Path('/proc').glob('[0-9]*/cmdline'):
        with suppress(OSError):   # it has ended
            commands.append(path.read_text().replace('\0', ' '))
    return [command for command in commands if f'{prefix}/lib/' in command]


@pytest.mark.parametrize('package', ['robot_state_publisher', 'rviz2'])
def test_nothing_is_started_if_a_package_is_missing(tmp_path, package):
    prefix = Prefix(tmp_path, 'demo.launch.py', missing=[package])
    code, output = prefix.start(LAUNCH, 'rviz:=true').wait(120.0), prefix.output.read_text()
    assert code != 0, output
    assert f"package '{package}' not found" in output
    assert 'process started' not in output


def test_a_description_that_is_not_utf_8_is_named(tmp_path):
    path = tmp_path / 'robot.urdf'
    path.write_bytes(b'<robot name="\xff"/>')
    prefix = Prefix(tmp_path, 'demo.launch.py')
    code, output = prefix.start(LAUNCH, f'urdf:={path}').wait(120.0), prefix.output.read_text()
    assert code != 0, output
    assert f'{str(path)!r} is not UTF-8; save it as UTF-8' in output
    assert 'process started' not in output


def test_a_duration_that_is_no_number_is_named(tmp_path):
    prefix = Prefix(tmp_path, 'demo.launch.py')
    code, output = prefix.start(LAUNCH, 'duration:=long').wait(120.0), prefix.output.read_text()
    assert code != 0, output
    assert "duration: 'long' is no number of seconds" in output
    assert 'process started' not in output


def test_another_file_of_parameters_is_used_and_a_misspelt_argument_is_named(tmp_path):
    prefix = Prefix(tmp_path, 'demo.launch.py')
    prefix.start(LAUNCH, 'config:=/nonexistent.yaml', 'respwan:=true').wait(120.0)
    output = prefix.output.read_text()
    assert "config: there is no file '/nonexistent.yaml'" in output
    assert nodes_of(tmp_path) == []   # they would run on without launch
    assert ('demo.launch.py has no argument "respwan", it has no effect: did you mean "respawn"?'
            in output)
