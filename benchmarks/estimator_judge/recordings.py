"""
Recordings of real robots, as arrays that do not depend on the package.

    python recordings.py --data FOLDER [--clones FOLDER [--held-out]] -o FOLDER [--only NAME]
        [--cutoff HZ]

`--data` holds the recordings of this project, `--clones` the public repositories of ``PUBLIC``,
each as a clone `owner+name` (a work tree, or `repo` with the git directory). A recording becomes
NAME.npz: stamps [ns] (k,), q and qd (k, n) with NaN where not measured, the joints' names, which
are continuous, and as reference the accelerations (k, n) of the positions through a Butterworth
low-pass of order 4 both ways at the cutoff [Hz] (0: of a simulator's exact velocities); the mask
(k,) has the samples that count. Joints that move by less than 10 mrad, and samples whose stamps
do not advance, are left out.

"""

import argparse
import io
import sqlite3
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.signal import butter, filtfilt

START = 1_000_000_000_000   # ns, added to times that begin at 0: a stamp of 0 is none
MOVED = 1e-3   # rad or m: a motion has begun
NEAR_GAP = 0.5   # s; what is nearer to a gap is not judged


class Samples(NamedTuple):
    """Times [s] (k,), positions and velocities (k, n), NaN where not measured."""

    time: np.ndarray
    q: np.ndarray
    qd: np.ndarray


def samples(time, q, qd=None) -> Samples:
    """Return samples, without velocities by default."""
    return Samples(np.asarray(time, float), q, np.full_like(q, np.nan) if qd is None else qd)


def table(text: io.IOBase) -> Samples:
    """Return the samples of a CSV table with the columns time, q_JOINT and perhaps qd_JOINT."""
    names = text.readline().strip().split(',')
    values = np.loadtxt(text, delimiter=',')
    q, qd = ([k for k, name in enumerate(names) if name.startswith(kind)]
             for kind in ('q_', 'qd_'))
    return samples(values[:, 0], values[:, q], values[:, qd] if qd else None)


def bag(path: Path, topic: str = '/joint_states') -> Samples:
    """Return the samples of a sqlite3 bag, joints in the order of the first message."""
    from rosbags.typesys import Stores, get_typestore

    read = get_typestore(Stores.ROS2_HUMBLE).deserialize_cdr
    rows = sqlite3.connect(f'file:{path}?mode=ro', uri=True).execute(
        'select data from messages where topic_id = (select id from topics where name = ?) '
        'order by timestamp', (topic,))
    found = [read(data, 'sensor_msgs/msg/JointState') for data, in rows]
    order = [[each.name.index(name) for name in found[0].name] for each in found]
    return samples([each.header.stamp.sec + 1e-9 * each.header.stamp.nanosec for each in found],
                   np.array([each.position[some] for each, some in zip(found, order)]),
                   np.array([each.velocity[some] if len(each.velocity) else np.nan * each.position
                             for each, some in zip(found, order)]))


# name: file below --data, cutoff of the reference [Hz]
LOCAL = {
    'kr300': ('kr300/kr300.csv', 12.0), 'kinova': ('kinova_gen3/joint_2.csv', 15.0),
    'tx40': ('tx40/tx40.csv', 15.0), 'tiago': ('tiago/tiago.csv', 3.0),
    'ur10': ('ur10_exciting_trajectory/ur10_exciting_trajectory.db3', 8.0),
    'so101_chirp': ('so101/chirp_sweep.csv', 6.0),
    'so101_friction': ('so101/friction_gravity.csv', 6.0), 'reachy': ('reachy/reachy.csv', 8.0),
    'triple': ('pendulum/triple.csv', 15.0),
    **{f'gazebo_{name}': (f'gazebo/{name}.csv', 0.0) for name in (
        'mimic_velocity', 'rx90_doc_motion', 'rx90_friction_effort', 'rx90_update_rate_100',
        'scara_effort')}}


class Clone:
    """Files of a public repository at a commit."""

    def __init__(self, clones: Path, repository: str, commit: str) -> None:
        place = clones / repository.replace('/', '+')
        self._git = next(str(each) for each in (
            place / 'repo' / '.git', place / '.git', place / 'repo', place) if each.exists())
        self._commit = commit

    def read(self, file: str) -> io.BytesIO:
        """Return the content of a file."""
        return io.BytesIO(subprocess.run(
            ['git', f'--git-dir={self._git}', 'show', f'{self._commit}:{file}'],
            check=True, capture_output=True).stdout)

    def numbers(self, file: str, skip: int = 0, columns=None, between: str | None = ','):
        """Return the numbers of a table."""
        return np.loadtxt(self.read(file), delimiter=between, skiprows=skip, usecols=columns)


