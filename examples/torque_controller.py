"""
From recordings of a simulated arm to its torque controller, and what that is worth.

    pip install '.[all]' 'mujoco>=4' example-robot-data
    python examples/torque_controller.py [DIR] [--robot rx90|ur5|panda]

The arm in MuJoCo has other masses than its URDF, friction, rotors, and drives that take currents.
It plays the motion of `urdf2dyn excite` under position control, alone and with a known payload,
`urdf2dyn identify` reads the recordings, and `urdf2dyn export --language ros2_control` writes a
controller, whose core a C++ compiler makes a library of. It guides the arm by hand and tracks
another motion, as do PD with gravity of the URDF and the controller of the true arm. The picture
torque_controller.png is drawn in DIR.
"""

import argparse
import ctypes
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from xml.etree import ElementTree

try:
    import numpy as np
    import yaml
    from matplotlib.figure import Figure

    from urdf2dyn_ros import (
        Friction,
        InverseDynamics,
        Loads,
        Rotor,
        Urdf2DynError,
        export_model,
        read_urdf,
    )
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros ({error}); in a clone of it: pip install '.[all]'")
try:
    import mujoco
except ImportError as error:
    sys.exit(f'this example needs MuJoCo ({error}): pip install mujoco')

MASSES = (1.3, 0.7, 1.4, 0.6, 1.5, 1.3, 0.7)   # of the true links, over those of the URDF
STRIBECK, STRIBECK_VELOCITY = 0.3, 0.05   # of Coulomb friction, more at rest; [rad/s]
GAINS = (11.0, 13.0, 9.0, 6.0, 5.0, 4.0, 5.0)   # [N m/A]
RATES = (2.1, 1.7, 2.3, 3.1, 2.7, 3.7, 2.9)     # of the motion that is tracked [rad/s]
SIZES = (0.5, 0.4, 0.5, 0.6, 0.5, 0.6, 0.5)     # [rad]
ENCODER = 2 * np.pi / 2**17   # resolution of the positions [rad]
DT = 0.001   # [s] of a cycle of the controller; the simulation takes two steps in it
GRAVITY, COMPUTED_TORQUE = 0, 2   # modes
STATUS = ('waiting', 'running', 'damping', 'error')
FAULTS = ('none', 'not_finite', 'stale', 'jump', 'too_fast', 'settings', 'open', 'singular')
REPORT, YIELD, BRAKE = range(3)   # reactions to a contact
EXAMPLES = Path(sysconfig.get_path('purelib')) / 'cmeel.prefix/share/example-robot-data/robots'


@dataclass(frozen=True)
class Robot:
    """A URDF, where it begins, what it can carry, and its drives as they truly are."""

    urdf: Path
    tool: str                   # link of a payload
    payload: float              # known mass of the second recording [kg]
    start: tuple[float, ...]    # [rad]
    coulomb: tuple[float, ...]   # [N m]
    viscous: tuple[float, ...]   # [N m s/rad]
    rotors: tuple[float, ...]    # reflected [kg m^2]


ROBOTS = {
    'rx90': Robot(Path(__file__).parent.parent / 'urdf' / 'rx90.urdf', 'link6', 6.0,
                  (0.2, 0.6, -0.9, 0.3, 0.7, 0.1), (20.0, 25.0, 12.0, 3.0, 2.0, 0.8),
                  (30.0, 40.0, 20.0, 4.0, 3.0, 1.0), (2.0, 2.0, 1.0, 0.1, 0.1, 0.05)),
    'ur5': Robot(EXAMPLES / 'ur_description/urdf/ur5_robot.urdf', 'tool0', 3.0,
                 (0.2, -1.2, 1.4, -0.8, 0.9, 0.1), (9.0, 10.0, 7.0, 1.6, 1.6, 1.2),
                 (12.0, 13.0, 9.0, 1.8, 1.8, 1.4), (0.7, 0.7, 0.7, 0.2, 0.2, 0.2)),
    'panda': Robot(EXAMPLES / 'panda_description/urdf/panda.urdf', 'panda_link8', 2.0,
                   (0.2, -0.3, 0.1, -1.9, 0.1, 1.7, 0.6), (4.0, 4.0, 3.0, 3.0, 1.2, 1.0, 0.7),
                   (4.0, 4.0, 3.0, 3.0, 1.0, 1.0, 0.7), (0.6, 0.6, 0.6, 0.5, 0.2, 0.2, 0.2))}
