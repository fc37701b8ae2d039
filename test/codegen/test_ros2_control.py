"""The exported controller: it compiles, keeps its promises, and moves a simulated arm."""

import importlib.util
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from language_tools import DRIVERS

from support.mechanisms import mechanism
from support.paths import ROOT
from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, RobotModel, export_model, read_urdf
from urdf2dyn_ros.codegen.ros2_control import CONTACTS, ContactRule
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.estimation.observer import ContactDetector, MomentumObserver
from urdf2dyn_ros.export import write_files
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.terms import Friction

WARNINGS = ['-O2', '-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Werror']
STANDINS = DRIVERS / 'ros2_control'
# versions of controller_interface: Humble, Jazzy before and after two changes, Rolling
VERSIONS = [(2, 54), (4, 26), (4, 43), (4, 46), (6, 8)]
FRICTION = [Friction(viscous=30.0, coulomb=20.0), Friction(viscous=40.0, coulomb=25.0),
            Friction(viscous=20.0, coulomb=12.0, load=0.05),
            Friction(viscous=4.0, coulomb=3.0, stribeck=1.0),
            Friction(viscous=3.0, coulomb=2.0, offset=0.3, quadratic=0.2, asymmetry=-1.0),
            Friction(viscous=1.0, coulomb=0.8)]
LOADS = Loads(terms={f'joint{k}': [term] for k, term in enumerate(FRICTION, 1)})
MODEL = read_urdf((OWN / 'rx90.urdf').read_bytes())
LINK = ('<link name="{0}"><inertial><origin xyz="0.02 0.03 0.1"/><mass value="0.8"/><inertia '
        'ixx="0.05" ixy="0.004" ixz="0" iyy="0.06" iyz="0" izz="0.04"/></inertial></link>')
JOINT = ('<joint name="{0}_joint" type="{1}"><parent link="{2}"/><child link="{0}"/>'
         '<origin xyz="0.1 0 0.3" rpy="0.2 0.4 -0.3"/><axis xyz="{3}"/>'
         '<limit lower="-2" upper="2" effort="9" velocity="3"/>{4}</joint>')
GRIPPER = f"""<robot name="Two__Fingers"><link name="base"/>
{''.join(map(LINK.format, ('hand', 'left', 'right')))}
{JOINT.format('hand', 'continuous', 'base', '0.6 0 0.8', '')}
{JOINT.format('left', 'prismatic', 'hand', '0 1 0', '')}
{JOINT.format('right', 'prismatic', 'hand', '0 1 0',
              '<mimic joint="left_joint" multiplier="-0.5" offset="0.02"/>')}</robot>"""
RULE = ContactRule((100.0, 80.0, 120.0, 100.0, 100.0, 50.0), (5.0, 6.0, 5.0, 2.0, 2.0, 0.0))
FORWARDED = (
    'control_msgs/msg/dynamic_joint_state.hpp',
    'controller_interface/chainable_controller_interface.hpp',
    'controller_interface/controller_interface.hpp', 'controller_interface/version.h',
    'pluginlib/class_list_macros.hpp', 'rclcpp/rclcpp.hpp', 'rclcpp_lifecycle/state.hpp',
    'rclcpp_lifecycle/lifecycle_node.hpp', 'realtime_tools/realtime_buffer.hpp',
    'realtime_tools/realtime_publisher.hpp', 'std_srvs/srv/trigger.hpp',
    'trajectory_msgs/msg/joint_trajectory_point.hpp', 'gtest/gtest.h', 'tl/expected.hpp')