def even(period: float, q: np.ndarray, qd: np.ndarray | None = None) -> Samples:
    """Return samples of a table without times."""
    return samples(period * np.arange(len(q)), q, qd)


def columns(n: int, velocities: bool = True, skip: int = 0, first: int = 0, scale: float = 1.0):
    """Return a reader of tables with a time, n positions and perhaps n velocities."""
    def read(clone: Clone, file: str) -> Samples:
        values = clone.numbers(file, skip)[:, first:]
        values[:, 1:] *= scale
        return samples(values[:, 0], values[:, 1:1 + n],
                       values[:, 1 + n:1 + 2 * n] if velocities else None)
    return read


def without_times(n: int, period: float, q: int = 0, qd: int | None = None, skip: int = 0):
    """Return a reader of tables without times; `q` and `qd` are the first columns of these."""
    def read(clone: Clone, file: str) -> Samples:
        values = clone.numbers(file, skip)
        return even(period, values[:, q:q + n], None if qd is None else values[:, qd:qd + n])
    return read


def panda(clone: Clone, folder: str) -> Samples:
    """Return the samples of a Panda whose joints follow one another in one column."""
    time, q, qd = (clone.numbers(f'{folder}/exciting_traj_{name}.txt')
                   for name in ('time', 'positions', 'velocity'))
    return samples(time, q.reshape(-1, 7), qd.reshape(-1, 7))


def panda_bag(clone: Clone, file: str) -> Samples:
    """Return the samples of a bag."""
    with tempfile.NamedTemporaryFile(suffix='.db3') as copy:
        copy.write(clone.read(file).getvalue())
        copy.flush()
        return bag(Path(copy.name))


def mtm(clone: Clone, folder: str) -> Samples:
    """Return the samples of three joints, a table each."""
    each = [clone.numbers(f'{folder}/{joint}_joint_states.csv')
            for joint in ('outer_yaw', 'shoulder_pitch', 'elbow_pitch')]
    return even(0.005, np.stack([one[:, 0] for one in each], 1),
                np.stack([one[:, 1] for one in each], 1))


def xmate(clone: Clone, folder: str) -> Samples:
    """Return the samples of two tables."""
    return even(0.001, *(clone.numbers(f'{folder}/excit_{name}_record.txt', between=None)
                         for name in ('ang', 'vel')))


def go1(clone: Clone, file: str) -> Samples:
    """Return the samples of legs, in degrees."""
    names = clone.read(file).readline().decode().split(',')
    values = clone.numbers(file, 1)
    return samples(values[:, 1], np.radians(values[:, [
        k for k, name in enumerate(names) if name.endswith('actual')]]))


def damiao(clone: Clone, file: str) -> Samples:
    """Return the samples of a motor that wraps at 12.5 rad."""
    found = np.load(clone.read(file))
    return samples(found['time'], np.unwrap(found['position'], period=25.0)[:, None],
                   found['velocity'][:, None])


def serial_arm(clone: Clone, file: str) -> Samples:
    """Return the samples of an arm on a serial line."""
    found = np.load(clone.read(file))
    return samples(found['time'], found['q'], found['qd'])


def snake(clone: Clone, file: str) -> Samples:
    """Return the samples of a snake, in degrees, the time last."""
    values = clone.numbers(file)
    return samples(values[:, -1], np.radians(values[:, :13]))


def six_joints(clone: Clone, file: str) -> Samples:
    """Return the samples of a table with a row for each joint."""
    values = clone.numbers(file).T
    return even(0.006, values[:, :6])


def kawasaki(clone: Clone, file: str) -> Samples:
    """Return the samples of an arm, with gaps; stamps in ns that float cannot hold."""
    text = [line.split(',') for line in clone.read(file).read().decode().split()[1:]]
    start = int(text[1][0])
    return samples([1e-9 * (int(line[0]) - start) for line in text[1:]],
                   np.array([line[1:] for line in text[1:]], float))


def exoskeleton(clone: Clone, file: str) -> Samples:
    """Return the samples of two hips."""
    values = clone.numbers(file, 1, (0, 9, 10, 11, 12))
    return samples(values[:, 0], values[:, 1:3], values[:, 3:])


