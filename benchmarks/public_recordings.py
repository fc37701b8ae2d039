"""
Recordings of real robots that others have published, as tables or bags; identified.

    .venv/bin/python benchmarks/public_recordings.py --panda FOLDER --ur10e FOLDER -o FOLDER
    .venv/bin/python benchmarks/public_recordings.py --panda-bag FOLDER --ar5 FOLDER -o FOLDER
    .venv/bin/python benchmarks/public_recordings.py --airbot FOLDER -o FOLDER

Folders are clones of marcocognetti/FrankaEmikaPandaDynModel (a Panda, 21 s at 1 kHz, torque
sensors at the links), shamilmamedov/dynamic_calibration (a UR10e, motor currents at 94 Hz; with
loads of 2.6 and 2.805 kg as well), unisa-acg/inverse-dynamics-solver (a Panda, 24 s at 30 Hz),
FrankJIE09/Dynamics_identification_Frank (a Rokae AR5 on its side, 60 s at 50 Hz) and
liuyurong129/figaroh_kinova (an AIRBOT Play, three of 30 s at 100 Hz, one with a load). None was
looked at before the identification, the filters or their limits were written.

"""

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np
from cases import EXAMPLES

from urdf2dyn_ros.robot.spatial import Array

PANDA = tuple(f'panda_joint{number}' for number in range(1, 8))
UR10E = ('shoulder_pan_joint', 'shoulder_lift_joint', 'elbow_joint', 'wrist_1_joint',
         'wrist_2_joint', 'wrist_3_joint')
AR5 = tuple(f'AR5-5_07R-W4C4A2_joint_{number}' for number in range(1, 8))

# recordings of the UR10e without a load; the last two are predicted
FITTED = ('20_02_05-20sec_8harm', '20_02_05-20sec_12harm', '20_02_06-20sec_5harm',
          '20_02_06-20sec_10harm', '20_02_10-20sec_7harm', '20_02_10-30sec_12harm',
          '20_02_12-40sec_12harm', '20_02_19_14harm50sec', '20_02_19_15harm50sec')
PREDICTED = ('20_02_12-50sec_12harm', '20_01_17-ptp_10_points')
OTHER = '20_01_31-load'
"""One with a load, as if it were without."""

LOADS = {'20_02_19_14harm50secLoad': 2.805, '20_01_13-load_2600': 2.6}


def write_table(path: Path, joints: tuple[str, ...], columns: Array) -> Path:
    """Write time, positions, velocities and efforts, (k, 1 + 3 n), as a table."""
    names = ['time', *(f'{kind}_{joint}' for kind in ('q', 'qd', 'effort') for joint in joints)]
    np.savetxt(path, columns, '%.9g', ',', header=','.join(names), comments='')
    return path


def panda_table(folder: Path, output: Path) -> Path:
    """Return the table of the Panda's motion."""
    logs = folder / 'matlab' / 'data' / 'Exciting_Traj' / 'Trajectory_1' / 'rbt_log'
    time, *others = (np.loadtxt(logs / f'exciting_traj_{name}.txt')
                     for name in ('time', 'positions', 'velocity', 'torques'))
    return write_table(output / 'panda.csv', PANDA, np.column_stack(
        (time, *(each.reshape(len(time), -1) for each in others))))


def ur10e_table(folder: Path, output: Path, name: str) -> Path:
    """Return the table of a motion of the UR10e, with currents as efforts."""
    (path,) = folder.glob(f'dataset_ur10e/*/ur-{name}.csv')
    return write_table(output / f'{name}.csv', UR10E,
                       np.loadtxt(path, delimiter=',', usecols=range(19)))


def ar5_table(folder: Path, output: Path) -> Path:
    """Return the table of the AR5's motion; accelerations are left away."""
    path = folder / 'src' / 'config' / 'dynamics_identification_data_real.csv'
    return write_table(output / 'ar5.csv', AR5, np.loadtxt(
        path, delimiter=',', skiprows=1, usecols=(*range(15), *range(22, 29))))