class Package:
    """An exported package in a folder, with stand-ins for the headers that it includes."""

    def __init__(self, robot: RobotModel, loads: Loads, folder: Path,
                 contacts: ContactRule = CONTACTS) -> None:
        files = export_model(robot, 'ros2_control', loads=loads, contacts=contacts)
        write_files(files, folder)
        self.name, = {file.partition('/')[0] for file in files}
        self.robot = self.name.removesuffix('_dynamics_controller')
        self.folder, self.standins = folder / self.name, folder / 'standins'
        parameters = f'{self.name}/{self.name}_parameters.hpp'
        texts = {**dict.fromkeys(FORWARDED, '#include "standins.hpp"\n'),
                 parameters: parameter_library(self.folder / 'src' / 'parameters.yaml'),
                 # generate_parameter_library has a copy of it beside what it makes
                 f'{self.name}/validators.hpp': self.text('validators.hpp')}
        for path, text in texts.items():
            (self.standins / path).parent.mkdir(parents=True, exist_ok=True)
            (self.standins / path).write_text(text)

    def text(self, header: str) -> str:
        return (self.folder / 'include' / self.name / header).read_text()

    def compile(self, compiler: str, output: Path, *arguments: str | Path) -> Path:
        """Compile with all warnings as errors; the equations are C, the rest C++."""
        c = {'g++': 'gcc', 'clang++': 'clang'}[compiler]
        if shutil.which(compiler) is None:
            pytest.skip(f'{compiler} is not installed; .ci/run takes it from Debian')
        model = output.with_suffix('.o')
        includes = [f'-I{self.folder}/include', f'-I{self.standins}', f'-I{STANDINS}']
        run(c, '-std=c99', '-fPIC', *WARNINGS, f'-I{self.folder}/include/{self.name}', '-c',
            self.folder / 'src' / f'{self.robot}_dynamics.c', '-o', model)
        run(compiler, '-std=c++17', *WARNINGS, *includes, *arguments, model, '-lm', '-o', output)
        return output


def run(*words: str | Path, given: str = '') -> str:
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False,
                          input=given)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def parameter_library(path: Path) -> str:
    """Return what generate_parameter_library makes of a file, as far as the controller uses it."""
    (space, rows), = yaml.safe_load(path.read_text()).items()
    kinds = {'double': 'double', 'string': 'std::string', 'double_array': 'std::vector<double>'}
    read, checks = [], []

    def fields(rows: dict, prefix: str) -> str:
        text = ''
        for name, row in rows.items():
            if 'type' not in row:
                text += f'struct {{ {fields(row, f"{prefix}{name}.")}}} {name};\n'
                continue
            assert row['description'].strip() and len(row['description']) < 300
            default, kind = row['default_value'], kinds[row['type']]
            value = (f'"{default}"' if isinstance(default, str) else
                     str(default).replace('[', '{').replace(']', '}'))
            text += f'{kind} {name} = {value};\n'
            checks.extend(f'if (parameter.get_name() == "{prefix}{name}") {{ if (auto valid = '
                          f'{function}(parameter); !valid) {{ return valid.error(); }} }}\n'
                          for function in row.get('validation', {}) if '::' in function)
            read.append(f'if (node_->parameters.count("{prefix}{name}")) {{ result.{prefix}{name} '
                        f'= std::get<{kind}>(node_->parameters["{prefix}{name}"]); }}\n')
        return text

    struct = fields(rows, '')
    return f"""#include "standins.hpp"
#include "validators.hpp"
namespace {space} {{
struct Params {{ {struct} int stamp = -1; }};
class ParamListener {{
public:
  explicit ParamListener(std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node) : node_(node)
  {{
    node->validate = [](const rclcpp::Parameter & parameter) -> std::string {{
        {''.join(checks)}
        return "";
      }};
  }}
  Params get_params() const {{
    Params result;
    {''.join(read)}
    result.stamp = node_->changes;
    return result;
  }}
  bool is_old(const Params & other) const {{ return other.stamp != node_->changes; }}
private:
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node_;
}};
}}
"""