def shadow(clone: Clone, file: str) -> Samples:
    """Return the samples of a finger, some of whose stamps are a period early."""
    values = clone.numbers(file, between=None)
    return samples(values[:, 0], values[:, 1:2], values[:, 2:3])


WPI = 'WPI-AIM/dvrk_dynamics_identification', '7697d3a6'
PENDULUM = 'dfki-ric-underactuated-lab/torque_limited_simple_pendulum', 'ed17ea2d'
DOUBLE = 'dfki-ric-underactuated-lab/double_pendulum', '1e8544e6'
AIRBOT = 'liuyurong129/figaroh_kinova', '24b73fff'
UR10E = 'shamilmamedov/dynamic_calibration', '11af40e7'
SHADOW = 'rtkg/motion_primitives', '2941530c'
MTM = 'wangyanhit/mtm_dynamics_identification', '2bf2d71f'
NARUTON = 'Naruton94/robot_identification', 'a75121d2'
DAMIAO = 'YIZHIXIAOCANGSHU/Friction-Identification-for-Manipulators_usb2fdcan', '4c6df01e'
SNAKE = 'Rallstad/RobotSnake', '37ee6d5a'
HIPS = 'BIOROB-Lab-192/robotic-hip-exoskeleton', '6f16b5d8'
# name: repository and commit, file or folder, reader, cutoff of the reference [Hz]
PUBLIC = {
    'psm': (WPI, 'data/psm/measured_trajectory/one_results.csv',
            without_times(7, 0.005, qd=7), 10),
    'mtm': (WPI, 'data/mtm/measured_trajectory/one_results.csv',
            without_times(7, 0.005, qd=7), 5),
    'mtm_three_joints': (MTM,
                         'data/experiment_data/50s-1', mtm, 5),
    'panda': (('marcocognetti/FrankaEmikaPandaDynModel', '24d85ce4'),
              'matlab/data/Exciting_Traj/Trajectory_1/rbt_log', panda, 8),
    'panda_bag': (('unisa-acg/inverse-dynamics-solver', '41e196de'),
                  'franka_inria_inverse_dynamics_solver/bagfiles/panda_exciting_trajectory.db3',
                  panda_bag, 3),
    'xmate': (('YanjunLIU-ac/Dynamic_Parameter_Identification_for_Rokae_xMate', 'd5855f47'),
              'filtering/data/excit', xmate, 60),
    'ar5': (('FrankJIE09/Dynamics_identification_Frank', '758dc8d6'),
            'src/config/dynamics_identification_data_real.csv', columns(7, skip=1), 5),
    'airbot_chirp': (AIRBOT, 'examples/airbot_play/data/identification/chirp_motion/'
                     'identification_q_real.csv', without_times(6, 0.01, skip=1), 6),
    'airbot_trapezoids': (AIRBOT, 'examples/airbot_play/data/identification/trapezoidal_motion/'
                          'identification_q_real.csv', without_times(6, 0.01, skip=1), 6),
    'ur10e_harmonics': (UR10E, 'dataset_ur10e/identification_data/ur-20_02_06-20sec_5harm.csv',
                        columns(6), 8),
    'ur10e_points': (UR10E, 'dataset_ur10e/validation_data/ur-20_01_17-ptp_10_points.csv',
                     columns(6), 8),
    'pendulum_energy': (PENDULUM, 'results/control_method_energy_shaping/data_measured.csv',
                        columns(1, skip=1), 10),
    'pendulum_learned': (PENDULUM, 'results/control_method_sac/data_measured.csv',
                         columns(1, skip=1), 10),
    'pendulum_by_hand': (PENDULUM, 'results/control_method_gravity_compensation/data_measured.csv',
                         columns(1, skip=1), 10),
    **{f'double_{name}': (DOUBLE, f'data/experiment_records/{file}.csv', columns(2, skip=1), 15)
       for name, file in {
           'a_500_hz': 'design_A.0/20220815/sys_id/trajectory_00',
           'a_650_hz': 'design_A.0/20220815/sys_id/trajectory_11',
           'a_balancing': 'design_A.0/20220819/174435-pendubot_tvlqr_lqr/trajectory',
           'c_balancing': 'design_C.0/20220914/172144_acrobot_lqr_video/trajectory',
           'c_500_hz': 'design_C.1/sys_id/20230629/20230629-143339/trajectory'}.items()},
    'go1_walks': (('csirois14/go1-deploy', '62ec4479'), 'data/joint_angles_obstacle.csv',
                  without_times(12, 0.02, q=1, skip=1), 8),
    'go1_bends': (('maido-39/free-dog-sdk-dev', 'f7124210'), 'joint_tracking_data.csv', go1, 8),
    'humanoid_ankles': (('leon-sir/my_tools', 'f3b2cfe1'),
                        'train_motor_csv/robot_data_04_11_13_24_Ankle.csv',
                        without_times(4, 0.01, q=8, qd=16, skip=1), 12),
    'two_joints': (('NU-RDS/2n-codebase', 'f34521e3'), 'joint_states.csv',
                   columns(2, velocities=False, skip=1), 10),
    'lkm': (('Cobular/LKMTechCanDriver-Rust', '35c840c1'), 'motor_data.csv',
            columns(1, skip=1, scale=np.pi / 180.0), 16),
    'ur5e': (('MingyuTang0728/Universal-Robots-Notts', '3bfbff1d'), 'UR5e_motion_full.csv',
             without_times(6, 0.008, q=9, qd=15, skip=1), 8),
    'six_joints': (NARUTON,
                   'python_identification/csv_data/dataInput1.csv', six_joints, 8),
    'damiao': (DAMIAO,
               'results/runs/20260425_155213_identify-all/group_01/motor_04/capture.npz', damiao,
               8),
    'serial_arm': (('YIZHIXIAOCANGSHU/Friction-Identification-for-Manipulators', 'f9157512'),
                   'results/real_uart_capture_compensate_joint_1.npz', serial_arm, 3),
    'snake': (SNAKE, 'log/2017.5.31.18.16.9.labviewMeasJoints.csv',
              snake, 3),
    'exoskeleton': (HIPS,
                    'data/Collin_treadwalk_2_AntData_2025_03_06_15_40.csv', exoskeleton, 6),
    'kawasaki': (('abdealip/mapping-3d-robot-arm', '6362ab89'), 'data/joint_states.csv',
                 kawasaki, 6),
    'shadow_thumb': (SHADOW, 'matlab/data/thj4_sine_5_5.txt', shadow, 8),
    'shadow_finger': (SHADOW, 'matlab/data/ffj3_sweep_30_20.txt', shadow, 8)}


