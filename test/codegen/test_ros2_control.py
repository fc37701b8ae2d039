"""The exported controller: it compiles, keeps its promises, and moves a simulated arm."""

import ctypes
import math
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
import yaml
from language_tools import DRIVERS

from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, RobotModel, export_model, read_urdf
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.export import write_files
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.terms import Friction
from urdf2dyn_ros.simulation.simulator import simulated_urdf, with_aligned_inertias

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
# without what MuJoCo does not have
PLAIN = Loads(terms={f'joint{k}': [Friction(viscous=each.viscous, coulomb=each.coulomb)]
                     for k, each in enumerate(FRICTION, 1)})
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
FORWARDED = ('controller_interface/chainable_controller_interface.hpp',
             'controller_interface/version.h', 'pluginlib/class_list_macros.hpp',
             'rclcpp/rclcpp.hpp', 'rclcpp_lifecycle/state.hpp',
             'realtime_tools/realtime_buffer.hpp',
             'trajectory_msgs/msg/joint_trajectory_point.hpp', 'gtest/gtest.h')


class Package:
    """An exported package in a folder, with stand-ins for the headers that it includes."""

    def __init__(self, robot: RobotModel, loads: Loads, folder: Path) -> None:
        files = export_model(robot, 'ros2_control', loads=loads)
        write_files(files, folder)
        self.name, = {file.partition('/')[0] for file in files}
        self.robot = self.name.removesuffix('_dynamics_controller')
        self.folder, self.standins = folder / self.name, folder / 'standins'
        parameters = f'{self.name}/{self.name}_parameters.hpp'
        texts = {**dict.fromkeys(FORWARDED, '#include "standins.hpp"\n'),
                 parameters: parameter_library(self.folder / 'src' / 'parameters.yaml')}
        for path, text in texts.items():
            (self.standins / path).parent.mkdir(parents=True, exist_ok=True)
            (self.standins / path).write_text(text)

    def text(self, header: str) -> str:
        return (self.folder / 'include' / self.name / header).read_text()

    def compile(self, compiler: str, output: Path, *arguments: str | Path) -> Path:
        """Compile with all warnings as errors; the equations are C, the rest C++."""
        c = {'g++': 'gcc', 'clang++': 'clang'}[compiler]
        model = output.with_suffix('.o')
        includes = [f'-I{self.folder}/include', f'-I{self.standins}', f'-I{STANDINS}']
        run(c, '-std=c99', '-fPIC', *WARNINGS, f'-I{self.folder}/include/{self.name}', '-c',
            self.folder / 'src' / f'{self.robot}_dynamics.c', '-o', model)
        run(compiler, '-std=c++17', *WARNINGS, *includes, *arguments, model, '-lm', '-o', output)
        return output


def run(*words: str | Path) -> str:
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def parameter_library(path: Path) -> str:
    """Return what generate_parameter_library makes of a file, as far as the controller uses it."""
    (space, rows), = yaml.safe_load(path.read_text()).items()
    kinds = {'double': 'double', 'string': 'std::string', 'double_array': 'std::vector<double>'}
    read = []

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
            read.append(f'if (node_->parameters.count("{prefix}{name}")) {{ result.{prefix}{name} '
                        f'= std::get<{kind}>(node_->parameters["{prefix}{name}"]); }}\n')
        return text

    struct = fields(rows, '')
    return f"""#include "standins.hpp"
namespace {space} {{
struct Params {{ {struct} int stamp = -1; }};
class ParamListener {{
public:
  explicit ParamListener(std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node) : node_(node) {{}}
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
    return Package(MODEL, LOADS, tmp_path_factory.mktemp('rx90'))


def driven(package: Package, version: tuple[int, int], compiler: str, folder: Path) -> str:
    """Return what the controller's driver says of it."""
    return run(package.compile(
        compiler, folder / 'drive', STANDINS / 'drive.cpp',
        package.folder / 'src' / 'dynamics_controller.cpp', f'-DVERSION_MAJOR={version[0]}',
        f'-DVERSION_MINOR={version[1]}', f'-DPACKAGE={package.name}',
        f'-DHAS_PAYLOAD={int("payload.data()" in package.text("robot.hpp"))}',
        f'-DPACKAGE_CORE="{package.name}/dynamics_core.hpp"'))


@pytest.mark.parametrize(('version', 'compiler'), [
    pytest.param(version, compiler, marks=[] if (version, compiler) in (
        (VERSIONS[0], 'g++'), (VERSIONS[-1], 'clang++')) else pytest.mark.slow)
    for version in VERSIONS for compiler in ('g++', 'clang++')])