@pytest.fixture(scope='module')
def rx90(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return Package(MODEL, LOADS, tmp_path_factory.mktemp('rx90'), RULE)


def driven(package: Package, version: tuple[int, int], compiler: str, folder: Path,
           level: str = '-O2') -> str:
    """Return what the controller's driver says of it, at a level of optimisation."""
    return run(package.compile(
        compiler, folder / 'drive', level, STANDINS / 'drive.cpp',
        package.folder / 'src' / 'dynamics_controller.cpp',
        package.folder / 'src' / 'dynamics_broadcaster.cpp', f'-DVERSION_MAJOR={version[0]}',
        f'-DVERSION_MINOR={version[1]}', f'-DPACKAGE={package.name}',
        f'-DPACKAGE_NAME="{package.name}"',
        f'-DHAS_PAYLOAD={int("payload.data()" in package.text("robot.hpp"))}',
        f'-DPACKAGE_CORE="{package.name}/dynamics_core.hpp"'))


@pytest.mark.parametrize(('version', 'compiler', 'level'), [
    (VERSIONS[0], 'g++', '-O0'),   # compiled in the least time
    *(pytest.param(version, compiler, '-O2', marks=pytest.mark.slow)
      for version in VERSIONS for compiler in ('g++', 'clang++'))])
def test_the_controller_keeps_its_promises(rx90, version, compiler, level, tmp_path):
    """Through its life cycle, with each version of the interfaces; it allocates nothing."""
    said = driven(rx90, version, compiler, tmp_path, level)
    assert '0 allocations in updates, 0 failures' in said


@pytest.mark.slow
@pytest.mark.parametrize(('robot', 'most'), [('rx90', 2.0), ('humanoid_3p33r', 50.0)])
def test_an_update_takes_microseconds(robot: str, most: float, tmp_path: Path) -> None:
    """With the observer and all that it tells, with 6 and with 36 joints."""
    package = Package(read_urdf((OWN / f'{robot}.urdf').read_bytes()), Loads(), tmp_path)
    said = driven(package, VERSIONS[-1], 'g++', tmp_path)
    took = re.search(r'update ([\d.]+) us', said)
    assert took is not None and '0 allocations in updates, 0 failures' in said
    print(f'\n{robot}, an update of the controller: {took[1]} us (at most {most:g}), '
          '0 allocations')
    assert float(took[1]) < most


def test_efforts_are_finite_and_within_limits_whatever_arrives(
        rx90: Package, tmp_path: Path) -> None:
    """Settings, states, references and periods of any bits, under sanitizers."""
    fuzzed(rx90, tmp_path, 200000)


def fuzzed(package: Package, folder: Path, cycles: int) -> None:
    """Run as many cycles, of which each may be anything."""
    fuzz = package.compile('g++', folder / 'fuzz', STANDINS / 'fuzz.cpp',
                           '-fsanitize=address,undefined', '-fno-sanitize-recover=all',
                           f'-DPACKAGE={package.name}',
                           f'-DPACKAGE_CORE="{package.name}/dynamics_core.hpp"')
    counts = {word: int(count) for word, count in
              re.findall(r'(\w+) (\d+)', run(fuzz, str(cycles)))}
    assert min(counts.values()) > 100   # it was everywhere, also in damping


def test_its_observer_has_the_numbers_of_the_node(rx90: Package, tmp_path: Path) -> None:
    """Late and lost samples, efforts that are not measured, payloads at 20 Hz, and contacts."""
    robot = InverseDynamics(MODEL, loads=replace(LOADS, payload='link6'))
    observer = MomentumObserver(robot, gain=RULE.gains)
    detector = ContactDetector(robot.joint_names, thresholds=RULE.thresholds)
    random, stamp, lines, expected = np.random.default_rng(1), 10**9, [], []
    for k in range(3000):
        step = 200_000_000 if k == 700 else int(random.integers(800_000, 1_200_000))
        stamp, t = stamp + step, 1e-3 * k
        q, qd, qdd = arms.motion(np.full(6, 0.3), t)
        payload = np.array([2.0, 0, 0, 0.1, 0.02, 0, 0, 0.02, 0, 0.01]) * (k // 50 % 2)
        effort = robot(q, qd, qdd, payload) - (1000 < k < 1100) * np.array([0, 20, 9, 0, 3, 9])
        effort[2] = math.nan if k == 1500 else effort[2]
        qd[4] = math.nan if k == 2000 else qd[4]
        external = observer.update(stamp, q, qd, effort, payload)
        if external is None:
            detector.stop()
            external = np.full(6, np.nan)
        detector.update(stamp, external, observer.undetermined)
        expected.append([*external, *observer.undetermined,
                         *(name in detector.touched for name in robot.joint_names)])
        lines.append(' '.join(map(repr, map(float, (
            step * 1e-9, *q, *qd, *effort, *payload)))))
    program = rx90.compile('g++', tmp_path / 'observe', STANDINS / 'observe.cpp',
                           f'-DPACKAGE={rx90.name}',
                           f'-DPACKAGE_OBSERVER="{rx90.name}/momentum_observer.hpp"')
    said = np.array([line.split() for line in
                     run(program, given='\n'.join(lines)).splitlines()], dtype=float)
    found = np.hstack([said[:, ::3], said[:, 1::3], said[:, 2::3]])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert found[-1, 12:].tolist() == [0, 1, 1, 0, 1, 0]   # joint6 has no threshold
    assert np.isfinite(found[:, 0]).sum() == 2996


@pytest.mark.parametrize('compiler', [
    'g++', pytest.param('clang++', marks=pytest.mark.slow)])
def test_the_test_of_the_package_passes(rx90: Package, compiler: str, tmp_path: Path) -> None:
    """With what gtest is used for."""
    said = run(rx90.compile(compiler, tmp_path / 'test',
                            rx90.folder / 'test' / 'test_dynamics_core.cpp'))
    assert said.count('OK') == 10


@pytest.mark.slow
@pytest.mark.parametrize('version', VERSIONS)
def test_the_controller_passes_the_test_of_its_package(rx90, version, tmp_path):
    """As colcon builds it where ros2_control is installed, here with stand-ins."""
    said = run(rx90.compile(
        'g++', tmp_path / 'test', rx90.folder / 'test' / 'test_dynamics_controller.cpp',
        rx90.folder / 'src' / 'dynamics_controller.cpp', f'-DVERSION_MAJOR={version[0]}',
        f'-DVERSION_MINOR={version[1]}'))
    assert said.count('OK') == 2


def test_the_package_of_a_tree_passes_its_test(tmp_path: Path) -> None:
    """With a mimic joint that has friction, several tips, and so no payload."""
    loads = Loads(terms={'hand_joint': [Friction(coulomb=1.5, viscous=0.4)],
                         'right_joint': [Friction(coulomb=0.7, quadratic=-0.1)]})
    package = Package(read_urdf(GRIPPER), loads, tmp_path)
    assert package.name == 'two_fingers_dynamics_controller'
    assert 'payload.data()' not in package.text('robot.hpp')
    said = run(package.compile('g++', tmp_path / 'test',
                               package.folder / 'test' / 'test_dynamics_core.cpp'))
    assert said.count('OK') == 10


def test_each_number_is_in_the_package_with_its_origin(rx90: Package) -> None:
    """Limits of the URDF, friction that was set, in the order of the joints; YAML can be read."""
    header = rx90.text('robot.hpp')
    assert re.search(r'// \[N m or N\], <limit effort> of the URDF.*?500\.0, +// joint1', header,
                     re.DOTALL)
    assert ('// joint3: parameters, as identified or set\n  '
            'Friction{2, 1.0, 20.0, 12.0, 0.01, 0.0, 0.1, 0.0, 0.05, 0.0, 0.0}') in header
    example = yaml.safe_load((rx90.folder / 'config' / 'controllers.yaml').read_text())
    joints = example['rx90_trajectory']['ros__parameters']
    assert joints['command_joints'] == [f'rx90_dynamics/{name}' for name in joints['joints']]
    for launch in (rx90.folder / 'launch').iterdir():
        compile(launch.read_text(), 'launch', 'exec')
    for file in ('package.xml', f'{rx90.name}.xml'):
        assert ElementTree.parse(rx90.folder / file).getroot().tag in ('package', 'library')
    text = (rx90.folder / 'README.md').read_text()
    assert not re.search(r'@\w+@', text) and 'Friction of 6 joints' in text


def test_a_name_with_the_mark_of_a_field_stays_as_it_is() -> None:
    joints = tuple(replace(joint, name=joint.name.replace('joint1', '@package@'))
                   for joint in MODEL.joints)
    files = export_model(replace(MODEL, joints=joints), 'ros2_control')
    header, = (text for name, text in files.items() if name.endswith('robot.hpp'))
    assert '"@package@",' in header


def test_the_spawner_finds_the_type_of_each_controller_that_is_started(rx90: Package) -> None:
    """In the controller's own section from Jazzy on, in controller_manager's on Humble."""
    file = yaml.safe_load((rx90.folder / 'config' / 'controllers.yaml').read_text())
    launch = (rx90.folder / 'launch' / 'controllers.launch.py').read_text()
    started = re.findall(r"spawner\('(\w+)'", launch)
    assert started == ['joint_state_broadcaster', 'rx90_dynamics', 'rx90_trajectory']
    plugins = [row.get('name') for row in ElementTree.parse(
        rx90.folder / f'{rx90.name}.xml').iter('class')]
    for name in started:
        kind = file[name]['ros__parameters']['type']
        assert file['controller_manager']['ros__parameters'][name]['type'] == kind
        assert kind in plugins or kind.split('/')[0] in ('joint_state_broadcaster',
                                                         'joint_trajectory_controller')
        assert f'<exec_depend>{kind.split("/")[0]}' in (
            rx90.folder / 'package.xml').read_text() or kind in plugins


def test_the_mock_hardware_is_the_robot_with_all_interfaces(rx90: Package) -> None:
    """Its joints begin within their limits, and offer what the controller claims."""
    text = (rx90.folder / 'config' / 'mock_hardware.urdf').read_bytes()
    assert read_urdf(text).joints == MODEL.joints
    joints = ElementTree.fromstring(text).findall('ros2_control/joint')
    assert [joint.get('name') for joint in joints] == [joint.name for joint in MODEL.joints]
    for joint in joints:
        offered = [row.get('name') for row in joint if row.tag == 'command_interface']
        assert offered == ['position', 'velocity', 'effort']
    package = (rx90.folder / 'package.xml').read_text()
    assert all(f'<exec_depend>{each}' in package for each in (
        'controller_manager', 'robot_state_publisher'))


def test_with_gains_it_commands_currents() -> None:
    """As they are in the parameters that identification writes."""
    gains = [12.0, -3.5, 4.0, 5.0, 6.0, 7.0]
    files = export_model(MODEL, 'ros2_control', current_gains=gains)
    rows, = yaml.safe_load(files['rx90_dynamics_controller/src/parameters.yaml']).values()
    assert rows['command_interface']['default_value'] == 'current'
    assert rows['command_gains']['default_value'] == gains


@pytest.mark.parametrize(('urdf', 'options', 'words'), [
    ((OWN / 'robot_2r.urdf').read_text().replace('effort="', 'effort="0" was="'), {},
     'joints without limits: joint1, joint2'),
    (None, {'functions': 'gravity'}, 'no choice of functions'),
    (None, {'style': 'general'}, 'no choice of functions'),
    (None, {'current_gains': [1.0, 2.0]}, '2 current_gains for 6 joints'),
    (None, {'loads': Loads(base='moving')}, 'neither the motion of a base'),
    (None, {'loads': Loads(external=('link6',))}, 'external wrenches'),
    (GRIPPER, {'loads': Loads(terms={'right_joint': [Friction(load=0.1)]})},
     'depends on its load'),
    (mechanism('five_bar'), {}, 'joints without limits: left, right'),
])
def test_what_no_controller_can_be_is_refused(urdf: str | None, options: dict, words: str) -> None:
    with pytest.raises(ExportError, match=words):
        export_model(MODEL if urdf is None else read_urdf(urdf), 'ros2_control', **options)


# ---- In closed loop with the simulated arms of the example

EXAMPLE = ROOT / 'examples' / 'torque_controller.py'
arms = importlib.util.module_from_spec(
    spec := importlib.util.spec_from_file_location('torque_controller', EXAMPLE))
sys.modules['torque_controller'] = arms   # its dataclasses look for it there
spec.loader.exec_module(arms)
PARTLY_SLOW = [pytest.param(name, marks=() if name == 'rx90' else pytest.mark.slow)
               for name in arms.ROBOTS]


@pytest.fixture(scope='module')
def exact(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the controllers of arms that are known exactly."""
    return cache(lambda name: arms.exact(arms.ROBOTS[name], tmp_path_factory.mktemp(name)))


def rms(errors: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(errors))))


def test_the_arm_stays_where_it_is_left(exact: Callable[[str], Path]) -> None:
    """In gravity mode, for 10 s in each of three postures."""
    assert arms.drift(arms.Arm(arms.ROBOTS['rx90']), exact('rx90'), 3, 10) < 0.5


@pytest.fixture(scope='module')
def free(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """Return an arm without friction, and its controller."""
    robot = replace(arms.ROBOTS['rx90'], coulomb=(0.0,) * 6, viscous=(0.0,) * 6)
    return arms.Arm(robot), arms.exact(robot, tmp_path_factory.mktemp('free'))


@pytest.mark.parametrize('rate', [
    2, 50, *(pytest.param(rate, marks=pytest.mark.slow) for rate in (10, 20))])
def test_payloads_that_change_all_the_time_drop_no_cycle_of_the_law(free, rate):
    """With steps of the reference at each change, where friction does not hold what drifts."""
    arm, package = free
    arm.put(arm.start)
    core, still = arms.Controller(package), np.zeros((3, 6))
    for k in range(8000):
        number, begins = divmod(k, 1000 // rate)
        if not begins:
            core.change(arms.COMPUTED_TORQUE, 0.01 * (number % 2))
        still[0] = arm.start + 0.004 * (number % 2)
        arm.step(core.efforts(arm.state, still))
        assert np.abs(arm.data.qpos - arm.start).max() < 0.02


def test_in_mode_gravity_a_joint_that_is_let_go_stops(free):
    """Also one without friction: 0.13 rad/s at 0.5/s are 0.26 rad."""
    arm, package = free
    arm.put(arm.start)
    arm.data.qvel[0] = 0.13
    core, none = arms.Controller(package, arms.GRAVITY), np.full((3, 6), np.nan)
    for _ in range(10000):
        arm.step(core.efforts(arm.state, none))
    assert 0.1 < arm.data.qpos[0] - arm.start[0] < 0.3
    assert abs(arm.data.qvel[0]) < 0.005


class PositionsAlone(arms.Controller):   # of the reference
    def efforts(self, state: np.ndarray, reference: np.ndarray) -> np.ndarray:
        return super().efforts(state, np.vstack([reference[:1], np.full_like(state, np.nan)]))


def test_it_tracks_in_both_modes(exact: Callable[[str], Path]) -> None:
    """At most a fifth of the error of PD; without rates, about acceleration / kp."""
    robot = arms.ROBOTS['rx90']
    arm = arms.Arm(robot)
    usual = rms(arms.tracked(arm, arms.PositionControl(robot)))
    for mode in (1, arms.COMPUTED_TORQUE):
        assert rms(arms.tracked(arm, arms.Controller(exact('rx90'), mode))) < usual / 5.0
        assert rms(arms.tracked(arm, PositionsAlone(exact('rx90'), mode))) < 0.7


@pytest.mark.parametrize('name', PARTLY_SLOW)
@pytest.mark.parametrize(('event', 'ends'), [
    ('nothing', ('running', 'none')), ('nan', ('error', 'not_finite')),
    ('frozen', ('error', 'stale')), ('jump', ('error', 'jump')),
    ('payload', ('running', 'none')), ('weak', ('running', 'none'))])
def test_faults_end_as_the_rules_say(exact, name, event, ends):
    """Damping slows the arm; a payload that drops, or a drive at its limit, is none."""
    robot = arms.ROBOTS[name]
    mass = robot.payload if event == 'payload' else 0.0
    arm, core = arms.Arm(robot, mass), arms.Controller(exact(name), payload=mass)
    limits = np.array([each.effort for each in InverseDynamics(arms.described(robot)).limits])
    speeds, seen, said, used = [], arm.state, ('', ''), 0.0   # used: share of the limits
    for k in range(3000):
        reference = arms.motion(arm.start, k * arms.DT)
        if event == 'payload' and k == 1500:   # gone, and nobody tells
            arm.carry(arms.Arm(robot))
        if event == 'weak' and 1500 <= k < 1540:   # more than the drives can do
            reference[2, 1] -= 1e3
        if not (event == 'frozen' and k >= 1500):
            seen = arm.state
        if k >= 1500 and event in ('nan', 'jump'):
            seen[0, 2] = math.nan if event == 'nan' else seen[0, 2] + 0.5
        said = core.update(seen, reference)
        if said[0] == 'error':
            break
        assert (np.abs(core.tau) <= limits).all()   # nor is one NaN
        used = max(used, float((np.abs(core.tau) / limits).max()))
        arm.step(core.unit * core.tau)
        speeds.append(float(np.abs(arm.state[1] - reference[1] * (ends[0] == 'running')).max()))
    assert said == ends
    assert event != 'weak' or used == 1.0
    if said[0] == 'error':
        assert not core.tau.any()
        assert event == 'frozen' or speeds[-1] < 0.1 * max(speeds[:1500])
    else:   # it follows smoothly: nothing oscillates
        assert max(speeds[-500:]) < 0.2