# others of these robots, by `--held-out`: no parameter is to be chosen by them
HELD_OUT = {
    'psm_two': (WPI, 'data/psm/measured_trajectory/two_results.csv',
                without_times(7, 0.005, qd=7), 10),
    'mtm_two': (WPI, 'data/mtm/measured_trajectory/two_results.csv',
                without_times(7, 0.005, qd=7), 5),
    'mtm_large': (MTM, 'data/experiment_data/50s-alllink-work-large', mtm, 5),
    'airbot_loaded': (AIRBOT, 'examples/airbot_play/data/identification/chirp_motion/'
                      'identification_q_real_loaded.csv', without_times(6, 0.01, skip=1), 6),
    'ur10e_14_harmonics': (UR10E, 'dataset_ur10e/identification_data/ur-20_02_19_14harm50sec.csv',
                           columns(6), 8),
    'ur10e_joint_5': (UR10E, 'dataset_ur10e/jointwise_motion/ur-20_01_22-joint_5.csv',
                      columns(6), 8),
    **{f'pendulum_{name}': (PENDULUM, f'results/control_method_{file}/data_measured.csv',
                            columns(1, skip=1), 10)
       for name, file in {'ilqr': 'ilqr', 'ddp': 'ddp', 'fails': 'pd/1nm_torque_limited_'
                          'swingup_failure'}.items()},
    **{f'double_{name}': (DOUBLE, f'data/experiment_records/{file}.csv', columns(2, skip=1), 15)
       for name, file in {
           'a_first': 'design_A.0/20220812/sys_id/20220812-055032-PM_measured',
           'a_pendubot': 'design_A.0/20220819/174932-pendubot_tvlqr_lqr/trajectory',
           'c_first': 'design_C.0/20220914/sys_id/trajectory_12',
           'c_acrobot': 'design_C.0/20220914/180839_acrobot_tvlqr_video/trajectory'}.items()},
    'six_joints_two': (NARUTON, 'python_identification/csv_data/dataInput2.csv', six_joints, 8),
    'damiao_two': (DAMIAO, 'results/runs/20260425_155213_identify-all/group_02/motor_02/'
                   'capture.npz', damiao, 8),
    'snake_two': (SNAKE, 'log/2017.5.31.14.36.45.labviewMeasJoints.csv', snake, 3),
    'exoskeleton_two': (HIPS, 'data/Collin_treadwalk_2_AntData_2025_03_06_15_53_45.csv',
                        exoskeleton, 6),
    'shadow_wrist': (SHADOW, 'matlab/data/wrj1_sine_5_5.txt', shadow, 8),
    'shadow_little': (SHADOW, 'matlab/2012-11-23_SysIdent_LFJ3/'
                      'lfj3_sweep_30.0_120at45deg_0.5_5.0.txt', shadow, 8)}