# what ctypes calls: mode, share of friction, payload [kg], their number, and the reaction to a
# contact; q, qd and the measured efforts; a reference. tau has also the external efforts, and
# the friction in them that is not determined
GLUE = """
#include <algorithm>
#include "PACKAGE/dynamics_core.hpp"
#include "PACKAGE/momentum_observer.hpp"
using namespace PACKAGE;
static DynamicsCore core;
static MomentumObserver observer;
static Pose closed;
static Vector vector(const double * x) {Vector v{}; std::copy_n(x, JOINTS, v.begin()); return v;}
extern "C" void reset() {core.reset(Vector{}); observer.reset(); closed = Pose();}
extern "C" double threshold(int joint) {return CONTACT_THRESHOLD[joint];}
extern "C" int update(
  const double * s, const double * x, const double * r, double * tau, double dt)
{
  Settings settings;
  settings.mode = static_cast<Mode>(static_cast<int>(s[0]));
  settings.guiding_friction = s[1];
  settings.payload[0] = s[2];
  settings.generation = static_cast<unsigned>(s[3]);
  settings.reaction = static_cast<Reaction>(static_cast<int>(s[4]));
  const Vector q = vector(x), qd = vector(x + JOINTS);
  const Loops loops = approach(closed, q);
  const Pose at{q, closed.passive, loops};
  observer.update(at, qd, vector(x + 2 * JOINTS), core.taken().payload, dt);
  const Reference goal{vector(r), vector(r + JOINTS), vector(r + 2 * JOINTS)};
  Vector result = vector(tau);
  const Status status = core.update(settings, at, qd, goal, dt, result, observer.contact());
  std::copy(result.begin(), result.end(), tau);
  std::copy(observer.external().begin(), observer.external().end(), tau + JOINTS);
  std::copy(
    observer.undetermined().begin(), observer.undetermined().end(), tau + 2 * JOINTS);
  return static_cast<int>(status) + 16 * static_cast<int>(core.fault()) + 256 * observer.contact();
}
"""


def described(robot: Robot) -> str:
    """Return the URDF, with closed fingers where it has a gripper."""
    text = robot.urdf.read_text()
    return re.sub(r'<mimic [^>]*/>', '', text.replace('type="prismatic"', 'type="fixed"'))


def true_urdf(robot: Robot, payload: float = 0.0) -> str:
    """Return the arm as it is: masses 20 to 50 % other than in the URDF, and a payload [kg]."""
    root = ElementTree.fromstring(described(robot))
    factors = {link.name: factor for link, factor in zip(
        read_urdf(described(robot)).links, cycle(MASSES))}
    for link in root.iter('link'):
        for shape in (*link.findall('visual'), *link.findall('collision')):
            link.remove(shape)
        for element in (*link.iter('mass'), *link.iter('inertia')):
            for name, value in element.items():
                element.set(name, repr(factors[link.get('name', '')] * float(value)))
    if payload:
        root.append(ElementTree.fromstring(
            f'<link name="payload"><inertial><mass value="{payload}"/><inertia ixx="1e-3" ixy="0" '
            'ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial></link>'))
        root.append(ElementTree.fromstring(
            f'<joint name="payload" type="fixed"><parent link="{robot.tool}"/>'
            '<child link="payload"/></joint>'))
    return ElementTree.tostring(root, 'unicode')


