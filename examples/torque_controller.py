"""
From a recording of a simulated arm to its torque controller, and what that is worth.

    pip install '.[all]' mujoco
    python examples/torque_controller.py [DIR]

An RX-90 in MuJoCo has other masses than its URDF, friction and rotors. It plays the motion of
`urdf2dyn excite` under position control, `urdf2dyn identify` reads the recording, and
`urdf2dyn export --language ros2_control` writes a controller, whose core a C++ compiler makes a
library of. It guides the arm by hand and tracks another motion, as do PD with gravity of the URDF
and the controller of the true arm. The picture torque_controller.png is drawn in DIR.
"""

import ctypes
import re
import subprocess
import sys
from pathlib import Path

try:
    import numpy as np
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

URDF = Path(__file__).parent.parent / 'urdf' / 'rx90.urdf'
MASSES = (1.3, 0.7, 1.4, 0.6, 1.5, 1.3)          # of the true links, over those of the URDF
COULOMB = np.array([20.0, 25.0, 12.0, 3.0, 2.0, 0.8])   # [N m]
VISCOUS = np.array([30.0, 40.0, 20.0, 4.0, 3.0, 1.0])   # [N m s/rad]
ROTORS = np.array([2.0, 2.0, 1.0, 0.1, 0.1, 0.05])      # reflected [kg m^2]
START = np.array([0.2, 0.6, -0.9, 0.3, 0.7, 0.1])       # [rad]
ENCODER = 2 * np.pi / 2**17   # resolution of the positions [rad]
DT = 0.001   # [s] of a cycle of the controller; the simulation takes two steps in it
GRAVITY, COMPUTED_TORQUE = 0, 2   # modes
# what ctypes calls: mode, guiding_friction, then q, qd, the reference, and the efforts
GLUE = """
#include <algorithm>
#include "rx90_dynamics_controller/dynamics_core.hpp"
using namespace rx90_dynamics_controller;
static DynamicsCore core;
static Vector vector(const double * x) {Vector v{}; std::copy_n(x, JOINTS, v.begin()); return v;}
extern "C" void reset() {core.reset(Vector{});}
extern "C" int update(int mode, double share, const double * q, const double * qd,
  const double * r, double * tau)
{
  Settings settings;
  settings.mode = static_cast<Mode>(mode);
  settings.guiding_friction = share;
  const Reference goal{vector(r), vector(r + JOINTS), vector(r + 2 * JOINTS)};
  Vector result{};
  const Status status = core.update(settings, vector(q), vector(qd), goal, 0.001, result);
  std::copy(result.begin(), result.end(), tau);
  return static_cast<int>(status);
}
"""