def reference(time: np.ndarray, q: np.ndarray, qd: np.ndarray, cutoff: float) -> np.ndarray:
    """Return accelerations (k, n) of low-passed positions, or of exact velocities (cutoff 0)."""
    period = float(np.median(np.diff(time)))
    if cutoff == 0.0:
        return np.gradient(qd, time, axis=0)
    even = np.arange(0.0, time[-1], period)
    b, a = butter(4, 2.0 * cutoff * period)
    columns = []
    for each in q.T:
        smooth = filtfilt(b, a, np.interp(even, time, each))
        columns.append(np.interp(time, even, np.gradient(np.gradient(smooth, period), period)))
    return np.stack(columns, axis=1)


def judged(time: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return which samples count: from 1 s after the first motion to 0.3 s before the last."""
    first = np.flatnonzero(np.abs(q - q[0]).max(axis=1) > MOVED)[0]
    last = np.flatnonzero(np.abs(np.diff(q, axis=0)).max(axis=1) > 0.0)[-1]
    some = (time > time[first] + 1.0) & (time < time[last] - 0.3)
    steps = np.diff(time)
    for gap in np.flatnonzero(steps > max(0.1, 5.0 * np.median(steps))):   # it has no reference
        some &= (time < time[gap] - NEAR_GAP) | (time > time[gap + 1] + NEAR_GAP)
    return some


def write(path: Path, found: Samples, cutoff: float, origin: str) -> str:
    """Write a recording; return a line about it."""
    # in steps of 1 ns, as a stamp has them
    stamps = np.rint(found.time * 1e9).astype(np.int64)
    stamps += START if stamps[0] < 1e9 else 0
    advances = np.concatenate(([True], stamps[1:] > np.maximum.accumulate(stamps)[:-1]))
    stamps, q, qd = (each[advances] for each in (stamps, found.q, found.qd))
    moving = np.ptp(q, axis=0) > 10.0 * MOVED
    q, qd = q[:, moving], qd[:, moving]
    time = (stamps - stamps[0]) * 1e-9
    np.savez_compressed(
        path, stamps=stamps, q=q, qd=qd, names=[f'joint{k + 1}' for k in np.flatnonzero(moving)],
        continuous=np.zeros(q.shape[1], bool), cutoff=cutoff, mask=judged(time, q),
        reference=reference(time, q, qd, cutoff), origin=origin)
    return (f'{path.stem:24}{len(stamps):7d} samples {1.0 / np.median(np.diff(time)):7.1f} Hz '
            f'{q.shape[1]:3d} joints{", velocities" * bool(np.isfinite(qd).any())}')


def main() -> None:
    """Write the recordings."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('--data', type=Path)
    parser.add_argument('--clones', type=Path)
    parser.add_argument('--held-out', action='store_true')
    parser.add_argument('--only', default='')
    parser.add_argument('--cutoff', type=float, help='of all references [Hz]')
    parser.add_argument('-o', '--output', type=Path, required=True)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, (file, cutoff) in LOCAL.items() if arguments.data else ():
        if arguments.only in name:
            path = arguments.data / file
            found = bag(path) if path.suffix == '.db3' else table(path.open())
            print(write(arguments.output / f'{name}.npz', found, arguments.cutoff or cutoff, file),
                  flush=True)
    for name, (source, file, read, cutoff) in (
            HELD_OUT if arguments.held_out else PUBLIC).items() if arguments.clones else ():
        if arguments.only in name:
            try:
                found = read(Clone(arguments.clones, *source), file)
            except (StopIteration, subprocess.CalledProcessError):
                print(f'{name:24} is not there: clone {source[0]} at {source[1]}', flush=True)
                continue
            print(write(arguments.output / f'{name}.npz', found, arguments.cutoff or cutoff,
                        f'{source[0]}@{source[1]}:{file}'), flush=True)


if __name__ == '__main__':
    main()