def test_the_controller_keeps_its_promises(rx90: Package, version: tuple[int, int],
                                           compiler: str, tmp_path: Path) -> None:
    """Through its life cycle, with each version of the interfaces; it allocates nothing."""
    said = driven(rx90, version, compiler, tmp_path)
    assert '0 allocations in updates, 0 failures' in said


@pytest.mark.slow
@pytest.mark.parametrize('robot', ['rx90', 'humanoid_3p33r'])
def test_an_update_takes_at_most_three_calls_of_the_equations(robot: str, tmp_path: Path) -> None:
    """Of inverse dynamics, with 6 and with 36 joints."""
    package = Package(read_urdf((OWN / f'{robot}.urdf').read_bytes()), Loads(), tmp_path)
    ratio = re.search(r'ratio ([\d.]+)', driven(package, VERSIONS[-1], 'g++', tmp_path))
    assert ratio is not None and float(ratio[1]) < 3.0


@pytest.mark.parametrize('compiler', ['g++', 'clang++'])
def test_the_test_of_the_package_passes(rx90: Package, compiler: str, tmp_path: Path) -> None:
    """With what gtest is used for."""
    said = run(rx90.compile(compiler, tmp_path / 'test',
                            rx90.folder / 'test' / 'test_dynamics_core.cpp'))
    assert said.count('OK') == 5


def test_the_package_of_a_tree_passes_its_test(tmp_path: Path) -> None:
    """With a mimic joint that has friction, several tips, and so no payload."""
    loads = Loads(terms={'hand_joint': [Friction(coulomb=1.5, viscous=0.4)],
                         'right_joint': [Friction(coulomb=0.7, quadratic=-0.1)]})
    package = Package(read_urdf(GRIPPER), loads, tmp_path)
    assert package.name == 'two_fingers_dynamics_controller'
    assert 'payload.data()' not in package.text('robot.hpp')
    said = run(package.compile('g++', tmp_path / 'test',
                               package.folder / 'test' / 'test_dynamics_core.cpp'))
    assert said.count('OK') == 5


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
    compile((rx90.folder / 'launch' / 'controllers.launch.py').read_text(), 'launch', 'exec')
    for file in ('package.xml', f'{rx90.name}.xml'):
        assert ElementTree.parse(rx90.folder / file).getroot().tag in ('package', 'library')
    text = (rx90.folder / 'README.md').read_text()
    assert not re.search(r'@\w+@', text) and 'Friction of 6 joints' in text
    assert len((rx90.folder / 'src' / 'dynamics_controller.cpp').read_text().splitlines()) <= 300


@pytest.mark.parametrize(('urdf', 'options', 'words'), [
    ((OWN / 'robot_2r.urdf').read_text().replace('effort="', 'effort="0" was="'), {},
     'joints without limits: joint1, joint2'),
    (None, {'functions': 'gravity'}, 'no choice of functions'),
    (None, {'style': 'general'}, 'no choice of functions'),
    (None, {'loads': Loads(base='moving')}, 'neither the motion of a base'),
    (None, {'loads': Loads(external=('link6',))}, 'external wrenches'),
    (GRIPPER, {'loads': Loads(terms={'right_joint': [Friction(load=0.1)]})},
     'depends on its load'),
])
def test_what_no_controller_can_be_is_refused(urdf: str | None, options: dict, words: str) -> None:
    with pytest.raises(ExportError, match=words):
        export_model(MODEL if urdf is None else read_urdf(urdf), 'ros2_control', **options)


MODES = {'gravity': 0, 'feedforward': 1, 'computed_torque': 2}
STATUS = ('waiting', 'running', 'damping', 'error')
FAULTS = ('none', 'not_finite', 'stale', 'jump', 'too_fast')
DT = 0.001   # [s] of a cycle; the simulation takes two steps in it
START = np.array([0.2, 0.6, -0.9, 0.3, 0.7, 0.1])   # [rad]


