"""Misspelt arguments of launch files: launch ignores them without a word."""

import pytest

from urdf2dyn_ros.nodes import given_arguments, number_argument, unknown_arguments

FILE, KNOWN = '/opt/share/urdf2dyn_ros/launch/dynamics.launch.py', ('urdf', 'lifecycle')
COMMAND = ('/opt/ros/bin/ros2', 'launch', 'urdf2dyn_ros', 'dynamics.launch.py')


def test_a_misspelt_argument_is_named_with_the_nearest() -> None:
    assert unknown_arguments(FILE, KNOWN, [*COMMAND, 'urdf:=a.urdf', 'lifecyle:=true']) == [
        'dynamics.launch.py has no argument "lifecyle", it has no effect: '
        'did you mean "lifecycle"?']


def test_an_argument_like_no_other_has_the_list() -> None:
    [sentence] = unknown_arguments(FILE, KNOWN, [*COMMAND, 'speed:=2'])
    assert sentence.endswith('"speed", it has no effect: there are "urdf", "lifecycle"')


def test_arguments_are_of_the_launch_file_that_the_command_names() -> None:
    given = [*COMMAND, 'params_file:=a.yaml', 'xacro_args:=prefix:=left_']
    assert given_arguments(FILE, given) == {'params_file': 'a.yaml', 'xacro_args': 'prefix:=left_'}
    assert given_arguments('/opt/other.launch.py', given) == {}


@pytest.mark.parametrize('command', [
    [*COMMAND, '-d', 'urdf:=a.urdf', 'lifecycle:=true'],
    [*COMMAND, 'launch-prefix:=gdb'],                          # of ros2 launch
    ['ros2', 'launch', FILE, 'urdf:=a.urdf'],
    ['ros2', 'launch', 'arm', 'arm.launch.py', 'speed:=2'],    # which includes the file
    ['pytest'],
])
def test_others_are_not_named(command: list[str]) -> None:
    assert not unknown_arguments(FILE, KNOWN, command)


def test_a_number_that_is_none_is_named_with_its_argument() -> None:
    assert number_argument('gravity', '-9.8', 'm/s^2') == -9.8
    for text in ('moon', 'nan', 'inf', ''):
        with pytest.raises(ValueError, match=r'^gravity:=\w*: it must be a number \[m/s\^2\]$'):
            number_argument('gravity', text, 'm/s^2')