class Arm:
    """The true arm in MuJoCo."""

    def __init__(self, robot: Robot, payload: float = 0.0) -> None:
        self.robot, self.start = robot, np.array(robot.start)
        self.engine = engine = mujoco.MjModel.from_xml_string(true_urdf(robot, payload))
        engine.opt.timestep = DT / 2
        engine.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        # what it takes to begin to slide; `step` takes the Stribeck part of it away when sliding
        engine.dof_frictionloss[:] = (1.0 + STRIBECK) * np.array(robot.coulomb)
        engine.dof_damping[:], engine.dof_armature[:] = robot.viscous, robot.rotors
        # friction as stiff as it may be: with the defaults it creeps below its limit
        engine.dof_solref[:, 0] = 2.0 * DT
        engine.dof_solimp[:, :2] = 0.9999
        engine.jnt_limited[:] = 0
        self.data = mujoco.MjData(engine)
        self.put(self.start)

    def put(self, q: np.ndarray) -> None:
        """Begin at rest."""
        mujoco.mj_resetData(self.engine, self.data)
        self.data.qpos[:] = q
        mujoco.mj_forward(self.engine, self.data)

    @property
    def state(self) -> np.ndarray:
        """Positions and velocities (2, n)."""
        return np.array([self.data.qpos, self.data.qvel])

    def step(self, tau: np.ndarray) -> None:
        """Go on by a cycle."""
        qd = self.data.qvel
        sliding = STRIBECK * np.array(self.robot.coulomb) * (
            1.0 - np.exp(-(qd / STRIBECK_VELOCITY)**2))
        self.data.qfrc_applied[:] = tau + np.sign(qd) * sliding
        mujoco.mj_step(self.engine, self.data, 2)

    def efforts(self, force: np.ndarray) -> np.ndarray:
        """Return the efforts (n,) of a force [N] at the tool."""
        J = np.zeros((3, self.engine.nv))
        mujoco.mj_jac(self.engine, self.data, J, None, self.data.xipos[-1],
                      self.engine.nbody - 1)
        return np.asarray(J.T @ force)

    def holds(self, direction: np.ndarray) -> float:
        """Return the force [N] up to which friction holds the arm where it begins."""
        self.put(self.start)
        with np.errstate(divide='ignore'):
            return float(np.min(self.engine.dof_frictionloss / np.abs(self.efforts(direction))))

    def carry(self, other: 'Arm') -> None:
        """Have the bodies of another arm from now on: a payload drops."""
        for name in ('body_mass', 'body_inertia', 'body_ipos', 'body_iquat'):
            getattr(self.engine, name)[:] = getattr(other.engine, name)
        mujoco.mj_setConst(self.engine, mujoco.MjData(self.engine))


class PositionControl:
    """What the arm came with: gravity of the URDF, and PD unless it is guided by hand."""

    def __init__(self, robot: Robot, guided: bool = False) -> None:
        self.urdf = InverseDynamics(described(robot))
        limits = np.array([limits.effort for limits in self.urdf.limits])
        self.stiffness = (0.0 if guided else 10.0) * limits   # [N m/rad]
        inertia = self.urdf.mass_matrix(np.array(robot.start)).diagonal() + robot.rotors
        self.damping = 2.0 * np.sqrt(self.stiffness * inertia)   # critical

    def efforts(self, state: np.ndarray, reference: np.ndarray) -> np.ndarray:
        """Return the efforts (n,) that follow a reference (3, n)."""
        error = np.nan_to_num(reference[:2] - state)
        return np.asarray(self.urdf.gravity(state[0]) + self.stiffness * error[0]
                          + self.damping * error[1])