def airbot_table(folder: Path, output: Path, motion: str, loaded: str = '') -> Path:
    """Return the table of a motion of the AIRBOT Play, whose files have no time: at 100 Hz."""
    place = folder / 'examples' / 'airbot_play' / 'data' / 'identification' / f'{motion}_motion'
    q, effort = (np.loadtxt(place / f'identification_{name}_real{loaded}.csv', delimiter=',',
                            skiprows=1) for name in ('q', 'tau'))
    names = ['time', *(f'{kind}_joint{k}' for kind in ('q', 'effort') for k in range(1, 7))]
    path = output / f'airbot_{motion}{loaded}.csv'
    np.savetxt(path, np.column_stack((0.01 * np.arange(len(q)), q, effort)), '%.9g', ',',
               header=','.join(names), comments='')
    return path


def identify(*arguments: object) -> None:
    """Run urdf2dyn identify, and print what it prints."""
    command = ['identify', *map(str, arguments), '--overwrite']
    print('\n$ urdf2dyn', *command, flush=True)
    subprocess.run([sys.executable, '-m', 'urdf2dyn_ros', *command], check=True)


def main() -> None:
    """Write the tables and identify."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').strip().splitlines()[0])
    parser.add_argument('--panda', type=Path, help='clone of FrankaEmikaPandaDynModel')
    parser.add_argument('--ur10e', type=Path, help='clone of dynamic_calibration')
    parser.add_argument('--panda-bag', type=Path, help='clone of inverse-dynamics-solver')
    parser.add_argument('--ar5', type=Path, help='clone of Dynamics_identification_Frank')
    parser.add_argument('--airbot', type=Path, help='clone of figaroh_kinova')
    parser.add_argument('-o', '--output', type=Path, required=True)
    arguments = parser.parse_args()
    output = arguments.output
    output.mkdir(parents=True, exist_ok=True)
    urdf = EXAMPLES / 'panda_description' / 'urdf' / 'panda.urdf'
    if arguments.panda_bag:
        identify(arguments.panda_bag / 'franka_inria_inverse_dynamics_solver' / 'bagfiles'
                 / 'panda_exciting_trajectory.db3', '--urdf', urdf, '--hold', 'auto',
                 '--rename', r'fer_joint(\d)=panda_joint\1', '-o', output / 'panda_bag')
    if arguments.ar5:
        identify(ar5_table(arguments.ar5, output), '--gravity', 9.81, 0, 0, '--urdf',
                 arguments.ar5 / 'urdf' / 'AR5-5_07R-W4C4A2.urdf', '-o', output / 'ar5')
    if arguments.airbot:
        chirp, moves, loaded = (airbot_table(arguments.airbot, output, *each) for each in (
            ('chirp',), ('trapezoidal',), ('chirp', '_loaded')))
        common = ('--urdf', arguments.airbot / 'examples' / 'airbot_play' / 'data' / 'urdf'
                  / 'airbot_play_v3_0_gripper.urdf', '-o', output / 'airbot')
        identify(chirp, '--validate', moves, *common)
        identify(chirp, loaded, moves, *common)
    if arguments.panda:
        identify(panda_table(arguments.panda, output), '--urdf', urdf, '--hold', 'auto',
                 '-o', output / 'panda')
    if arguments.ur10e:
        fitted, predicted = ([ur10e_table(arguments.ur10e, output, name) for name in names]
                             for names in (FITTED, PREDICTED))
        common = (*fitted, '--urdf', arguments.ur10e / 'URe' / 'urdf' / 'ur10e.urdf',
                  '--effort-semantics', 'current', '--gains', 'free')
        identify(*common, '--validate', *predicted, '-o', output / 'ur10e')
        identify(ur10e_table(arguments.ur10e, output, OTHER), *common,
                 '-o', output / 'ur10e_other')
        for name, mass in LOADS.items():
            identify(*common, '--payload-recording', ur10e_table(arguments.ur10e, output, name),
                     '--payload-link', 'wrist_3_link', '--payload-mass', mass,
                     '-o', output / f'ur10e_{mass:g}kg')


if __name__ == '__main__':
    main()