class Arm:
    """The true arm in MuJoCo."""

    def __init__(self, text: str) -> None:
        self.engine = mujoco.MjModel.from_xml_string(text.replace('</robot>', (
            '<mujoco><compiler balanceinertia="false" discardvisual="true"/></mujoco></robot>')))
        self.engine.opt.timestep = DT / 2
        self.engine.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        self.engine.dof_damping[:], self.engine.dof_frictionloss[:] = VISCOUS, COULOMB
        self.engine.dof_armature[:] = ROTORS
        # friction as stiff as it may be: with the defaults it creeps below its limit
        self.engine.dof_solref[:, 0] = 2.0 * DT
        self.engine.dof_solimp[:, :2] = 0.9999
        self.engine.jnt_limited[:] = 0
        self.data = mujoco.MjData(self.engine)

    def put(self, q: np.ndarray) -> None:
        """Begin at rest."""
        mujoco.mj_resetData(self.engine, self.data)
        self.data.qpos[:] = q
        mujoco.mj_forward(self.engine, self.data)

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Return position and velocity."""
        return self.data.qpos.copy(), self.data.qvel.copy()

    def step(self, tau: np.ndarray) -> None:
        """Go on by a cycle."""
        self.data.qfrc_applied[:] = tau
        mujoco.mj_step(self.engine, self.data, 2)


class PositionControl:
    """What the arm came with: PD, and gravity of the URDF."""

    def __init__(self) -> None:
        self.urdf = InverseDynamics(URDF)
        self.stiffness = 10.0 * np.array([limits.effort for limits in self.urdf.limits])
        inertia = self.urdf.mass_matrix(START).diagonal() + ROTORS
        self.damping = 2.0 * np.sqrt(self.stiffness * inertia)   # critical

    def efforts(self, arm: Arm, reference: np.ndarray) -> np.ndarray:
        """Return the efforts (6,) that follow a reference (3, 6)."""
        q, qd = arm.state()
        return np.asarray(self.urdf.gravity(q) + self.stiffness * (reference[0] - q)
                          + self.damping * (reference[1] - qd))


class Controller:
    """The core of an exported package."""

    def __init__(self, package: Path, mode: int = COMPUTED_TORQUE, share: float = 0.8) -> None:
        self.mode, self.share, self.tau = mode, share, np.zeros(6)
        self.library = ctypes.CDLL(str(package / 'core.so'))
        self.library.reset()

    def efforts(self, arm: Arm, reference: np.ndarray) -> np.ndarray:
        """Return the efforts (6,) that follow a reference (3, 6)."""
        arrays = [np.ascontiguousarray(each) for each in (*arm.state(), reference)]
        pointers = [each.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
                    for each in (*arrays, self.tau)]
        if self.library.update(self.mode, ctypes.c_double(self.share), *pointers) != 1:
            sys.exit('the controller stopped')
        return self.tau


def compiled(package: Path) -> Path:
    """Make the core of a package a library."""
    (package / 'glue.cpp').write_text(GLUE)
    include = package / 'include'
    subprocess.run(['cc', '-O2', '-fPIC', f'-I{include / "rx90_dynamics_controller"}', '-c',
                    package / 'src' / 'rx90_dynamics.c', '-o', package / 'model.o'], check=True)
    subprocess.run(['c++', '-std=c++17', '-O2', '-fPIC', '-shared', f'-I{include}',
                    package / 'glue.cpp', package / 'model.o', '-o', package / 'core.so'],
                   check=True)
    return package


def urdf2dyn(*words: str | Path) -> None:
    """Run a command."""
    subprocess.run([sys.executable, '-m', 'urdf2dyn_ros', *map(str, words)], check=True,
                   stdout=subprocess.DEVNULL)


def record(arm: Arm, trajectory: Path, recording: Path) -> None:
    """Play a motion under position control; write positions and efforts at 200 Hz."""
    table = np.genfromtxt(trajectory, delimiter=',', names=True)
    names = InverseDynamics(URDF).joint_names
    q, qd = (np.column_stack([table[f'{x}_{name}'] for name in names]) for x in ('q', 'qd'))
    arm.put(q[0])
    control, rows = PositionControl(), []
    for k in range(int(table['time'][-1] / DT)):
        at = [np.array([np.interp(k * DT, table['time'], column) for column in each.T])
              for each in (q, qd)]
        tau = control.efforts(arm, np.array(at))
        if k % 5 == 0:
            rows.append([k * DT, *ENCODER * np.round(arm.state()[0] / ENCODER), *tau])
        arm.step(tau)
    header = ','.join(['time', *(f'q_{name}' for name in names),
                       *(f'effort_{name}' for name in names)])
    np.savetxt(recording, rows, '%.7g', delimiter=',', header=header, comments='')


def motion(t: float) -> np.ndarray:
    """Return position, velocity and acceleration of a motion that identification has not seen."""
    rate, size = np.array([2.1, 1.7, 2.3, 3.1, 2.7, 3.7]), np.array([.5, .4, .5, .6, .5, .7])
    return np.array([START + size * (1.0 - np.cos(rate * t)), size * rate * np.sin(rate * t),
                     size * rate**2 * np.cos(rate * t)])


def tracked(arm: Arm, control: PositionControl | Controller) -> np.ndarray:
    """Return the errors [deg] of a motion of 5 s after a second at rest, (5000, 6)."""
    arm.put(START)
    rest, errors = np.vstack([START, np.zeros((2, 6))]), []
    for k in range(-1000, 5000):
        reference = rest if k < 0 else motion(k * DT)
        arm.step(control.efforts(arm, reference))
        if k >= 0:
            errors.append(reference[0] - arm.state()[0])
    return np.degrees(errors)


def guided(arm: Arm, package: Path, share: float) -> float:
    """Return the force [N] of a hand, a spring and damper, that leads the tool at 0.1 m/s."""
    arm.put(START)
    control, forces = Controller(package, GRAVITY, share), []
    begin, velocity = arm.data.xpos[-1].copy(), np.array([0.0, 0.0, -0.1])
    before = begin
    for k in range(3000):
        at = arm.data.xpos[-1].copy()
        force = 2000.0 * (begin + velocity * k * DT - at) + 200.0 * (velocity - (at - before) / DT)
        before = at
        arm.data.xfrc_applied[-1, :3] = force
        arm.step(control.efforts(arm, np.full((3, 6), np.nan)))
        forces.append(float(np.linalg.norm(force)))
    return float(np.mean(forces[1500:]))


def drift(arm: Arm, package: Path, seconds: int = 60, postures: int = 3) -> float:
    """Return how far [deg] a joint moves in mode gravity from where it is left."""
    random, largest = np.random.default_rng(2), 0.0
    for _ in range(postures):
        q = START + random.uniform(-0.5, 0.5, 6)
        arm.put(q)
        control = Controller(package, GRAVITY)
        for _ in range(seconds * 1000):
            arm.step(control.efforts(arm, np.full((3, 6), np.nan)))
        largest = max(largest, float(np.degrees(np.abs(arm.state()[0] - q)).max()))
    return largest


def main() -> None:
    """Record, identify, export, compare and draw."""
    text, factors = URDF.read_text(), iter(MASSES)
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else 'torque_controller')
    folder.mkdir(parents=True, exist_ok=True)

    def scaled(inertial: re.Match[str]) -> str:
        factor = next(factors)
        return re.sub(r'(<mass value|\bi[xyz]{2})="([^"]*)"',
                      lambda each: f'{each[1]}="{factor * float(each[2])}"', inertial[0])

    true = re.sub(r'<inertial>.*?</inertial>', scaled, text, flags=re.DOTALL)
    arm, found = Arm(true), folder / 'identified'
    urdf2dyn('excite', URDF, '--duration', '20', '-o', folder / 'trajectory.csv', '--overwrite')
    record(arm, folder / 'trajectory.csv', folder / 'recording.csv')
    urdf2dyn('identify', folder / 'recording.csv', '--urdf', URDF, '-o', found, '--overwrite')
    urdf2dyn('export', found / 'identified.urdf', '--parameters', found / 'parameters.yaml',
             '--language', 'ros2_control', '-o', folder / 'src', '--overwrite')
    terms = {f'joint{k + 1}': [Friction(viscous=VISCOUS[k], coulomb=COULOMB[k]),
                               Rotor(armature=ROTORS[k])] for k in range(6)}
    for name, content in export_model(read_urdf(true), 'ros2_control',
                                      loads=Loads(terms=terms)).items():
        (folder / 'exact' / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / 'exact' / name).write_text(content)
    identified, exact = (compiled(folder / each / 'rx90_dynamics_controller')
                         for each in ('src', 'exact'))

    errors = {'PD + gravity of the URDF': tracked(arm, PositionControl()),
              'identified controller': tracked(arm, Controller(identified)),
              'controller of the true arm': tracked(arm, Controller(exact))}
    for name, each in errors.items():
        print(f'{name}: tracks within {np.sqrt(np.mean(each**2)):.3f} deg (RMS), '
              f'{np.abs(each).max():.3f} deg (largest)')
    print(f'a hand leads it with {guided(arm, identified, 0.8):.0f} N, with gravity alone '
          f'{guided(arm, identified, 0.0):.0f} N; left alone for 60 s it moves by '
          f'{drift(arm, identified):.3f} deg')

    figure = Figure(figsize=(9, 5), layout='constrained')
    axes = figure.subplots(2, 1, sharex=True)
    for axis, name in zip(axes, [*errors][:2]):
        axis.plot(np.arange(5000) * DT, errors[name])
        axis.set(title=name, ylabel='error [deg]')
        axis.grid(alpha=0.3)
    axes[0].legend([f'joint{k}' for k in range(1, 7)], ncols=6, loc='upper right', fontsize=8)
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
