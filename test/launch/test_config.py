"""config/dynamics.yaml: what the table of parameters gives, and what rcl makes of it."""

import json
import signal
import subprocess
import sys

import pytest
import rclpy
import yaml
from rclpy.parameter import Parameter as RosParameter

from support.nodes.graph import Graph, domain
from support.paths import ROOT
from urdf2dyn_ros.nodes.effort_comparison import COMPARISON_PARAMETERS
from urdf2dyn_ros.nodes.inverse_dynamics import NODE_PARAMETERS
from urdf2dyn_ros.nodes.joint_simulator import SIMULATOR_PARAMETERS
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.system import robot_file

FILE = ROOT / 'config' / 'dynamics.yaml'
KINDS = {bool: RosParameter.Type.BOOL, int: RosParameter.Type.INTEGER,
         float: RosParameter.Type.DOUBLE, str: RosParameter.Type.STRING,
         (float,): RosParameter.Type.DOUBLE_ARRAY, (str,): RosParameter.Type.STRING_ARRAY}


def test_make_config_writes_the_file() -> None:
    """The recipe, as make would run it; if this fails, run ``make config``."""
    told = subprocess.run(['make', '-n', 'config'], cwd=ROOT, text=True,
                          capture_output=True, check=True).stdout.splitlines()
    (command, into), = (line.split(' > ') for line in told if 'config_file' in line)
    assert ROOT / into == FILE
    done = subprocess.run([sys.executable, *command.split()[1:]], cwd=ROOT, text=True,
                          capture_output=True)
    assert done.stdout == FILE.read_text(), done.stderr
    assert max(map(len, done.stdout.splitlines())) < 99   # it fits an editor


@pytest.mark.parametrize('row', [*NODE_PARAMETERS, *COMPARISON_PARAMETERS, *SIMULATOR_PARAMETERS],
                         ids=lambda row: row.name)
def test_every_parameter_has_a_meaning(row: Parameter) -> None:
    assert len(row.meaning.split()) >= 3
    assert row.meaning[0].isupper()
    assert row.meaning.endswith('.')
    assert row.check(row.default) == row.default


@pytest.mark.parametrize('row', [row for row in (
    *NODE_PARAMETERS, *COMPARISON_PARAMETERS, *SIMULATOR_PARAMETERS) if row.choices],
    ids=lambda row: row.name)
def test_a_choice_is_no_other_word_of_yaml(row: Parameter) -> None:
    """``ros2 param load`` reads each value once more as YAML 1.1, where on is true."""
    assert [yaml.safe_load(choice) for choice in row.choices] == list(row.choices)


def test_rcl_reads_the_defaults_in_their_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """In any namespace; the description alone is not in the file."""
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    context = rclpy.Context()
    context.init(args=['--ros-args', '--params-file', str(FILE)], domain_id=domain())
    node = rclpy.create_node('inverse_dynamics', context=context, namespace='/left/arm',
                             automatically_declare_parameters_from_overrides=True)
    try:
        assert not node.has_parameter('robot_description')
        for row in NODE_PARAMETERS:
            if row.name == 'robot_description':
                continue
            parameter = node.get_parameter(row.name)
            kind = (type(row.default[0]),) if isinstance(row.default, tuple) else type(row.default)
            assert parameter.type_ == KINDS[kind], row.name
            value = parameter.value
            assert (tuple(value) if isinstance(row.default, tuple) else value) == row.default
    finally:
        node.destroy_node()
        context.try_shutdown()


def test_the_node_starts_with_it_and_keeps_a_description_before_it() -> None:
    """What stands later on the command line wins, so an empty text would have erased it."""
    text = json.dumps(robot_file('scara').read_text(), ensure_ascii=False)
    arguments = ['-p', f'robot_description:={text}', '--params-file', str(FILE)]
    with Graph() as graph, graph.process('inverse_dynamics', arguments=arguments) as node:
        graph.wait(lambda: "model of 'scara'" in node.output, what='model')
        assert node.stop(signal.SIGTERM) == 0