class Controller:
    """The core of an exported package; the drives make efforts of its currents."""

    def __init__(self, package: Path, mode: int = COMPUTED_TORQUE, share: float = 0.8,
                 payload: float = 0.0, reaction: int = 0) -> None:
        (rows,) = yaml.safe_load((package / 'src' / 'parameters.yaml').read_text()).values()
        gains = np.array(rows['command_gains']['default_value'])
        self.unit = np.array(GAINS[:len(gains)]) / gains
        self.settings = np.array([mode, share, payload, 0.0, reaction])
        self.x, self.r, out = (np.zeros(size * len(gains)) for size in (3, 3, 3))
        self.tau, self.external, self.undetermined = np.split(out, 3)
        self.touched = False
        self.library = ctypes.CDLL(str(package / 'core.so'))
        self.arguments = [each.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
                          for each in (self.settings, self.x, self.r, out)]
        self.library.threshold.restype = ctypes.c_double
        self.thresholds = np.array([self.library.threshold(j) for j in range(len(gains))])
        self.library.reset()

    def change(self, mode: int, payload: float) -> None:
        """Change parameters while it runs."""
        self.settings[:4] = mode, self.settings[1], payload, self.settings[3] + 1

    def update(self, state: np.ndarray, reference: np.ndarray,
               dt: float = DT) -> tuple[str, str]:
        """Return status and fault; `tau` are the efforts that it means to command."""
        # the drives measure the currents that they were given
        self.x[:], self.r[:] = [*state.ravel(), *self.tau], reference.ravel()
        result = self.library.update(*self.arguments, ctypes.c_double(dt))
        self.touched = result >= 256
        return STATUS[result % 16], FAULTS[result % 256 // 16]

    def efforts(self, state: np.ndarray, reference: np.ndarray) -> np.ndarray:
        """Return the efforts (n,) that follow a reference (3, n)."""
        status, fault = self.update(state, reference)
        if status != 'running':
            sys.exit(f'the controller stopped: {fault}')
        return self.unit * self.tau


def compiled(package: Path) -> Path:
    """Make the core of a package a library."""
    (package / 'glue.cpp').write_text(GLUE.replace('PACKAGE', package.name))
    include, (model,) = package / 'include', (package / 'src').glob('*_dynamics.c')
    subprocess.run(['cc', '-O2', '-fPIC', f'-I{include / package.name}', '-c', model,
                    '-o', package / 'model.o'], check=True)
    subprocess.run(['c++', '-std=c++17', '-O2', '-fPIC', '-shared', f'-I{include}',
                    package / 'glue.cpp', package / 'model.o', '-o', package / 'core.so'],
                   check=True)
    return package


def urdf2dyn(*words: str | Path | float) -> None:
    """Run a command."""
    subprocess.run([sys.executable, '-m', 'urdf2dyn_ros', *map(str, words)], check=True,
                   stdout=subprocess.DEVNULL)


def record(arm: Arm, trajectory: Path, recording: Path) -> None:
    """Play a motion under position control; write positions and currents at 200 Hz."""
    table = np.genfromtxt(trajectory, delimiter=',', names=True)
    control, rows = PositionControl(arm.robot), []
    names, times = control.urdf.joint_names, np.arange(0.0, table['time'][-1], DT)
    played = np.array([[np.interp(times, table['time'], table[f'{x}_{name}']) for name in names]
                       for x in ('q', 'qd')]).transpose(2, 0, 1)
    gains = np.array(GAINS[:len(names)])
    arm.put(played[0, 0])
    for k, reference in enumerate(played):
        tau = control.efforts(arm.state, reference)
        if k % 5 == 0:
            rows.append([k * DT, *ENCODER * np.round(arm.data.qpos / ENCODER), *tau / gains])
        arm.step(tau)
    header = ','.join(['time', *(f'{x}_{name}' for x in ('q', 'effort') for name in names)])
    np.savetxt(recording, rows, '%.7g', delimiter=',', header=header, comments='')


def identified(robot: Robot, folder: Path) -> Path:
    """Return the package of the arm as it is identified from what it plays."""
    urdf, found = folder / 'robot.urdf', folder / 'identified'
    folder.mkdir(parents=True, exist_ok=True)
    urdf.write_text(described(robot))
    # as fast as the controller will move it: friction is not extrapolated then
    urdf2dyn('excite', urdf, '--duration', 20, '--fraction', 0.8,
             '-o', folder / 'trajectory.csv', '--overwrite')
    urdf2dyn('excite', urdf, '--duration', 25, '--fraction', 0.9,
             '-o', folder / 'another.csv', '--overwrite')
    for name, mass, played in (('recording.csv', 0.0, 'trajectory.csv'),
                               ('loaded.csv', robot.payload, 'trajectory.csv'),
                               ('held_out.csv', 0.0, 'another.csv')):
        record(Arm(robot, mass), folder / played, folder / name)
    urdf2dyn('identify', folder / 'recording.csv', '--urdf', urdf, '-o', found, '--overwrite',
             '--payload-recording', folder / 'loaded.csv', '--payload-link', robot.tool,
             '--payload-mass', robot.payload)
    # thresholds of contacts, from a recording without contact that identification has not seen
    (rows,) = yaml.safe_load((found / 'parameters.yaml').read_text()).values()
    urdf2dyn('evaluate', folder / 'held_out.csv', '--urdf', found / 'identified.urdf',
             '--parameters', found / 'parameters.yaml', '--effort-semantics', 'current',
             '--gains', *rows['ros__parameters']['current_gains'], '--observer',
             '-o', folder / 'observed', '--overwrite')
    urdf2dyn('export', found / 'identified.urdf', '--parameters', found / 'parameters.yaml',
             '--parameters', folder / 'observed' / 'contact.yaml',
             '--language', 'ros2_control', '--name', robot.urdf.stem, '--payload-link', robot.tool,
             '-o', folder / 'src', '--overwrite')
    return compiled(folder / 'src' / f'{robot.urdf.stem}_dynamics_controller')


def exact(robot: Robot, folder: Path) -> Path:
    """Return the package of the arm as it is."""
    names = InverseDynamics(described(robot)).joint_names
    terms = {name: [Friction(viscous=viscous, coulomb=coulomb, stribeck=STRIBECK * coulomb,
                             decay=STRIBECK_VELOCITY**-2), Rotor(armature=rotor)]
             for name, viscous, coulomb, rotor in zip(
                 names, robot.viscous, robot.coulomb, robot.rotors)}
    # of another name: two packages of one name could not be loaded side by side
    for name, text in export_model(
            read_urdf(true_urdf(robot)), 'ros2_control', name=f'{robot.urdf.stem}_exact',
            loads=Loads(terms=terms, payload=robot.tool), current_gains=GAINS[:len(names)],
            ).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return compiled(folder / f'{robot.urdf.stem}_exact_dynamics_controller')


def motion(start: np.ndarray, t: float) -> np.ndarray:
    """Return position, velocity and acceleration of a motion that identification has not seen."""
    rate, size = (np.array(each[:len(start)]) for each in (RATES, SIZES))
    return np.array([start + size * (1.0 - np.cos(rate * t)), size * rate * np.sin(rate * t),
                     size * rate**2 * np.cos(rate * t)])


def tracked(arm: Arm, control: PositionControl | Controller) -> np.ndarray:
    """Return the errors [deg] of a motion of 5 s after a second at rest, (5000, n)."""
    arm.put(arm.start)
    rest, errors = np.array([arm.start, 0.0 * arm.start, 0.0 * arm.start]), []
    for k in range(-1000, 5000):
        reference = rest if k < 0 else motion(arm.start, k * DT)
        arm.step(control.efforts(arm.state, reference))
        if k >= 0:
            errors.append(reference[0] - arm.data.qpos)
    return np.degrees(errors)


def guided(arm: Arm, make: Callable[[], PositionControl | Controller]) -> float:
    """Return the force [N] of a hand, a spring and damper, that leads the tool at 0.1 m/s."""
    free, forces = np.full((3, arm.engine.nv), np.nan), []
    for velocity in 0.1 * np.array([*np.eye(3), *-np.eye(3)]):   # six directions, 0.1 m each
        arm.put(arm.start)
        control, before = make(), arm.data.xipos[-1].copy()
        hand = before.copy()
        for k in range(1500):   # it begins to move after 0.5 s
            speed = velocity if k >= 500 else 0.0 * velocity
            at = arm.data.xipos[-1].copy()
            hand += speed * DT
            force = 2000.0 * (hand - at) + 200.0 * (speed - (at - before) / DT)
            arm.data.xfrc_applied[-1, :3], before = force, at
            arm.step(control.efforts(arm.state, free))
            if k >= 1000:
                forces.append(float(np.linalg.norm(force)))
    return float(np.mean(forces))


def drift(arm: Arm, package: Path, postures: int = 20, seconds: int = 60) -> float:
    """Return how far [deg] a joint moves in mode gravity from where it is left."""
    random, largest = np.random.default_rng(2), 0.0
    free = np.full((3, arm.engine.nv), np.nan)
    for _ in range(postures):
        q = arm.start + random.uniform(-0.5, 0.5, arm.engine.nv)
        arm.put(q)
        control = Controller(package, GRAVITY)
        for _ in range(seconds * 1000):
            arm.step(control.efforts(arm.state, free))
        largest = max(largest, float(np.degrees(np.abs(arm.data.qpos - q)).max()))
    return largest


def pushed(arm: Arm, package: Path, force: np.ndarray, at_rest: bool = False,
           seconds: float = 1.0) -> tuple[float, float]:
    """Return when a push of the tool [N] is found [s], and the error once settled."""
    arm.put(arm.start)
    rest = np.array([arm.start, 0.0 * arm.start, 0.0 * arm.start])
    core, found, errors = Controller(package), np.inf, []
    for k in range(2000 + round(seconds / DT)):
        arm.data.xfrc_applied[-1, :3] = force if k >= 2000 else 0.0
        arm.step(core.efforts(arm.state, rest if at_rest else motion(arm.start, k * DT)))
        if core.touched and k >= 2000:
            found = min(found, (k - 1999) * DT)
        if k >= 2100:
            true = arm.efforts(force)
            known = core.undetermined < 0.01 * np.linalg.norm(true)   # joints that do not stick
            errors.append(np.linalg.norm((core.external - true)[known]) / np.linalg.norm(true))
    arm.data.xfrc_applied[-1] = 0.0
    return found, float(np.mean(errors)) if errors else np.nan


def smallest_push(arm: Arm, package: Path, direction: np.ndarray, at_rest: bool) -> float:
    """Return the smallest push [N], in steps of 5 N, that is found within 50 ms."""
    return next((size for size in np.arange(5.0, 200.0, 5.0)
                 if pushed(arm, package, size * direction, at_rest, 0.05)[0] < np.inf), np.inf)


def false_contacts(arm: Arm, package: Path, seconds: int = 60) -> tuple[bool, float]:
    """Return whether fast motion looks like a contact, and the largest share of a threshold."""
    arm.put(arm.start)
    core, largest = Controller(package), 0.0
    for k in range(seconds * 1000):
        arm.step(core.efforts(arm.state, motion(arm.start, k * DT)))
        if k > 0:
            beyond = np.abs(core.external) - core.undetermined
            largest = max(largest, float(np.nanmax(beyond / core.thresholds)))
    return core.touched, largest


def at_a_wall(arm: Arm, package: Path, reaction: int) -> np.ndarray:
    """Return the forces [N] of a wall 5 cm before the end of a motion of 1.5 s, since contact."""
    n = arm.engine.nv
    end = arm.start + np.array([0.8, 0.3, -0.3, 0.2, 0.2, 0.2, 0.2][:n])
    places = []
    for s in (0.95, 1.0):
        arm.put(arm.start + s * (end - arm.start))
        places.append(arm.data.xipos[-1].copy())
    normal = (places[1] - places[0]) / np.linalg.norm(places[1] - places[0])
    wall = float(normal @ places[1]) - 0.05
    arm.put(arm.start)
    core, forces = Controller(package, reaction=reaction), []
    for k in range(3000):
        s = min(k * DT / 1.5, 1.0)
        share = [s**3 * (10 - 15 * s + 6 * s * s), 30 * s * s * (1 - s)**2 / 1.5,
                 60 * s * (1 - s) * (1 - 2 * s) / 1.5**2]
        reference = np.outer(share, end - arm.start)
        reference[0] += arm.start
        depth = max(float(normal @ arm.data.xipos[-1]) - wall, 0.0)
        force = 5e4 * depth   # [N], a wall of 50 N/mm
        if force or forces:
            forces.append(force)
        arm.data.xfrc_applied[-1, :3] = -force * normal
        arm.step(core.efforts(arm.state, reference))
    arm.data.xfrc_applied[-1] = 0.0
    return np.array(forces)


def main() -> None:
    """Record, identify, export, compare and draw."""
    parser = argparse.ArgumentParser(description='From recordings to a torque controller.')
    parser.add_argument('folder', nargs='?', default='torque_controller', type=Path)
    parser.add_argument('--robot', choices=ROBOTS, default='rx90')
    parser.add_argument('--postures', type=int, default=3, help='that it is left in for 60 s')
    arguments = parser.parse_args()
    robot, folder = ROBOTS[arguments.robot], arguments.folder
    found, true, arm = identified(robot, folder), exact(robot, folder / 'src'), Arm(robot)
    errors = {'PD + gravity of the URDF': tracked(arm, PositionControl(robot)),
              'identified controller': tracked(arm, Controller(found)),
              'controller of the true arm': tracked(arm, Controller(true))}
    for name, each in errors.items():
        print(f'{name}: tracks within {np.sqrt(np.mean(each**2)):.3f} deg (RMS), '
              f'{np.abs(each).max():.3f} deg (largest)')
    for name, make in {
            'gravity of the URDF': lambda: PositionControl(robot, guided=True),
            'identified gravity': lambda: Controller(found, GRAVITY, 0.0),
            'identified controller': lambda: Controller(found, GRAVITY),
            'controller of the true arm': lambda: Controller(true, GRAVITY)}.items():
        print(f'{name}: a hand leads it with {guided(arm, make):.1f} N')
    print(f'identified controller: left alone for 60 s, it moves by '
          f'{drift(arm, found, arguments.postures):.3f} deg')

    for name, force in (('sideways', (0.0, 20.0, 0.0)), ('down', (0.0, 0.0, -20.0))):
        time, error = pushed(arm, found, np.array(force))
        print(f'a push of 20 N {name}: found after {1e3 * time:.0f} ms, error {100 * error:.1f} %')
        smallest = [smallest_push(arm, found, np.array(force) / 20.0, rest)
                    for rest in (False, True)]
        print(f'the smallest {name} that is found within 50 ms: {smallest[0]:.0f} N in motion, '
              f'{smallest[1]:.0f} N at rest, where friction holds '
              f'{arm.holds(np.array(force) / 20.0):.0f} N')
    touched, largest = false_contacts(arm, found)
    print(f'60 s of fast motion: {"a false" if touched else "no false"} contact, external efforts '
          f'up to {largest:.2f} of their thresholds')
    for name, reaction in (('report', REPORT), ('gravity', YIELD), ('damping', BRAKE)):
        forces = at_a_wall(arm, found, reaction)
        print(f'a wall 5 cm before the end, reaction {name}: peak {forces.max():.0f} N after '
              f'{forces.argmax():.0f} ms, {forces[:500].sum() * DT:.1f} N s in 0.5 s, '
              f'{forces[500]:.0f} N then')

    figure = Figure(figsize=(9, 5), layout='constrained')
    axes = figure.subplots(2, 1, sharex=True)
    for axis, name in zip(axes, [*errors][:2]):
        axis.plot(np.arange(5000) * DT, errors[name])
        axis.set(title=name, ylabel='error [deg]')
        axis.grid(alpha=0.3)
    axes[0].legend([f'joint {k + 1}' for k in range(arm.engine.nv)], ncols=7, loc='upper right',
                   fontsize=8)
    axes[1].set(xlabel='time [s]', ylim=axes[0].get_ylim())
    figure.savefig(folder / 'torque_controller.png', dpi=90)
    print(folder / 'torque_controller.png')


if __name__ == '__main__':
    try:
        main()
    except (Urdf2DynError, OSError, subprocess.CalledProcessError) as error:
        what = f'{error.filename}: {error.strerror}' if isinstance(error, OSError) else error
        sys.exit(f'{what}; in a clone of the repository: '
                 'python examples/torque_controller.py [DIR]')