class Core:
    """The core of a package as a shared library."""

    def __init__(self, library: Path, n: int = 6, **settings: float | str) -> None:
        self._update = ctypes.CDLL(str(library)).core_update
        self._reset = ctypes.CDLL(str(library)).core_reset
        self.settings = {'mode': 'gravity', 'kp': 400.0, 'kd': 40.0, 'guiding_friction': 0.8,
                         'mass': 0.0, **settings}
        self.generation, self.n, self.tau = 1, n, np.zeros(n)
        self._reset()

    def change(self, **settings: float | str) -> None:
        self.settings |= settings
        self.generation += 1

    def update(self, q: np.ndarray, qd: np.ndarray, reference: np.ndarray | None = None,
               dt: float = DT) -> tuple[str, str]:
        """Return status and fault; the efforts are in `tau`."""
        values = [float(MODES.get(str(value), value)) for value in self.settings.values()]
        if reference is None:
            reference = np.full((3, self.n), np.nan)
        arrays = [np.ascontiguousarray(each, float) for each in (values, q, qd, reference)]
        pointers = [each.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
                    for each in (*arrays, self.tau)]
        result = self._update(*pointers[:4], ctypes.c_double(dt), self.generation, pointers[4])
        return STATUS[result % 16], FAULTS[result // 16]


class Arm:
    """The RX-90 in MuJoCo, with masses of its own and the friction that the package has."""

    def __init__(self, model: RobotModel, tool: float = 0.0) -> None:
        text = simulated_urdf(with_aligned_inertias(model), friction=False)
        self.engine = mujoco.MjModel.from_xml_string(text.replace(
            '</robot>', '<mujoco><compiler fusestatic="false"/></mujoco></robot>'))
        self.engine.opt.timestep = DT / 2
        self.engine.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        self.engine.dof_damping[:] = [float(each.viscous) for each in FRICTION]
        self.engine.dof_frictionloss[:] = [float(each.coulomb) for each in FRICTION]
        # friction as stiff as it may be: with the defaults it creeps below its limit
        self.engine.dof_solref[:, 0] = 2.0 * DT
        self.engine.dof_solimp[:, :2] = 0.9999
        self.engine.jnt_limited[:] = 0
        self.engine.body_mass[-1] += tool
        self.data = mujoco.MjData(self.engine)
        self.put(START)

    def put(self, q: np.ndarray) -> None:
        mujoco.mj_resetData(self.engine, self.data)
        self.data.qpos[:] = q
        mujoco.mj_forward(self.engine, self.data)

    def step(self, tau: np.ndarray, force: np.ndarray | None = None) -> None:
        """Go on by a cycle, with a force [N] on the last link."""
        self.data.qfrc_applied[:] = tau
        self.data.xfrc_applied[-1, :3] = 0.0 if force is None else force
        for _ in range(2):
            mujoco.mj_step(self.engine, self.data)

    @property
    def q(self) -> np.ndarray:
        return self.data.qpos.copy()

    @property
    def qd(self) -> np.ndarray:
        return self.data.qvel.copy()


def scaled(model: RobotModel) -> RobotModel:
    """Return the arm as it really is: masses 20 to 50 % other than in its URDF."""
    factors = dict(zip((link.name for link in model.links), (1.0, 1.3, 0.7, 1.4, 0.6, 1.5, 1.3)))
    return replace(model, links=tuple(
        link if link.inertia is None else replace(link, inertia=replace(
            link.inertia, mass=factors[link.name] * link.mass,
            tensor=tuple(factors[link.name] * entry for entry in link.inertia.tensor)))
        for link in model.links))


REAL = scaled(MODEL)


@pytest.fixture(scope='module')
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the cores of the URDF and of the arm as it is, both with its friction."""
    result = {}
    for name, model in (('urdf', MODEL), ('real', REAL)):
        folder = tmp_path_factory.mktemp(name)
        package = Package(model, PLAIN, folder)
        result[name] = package.compile(
            'g++', folder / 'core.so', '-shared', '-fPIC', STANDINS / 'core.cpp',
            f'-DPACKAGE={package.name}', f'-DPACKAGE_CORE="{package.name}/dynamics_core.hpp"')
    return result


def test_the_arm_stays_where_it_is_left(libraries: dict[str, Path]) -> None:
    """In gravity mode, for 10 s in each of five postures, without a tremor."""
    arm, random = Arm(REAL), np.random.default_rng(1)
    for _ in range(5):
        q = START + random.uniform(-0.6, 0.6, 6)
        arm.put(q)
        core = Core(libraries['real'])
        for _ in range(10_000):
            assert core.update(arm.q, arm.qd) == ('running', 'none')
            arm.step(core.tau)
        assert np.degrees(np.abs(arm.q - q)).max() < 0.5
        assert np.abs(arm.qd).max() < 1e-3


def guiding_force(library: Path, share: float) -> float:
    """Return the force [N] of a hand, a spring and damper, that leads the tool at 0.1 m/s."""
    arm, core, forces = Arm(REAL), Core(library, guiding_friction=share), []
    begin, velocity = arm.data.xpos[-1].copy(), np.array([0.0, 0.0, -0.1])
    before = begin
    for k in range(3000):
        core.update(arm.q, arm.qd)
        at = arm.data.xpos[-1].copy()
        force = 2000.0 * (begin + velocity * k * DT - at) + 200.0 * (velocity - (at - before) / DT)
        before = at
        arm.step(core.tau, force)
        forces.append(float(np.linalg.norm(force)))
    return float(np.mean(forces[1500:]))


def test_a_hand_leads_the_arm_with_a_third_of_the_force(libraries: dict[str, Path]) -> None:
    """Of what it takes where gravity alone is compensated."""
    assert guiding_force(libraries['real'], 0.8) < guiding_force(libraries['real'], 0.0) / 3.0


def motion(t: float) -> np.ndarray:
    """Return position, velocity and acceleration of a motion that begins at rest."""
    rate, size = np.array([2.1, 1.7, 2.3, 3.1, 2.7, 3.7]), np.array([.5, .4, .5, .6, .5, .7])
    return np.array([START + size * (1.0 - np.cos(rate * t)), size * rate * np.sin(rate * t),
                     size * rate**2 * np.cos(rate * t)])


def tracking_error(library: Path, mode: str, rows: int = 3) -> float:
    """Return the RMS error [rad] of a motion of 4 s, of which the reference has some rows."""
    arm, core, errors = Arm(REAL), Core(library, mode=mode), []
    hold = np.vstack([START, np.zeros((2, 6))])
    for k in range(5000):
        reference = hold if k < 1000 else motion((k - 1000) * DT)
        given = np.vstack([reference[:rows], np.full((3 - rows, 6), np.nan)])
        assert core.update(arm.q, arm.qd, given)[0] == 'running'
        arm.step(core.tau)
        errors += [reference[0] - arm.q] if k >= 1000 else []
    return float(np.sqrt(np.mean(np.square(errors))))


def test_it_tracks_better_than_pd_and_gravity_of_the_urdf(libraries: dict[str, Path]) -> None:
    """At most a fifth of the error, in both modes; without rates, what acceleration / kp is."""
    urdf, arm, errors = InverseDynamics(MODEL), Arm(REAL), []
    stiffness = 10.0 * np.array([joint.limits.effort for joint in MODEL.joints
                                 if joint.limits.effort])   # [N m/rad]
    damping = 2.0 * np.sqrt(stiffness * urdf.mass_matrix(START).diagonal())   # critical
    for k in range(5000):
        q, qd, _ = [START, np.zeros(6), 0] if k < 1000 else motion((k - 1000) * DT)
        arm.step(urdf.gravity(arm.q) + stiffness * (q - arm.q) + damping * (qd - arm.qd))
        errors += [q - arm.q] if k >= 1000 else []
    usual = float(np.sqrt(np.mean(np.square(errors))))
    for mode in ('feedforward', 'computed_torque'):
        assert tracking_error(libraries['real'], mode) < usual / 5.0
        assert tracking_error(libraries['real'], mode, rows=1) < math.radians(0.7)


@pytest.mark.parametrize(('event', 'ends'), [
    ('nothing', ('running', 'none')), ('nan', ('error', 'not_finite')),
    ('frozen', ('error', 'stale')), ('jump', ('error', 'jump')),
    ('payload', ('running', 'none')), ('weak', ('running', 'none'))])
def test_faults_end_as_the_rules_say(libraries: dict[str, Path], event: str,
                                     ends: tuple[str, str]) -> None:
    """Damping slows the arm; a payload that drops, or a drive at its limit, is none."""
    arm = Arm(REAL, 6.0 if event == 'payload' else 0.0)
    core = Core(libraries['real'], mode='computed_torque')
    core.change(mass=6.0 if event == 'payload' else 0.0)
    speeds, said, seen = [], ('', ''), np.zeros((2, 6))
    for k in range(3000):
        reference = motion(k * DT)
        if event == 'payload' and k == 1500:   # gone, and nobody tells
            arm.engine.body_mass[-1] -= 6.0
        if event == 'weak' and k > 1500:   # 3 m/s^2 more than it can do
            reference[0] += 5.0
        if not (event == 'frozen' and k >= 1500):
            seen = np.array([arm.q, arm.qd])
        q, qd = seen[0].copy(), seen[1].copy()
        if k >= 1500 and event in ('nan', 'jump'):
            q[2] = math.nan if event == 'nan' else q[2] + 0.5
        said = core.update(q, qd, reference)
        if said[0] == 'error':
            break
        assert np.isfinite(core.tau).all()
        arm.step(core.tau)
        speeds.append(float(np.abs(arm.qd).max()))
    assert said == ends
    if said[0] == 'error':
        assert not core.tau.any()
        assert event == 'frozen' or speeds[-1] < 0.1 * speeds[1499]
    else:
        assert max(speeds) < 10.0
