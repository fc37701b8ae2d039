"""What Gazebo Sim and ros2_control would read."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from support.paths import RECORDINGS, ROOT
from support.robot_files import EXAMPLES, OWN
from urdf2dyn_ros.errors import ParameterError, UrdfError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.reader import read_urdf
from urdf2dyn_ros.robot.writer import PLUGINS, gazebo_urdf
from urdf2dyn_ros.simulation import simulator_class
from urdf2dyn_ros.simulation.simulator import find_gears
from urdf2dyn_ros.simulation.trajectories import SmoothTrajectory

yaml = pytest.importorskip('yaml', reason='PyYAML is not installed; it comes with ROS 2')

CONFIG = ROOT / 'config' / 'rx90_controllers.yaml'
RX90 = OWN / 'rx90.urdf'
UR5 = EXAMPLES / 'ur_description' / 'urdf' / 'ur5_robot.urdf'

# What joint_trajectory_controller declares on Humble, Jazzy and Kilted alike, with its type; a
# name that is not declared is not refused, but has no effect.
DECLARED = {'joints': list, 'command_interfaces': list, 'state_interfaces': list, 'gains': dict}
GAINS = {'p': float, 'i': float, 'd': float, 'ff_velocity_scale': float}
COMMANDS = ('position', 'velocity', 'acceleration', 'effort')
STATES = ('position', 'velocity', 'acceleration')
TYPES = {'joint_state_broadcaster': 'joint_state_broadcaster/JointStateBroadcaster',
         'joint_trajectory_controller': 'joint_trajectory_controller/JointTrajectoryController'}


def panda():
    """Return the Panda with fingers that are moved one by one."""
    file = EXAMPLES / 'panda_description' / 'urdf' / 'panda.urdf'
    return re.sub('<mimic[^>]*>', '', file.read_text(encoding='utf-8'))


def parameters(name):
    return yaml.safe_load(CONFIG.read_text(encoding='utf-8'))[name]['ros__parameters']


@pytest.mark.parametrize('robot', [RX90, UR5], ids=lambda robot: robot.stem)
def test_the_dynamics_are_those_of_the_robot(robot):
    """Our reader takes the tags for what they are to it: nothing."""
    text = robot.read_text(encoding='utf-8')
    ours, theirs = (InverseDynamics(read_urdf(t)) for t in (text, gazebo_urdf(text, 'c.yaml')))
    assert ours.joint_names == theirs.joint_names
    states = np.random.default_rng(1).normal(size=(3, 20, len(ours.joint_names)))
    np.testing.assert_allclose(theirs(*states), ours(*states), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize('plugins', PLUGINS)
def test_every_joint_has_the_interfaces_of_ros2_control(plugins):
    robot = ElementTree.fromstring(gazebo_urdf(RX90.read_text(), '/etc/c.yaml', plugins))
    control, = robot.iterfind('ros2_control')
    assert control.get('type') == 'system'
    assert control.findtext('hardware/plugin') == {
        'gz': 'gz_ros2_control/GazeboSimSystem', 'ign': 'ign_ros2_control/IgnitionSystem'}[plugins]
    joints = list(control.iterfind('joint'))
    assert [joint.get('name') for joint in joints] == [f'joint{i}' for i in range(1, 7)]
    for joint in joints:
        for kind in ('command_interface', 'state_interface'):
            assert [interface.get('name') for interface in joint.iterfind(kind)] == [
                'position', 'velocity', 'effort']
        assert float(joint.findtext('state_interface/param[@name="initial_value"]')) == 0.0
    plugin = robot.find('gazebo/plugin')
    assert plugin.get('filename') == f'{plugins}_ros2_control-system'
    assert plugin.get('name').startswith(f'{plugins}_ros2_control::')
    assert plugin.findtext('parameters') == '/etc/c.yaml'


def test_the_robot_is_welded_to_the_world_and_no_link_is_dropped():
    robot = ElementTree.fromstring(gazebo_urdf(RX90.read_text(), 'c.yaml'))
    parents = {joint.find('child').get('link'): joint for joint in robot.iterfind('joint')}
    assert parents['base'].get('type') == 'fixed'
    assert parents['base'].find('parent').get('link') == 'world'
    for link in robot.iterfind('link'):
        assert link.get('name') == 'world' or float(link.find('inertial/mass').get('value')) > 0.0


def test_a_root_that_has_a_mass_keeps_it():
    text = panda()
    assert read_urdf(gazebo_urdf(text, 'c.yaml')).mass == pytest.approx(read_urdf(text).mass)


def test_a_robot_starts_within_its_limits():
    robot = ElementTree.fromstring(gazebo_urdf(panda(), 'c.yaml'))
    start = {joint.get('name'): float(joint.findtext('state_interface/param'))
             for joint in robot.iterfind('ros2_control/joint')}
    assert start['panda_joint4'] == pytest.approx(-0.0698)
    assert start['panda_joint1'] == 0.0


def test_a_description_with_tags_of_its_own_is_left_as_it_is():
    text = gazebo_urdf(RX90.read_text(), 'mine.yaml', 'ign')
    again = gazebo_urdf(text, 'other.yaml', 'gz')
    assert ElementTree.canonicalize(again) == ElementTree.canonicalize(text)


LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" ' \
       'iyz="0" izz="1"/></inertial></link>'
JOINT = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{0}_end"/>' \
        '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>{3}</joint>'


@pytest.mark.parametrize(('extra', 'words'), [
    (JOINT.format('a', 'revolute', 'base', '') + '<link name="a_end"/>', ['"a_end"', 'mass']),
    (JOINT.format('a', 'planar', 'base', '') + LINK.format('a_end'), ['"a"', 'planar']),
    ('<joint name="w" type="fixed"><parent link="base"/><child link="world"/></joint>'
     '<link name="world"/>', ['"world"', 'root']),
])
def test_what_gazebo_would_simulate_in_part_is_refused(extra, words):
    with pytest.raises(UrdfError) as caught:
        gazebo_urdf(f'<robot name="r">{LINK.format("base")}{extra}</robot>', 'c.yaml')
    for word in words:
        assert word in str(caught.value)


def test_a_mimic_joint_has_no_command():
    """Of a stock Panda the second finger; on Humble it depends on the release."""
    text = (EXAMPLES / 'panda_description' / 'urdf' / 'panda.urdf').read_text(encoding='utf-8')
    robot = ElementTree.fromstring(gazebo_urdf(text, 'c.yaml'))
    kinds = {joint.get('name'): {each.tag for each in joint}
             for joint in robot.iterfind('ros2_control/joint')}
    assert kinds.pop('panda_finger_joint2') == {'state_interface'}
    assert all('command_interface' in each for each in kinds.values())
    with pytest.raises(UrdfError, match=r'panda_finger_joint2.*follows'):
        gazebo_urdf(text, 'c.yaml', 'ign')


@pytest.mark.parametrize(('name', 'words'), [
    ('massless', 'attach what follows it to "a"'), ('massless_keep', 'link "frame"'),
    ('impossible', 'principal moments'), ('tiny', 'links of up to 1e-06 kg')])
def test_what_real_gazebo_refused_or_changed_is_refused(name, words):
    path = RECORDINGS / 'gazebo' / 'rejected' / f'{name}.urdf'
    if not path.exists():
        pytest.skip(f'{path.name} is not part of the repository')
    with pytest.raises(UrdfError, match=words):
        gazebo_urdf(path.read_text(), 'c.yaml')


def test_what_is_fixed_to_a_world_has_a_mass():
    """Gazebo says of a massless base that a model must have a link."""
    text = RX90.read_text().replace('</robot>', '<link name="world"/><joint name="w" type="fixed">'
                                    '<parent link="world"/><child link="base"/></joint></robot>')
    robot = ElementTree.fromstring(gazebo_urdf(text, 'c.yaml'))
    assert float(robot.find('link[@name="base"]/inertial/mass').get('value')) > 0.0
    assert len(robot.findall('link[@name="world"]')) == 1


def test_unknown_plugins_are_refused():
    with pytest.raises(ParameterError, match='gz, ign'):
        gazebo_urdf(RX90.read_text(), 'c.yaml', 'gazebo')


def test_the_manager_knows_the_type_of_every_controller():
    manager = parameters('controller_manager')
    assert manager.pop('update_rate') == 1000
    assert {name: controller['type'] for name, controller in manager.items()} == TYPES


def test_the_trajectory_controller_s_parameters_are_declared_ones_of_the_right_types():
    """A whole number where a double is declared would end the controller's configuration."""
    values = parameters('joint_trajectory_controller')
    assert {name: type(value) for name, value in values.items()} == DECLARED
    joints = [joint.name for joint in read_urdf(RX90.read_text()).joints]
    assert values['joints'] == joints == list(values['gains'])
    assert set(values['command_interfaces']) <= set(COMMANDS)
    assert set(values['state_interfaces']) <= set(STATES)
    for gains in values['gains'].values():
        assert all(type(value) is GAINS[name] for name, value in gains.items())


def test_the_gains_move_the_arm_with_the_delay_of_a_control_loop():
    """As the controller does it in Gazebo: an effort of a step before, and no model of the arm."""
    pytest.importorskip('dartpy', exc_type=ImportError)
    model = read_urdf(RX90.read_text())
    gains = parameters('joint_trajectory_controller')['gains']
    p, d = (np.array([gains[joint.name][name] for joint in model.joints]) for name in 'pd')
    arm = simulator_class('dart')(model)
    motion = SmoothTrajectory([joint.type for joint in model.joints],
                              find_gears(model).limits, 4.5)
    arm.set_state(motion.centre, np.zeros(6))
    effort, errors = np.zeros(6), []
    while arm.time < 5.0:
        q, qd, _ = motion(arm.time)
        delayed, effort = effort, p * (q - arm.q) + d * (qd - arm.qd)
        errors.append(arm.step(delayed).q - q)
        assert (np.abs(delayed) <= [joint.limits.effort for joint in model.joints]).all()
    assert np.abs(errors).max() < 0.04
    assert np.abs(errors[-1]).max() < 0.03
    assert np.abs(arm.qd).max() < 0.01
