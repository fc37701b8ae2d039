"""The smoother of whole recordings: known motions, and accelerations of real robots."""

from pathlib import Path

import numpy as np
import pytest

from support.paths import RECORDINGS
from support.recordings import real_accelerations as real
from support.recordings import scara
from support.recordings.bags import joint_state, write_bag
from support.recordings.evaluate_command import nrmse, true_efforts
from support.streams.known_motions import PROFILES, START, Profile, record, truth
from urdf2dyn_ros.recordings import offline_stream, open_recording
from urdf2dyn_ros.recordings.smoothing import cutoffs, smooth
from urdf2dyn_ros.robot.spatial import geometric_mean


def errors(stamps, q):
    """Return RMSE(qdd) / RMS(qdd) of each motion [%]."""
    true = truth(stamps)[2]
    time = (stamps - START) * 1e-9
    some = (time > 1.0) & (time < 11.8)
    found = smooth(stamps, q).qdd
    return 100.0 * np.sqrt(np.square(found - true)[some].mean(axis=0)
                           / np.square(true[some]).mean(axis=0))


# with velocities, a polynomial over 80 ms has 1.9, 1.1, 0.94, 0.72, 1.5, 0.17
@pytest.mark.parametrize(('profile', 'limit'), [
    (Profile(50, 17, 0.0), 1.1), (PROFILES['C'], 0.9), (Profile(250, 17, 0.0), 0.8),
    (PROFILES['A'], 0.5), (PROFILES['F'], 1.35), (PROFILES['E'], 0.01)])
def test_fast_motions_are_found_from_positions_alone(profile, limit) -> None:
    samples = record(profile)
    assert geometric_mean(errors(samples.stamps, samples.q)) < limit


@pytest.mark.parametrize(('period', 'count', 'noisy', 'exact'), [
    (0.002, 3000, [5.3, 13.3, 3.7], 64.0), (0.008, 1000, [4.2, 11.8, 3.3], 32.0),
    (0.04, 300, [4.2, 7.3, 1.0], 8.0), (0.2, 80, [1.7, 1.0, 0.5], 2.0)])
def test_cutoffs_are_as_high_as_noise_allows(period, count, noisy, exact) -> None:
    """Of a slow joint, one that also trembles, and one that moves less: 0.4, 3 and 8 Hz."""
    time = period * np.arange(count)
    slow, trembling, small = (size * np.sin(2.0 * np.pi * rate * time) for size, rate in (
        (0.5, 0.4), (0.02, 3.0), (0.01, 8.0)))
    q = np.column_stack((slow, slow + trembling, small))
    noise = 1e-4 * np.random.default_rng(0).normal(size=q.shape)
    assert cutoffs(time, q + noise, period, np.full(3, 1e-4)) == pytest.approx(noisy, rel=0.1)
    assert cutoffs(time, q, period, np.full(3, 1e-9)) == pytest.approx([exact] * 3)


def test_samples_may_be_lost_uneven_and_wrong() -> None:
    samples = record(PROFILES['C'])
    clean = geometric_mean(errors(samples.stamps, samples.q))
    random = np.random.default_rng(0)
    kept = random.random(len(samples.q)) > 0.05
    assert geometric_mean(errors(samples.stamps[kept], samples.q[kept])) < 1.2 * clean
    # at other instants, with true positions of these
    stamps = samples.stamps + random.integers(-2_400_000, 2_400_000, len(samples.q))
    step = 2.0 * np.pi / 2 ** PROFILES['C'].bits
    assert geometric_mean(errors(stamps, step * np.rint(truth(stamps)[0] / step))) < 1.3 * clean
    q = samples.q.copy()
    wrong = random.choice(len(q), len(q) // 100, replace=False)
    q[wrong, random.integers(0, 4, len(wrong))] += 0.5
    assert geometric_mean(errors(samples.stamps, q)) < 1.1 * clean


def test_messages_that_are_received_twice_are_of_one_instant() -> None:
    """Some microseconds apart, and not the same: their steps are no period."""
    samples = record(PROFILES['C'])
    clean = geometric_mean(errors(samples.stamps, samples.q))
    noise = np.random.default_rng(0).normal(scale=1e-6, size=samples.q.shape)
    stamps = np.column_stack((samples.stamps, samples.stamps + 3_000)).ravel()
    q = np.stack((samples.q + noise, samples.q), axis=1).reshape(-1, samples.q.shape[1])
    assert geometric_mean(errors(stamps, q)) < 1.1 * clean


def test_a_joint_at_rest_and_a_slow_one_are_smoothed_more_than_a_fast_one() -> None:
    time = 0.004 * np.arange(5000)
    step = 2.0 * np.pi / 2 ** 17
    true = np.stack([0.0 * time, 0.5 * np.sin(0.6 * time), 0.1 * np.sin(20.0 * time)], axis=1)
    noise = 2.0 * step * np.random.default_rng(1).normal(size=true.shape)
    found = smooth((time * 1e9).astype(np.int64), step * np.rint((true + noise) / step))
    assert found.cutoffs[1] < 0.5 * found.cutoffs[2]
    middle = slice(250, -250)
    assert np.abs(found.qdd[middle, 0]).max() < 0.1
    for joint, speed in ((1, 0.6), (2, 20.0)):
        wrong = np.sqrt(np.square(found.qdd + speed ** 2 * true)[middle, joint].mean())
        assert wrong < 0.1 * speed ** 2 * true[:, joint].std()


# ---- Accelerations of real robots in `urdf2dyn evaluate`: unit inertias have them as efforts

# recording, cutoff of the reference [Hz], largest errors [%]: a polynomial over 80 ms has
# 30 38 38 on the first, 2 2 2 4 5 5 on the second and 198 to 807 on the last
REAL = [('kr300/kr300.csv', 12.0, (14, 17, 17)), ('tx40/tx40.csv', 15.0, (2, 2, 2, 3, 5.3, 4.5)),
        ('tiago/tiago.csv', 3.0, (55, 75, 90, 20, 35, 10, 15, 15))]

INERTIA = ('<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
           'iyz="0"/></inertial>')


def star(folder: Path, joints: tuple[str, ...]) -> Path:
    """Write a robot whose links all turn about the root, each with an inertia of one."""
    links = ''.join(f'<link name="link_{joint}">{INERTIA}</link><joint name="{joint}" '
                    f'type="continuous"><parent link="root"/><child link="link_{joint}"/>'
                    '<axis xyz="0 0 1"/></joint>' for joint in joints)
    path = folder / 'star.urdf'
    path.write_text(f'<robot name="star"><link name="root"/>{links}</robot>')
    return path


@pytest.mark.slow
@pytest.mark.parametrize(('name', 'cutoff', 'limits'), REAL, ids=[row[0][:5] for row in REAL])
def test_accelerations_of_real_robots(evaluate, tmp_path: Path, name, cutoff, limits) -> None:
    """Each joint is smoothed as its own motion requires, which the summary says."""
    recording = RECORDINGS / name
    if not recording.exists():
        pytest.skip(f'the recording {name} is not part of the repository')
    motion = real.load(recording)
    true, some = real.reference(motion, cutoff), real.judged(motion)
    joints = next(iter(open_recording(recording))).names
    done = evaluate(recording, urdf=star(tmp_path, joints))
    assert done.code == 0 and 'cutoffs [Hz]: ' in done.out
    rows = np.searchsorted(motion.stamps, done.stamps)
    found = np.full_like(motion.q, np.nan)
    found[rows] = done.side('computed', motion.names)
    figures, answered = real.errors(found, true, some)
    print(name, np.round(figures, 1))
    assert answered > 99.5
    assert (figures <= limits).all(), figures


@pytest.mark.slow
def test_a_long_recording_is_smoothed_in_pieces_that_overlap(evaluate, tmp_path, monkeypatch):
    """Its memory is bounded, and where pieces meet nothing is lost, twice or worse."""
    samples = scara.motion(3000)
    monkeypatch.setattr(offline_stream, '_PIECE', 300)
    monkeypatch.setattr(offline_stream, '_OVERLAP', 400_000_000)
    done = evaluate(scara.mcap(tmp_path, samples))
    np.testing.assert_array_equal(done.stamps, samples.stamps[10:-10])
    assert nrmse(done.side('computed'), true_efforts(done, samples)) < 1.5e-5
    np.testing.assert_allclose(done.side('measured'), true_efforts(done, samples), rtol=1e-8)


def test_joints_of_two_publishers_are_smoothed_at_their_own_stamps(evaluate, tmp_path):
    """At 100 and 83 Hz: efforts at the stamps of one, right as if all came together."""
    fast, slow = scara.motion(1500, rate=500), scara.motion(1500, rate=500)
    messages = sorted(
        [(int(fast.stamps[k]), ('joint1', 'joint2'), fast.q[k, :2]) for k in range(0, 1500, 5)]
        + [(int(slow.stamps[k]), ('joint3', 'joint4'), slow.q[k, 2:]) for k in range(1, 1500, 6)])
    done = evaluate(write_bag(tmp_path / 'bag', 'mcap', {'/joint_states': [
        joint_state(stamp, names, list(q)) for stamp, names, q in messages]}))
    assert done.code == 0
    assert len(done.stamps) > 270
    assert nrmse(done.side('computed'), true_efforts(done, fast)) < 1e-4


def test_a_publisher_that_ends_before_the_others_is_reported(evaluate, tmp_path: Path) -> None:
    samples = scara.motion(1500, rate=500)
    messages = [(int(samples.stamps[k]), names, samples.q[k, columns])
                for k in range(0, 1500, 5)
                for names, columns in ((('joint1', 'joint2'), slice(0, 2)),
                                       (('joint3', 'joint4'), slice(2, 4)))
                if k < 800 or names[0] == 'joint1']
    done = evaluate(write_bag(tmp_path / 'bag', 'mcap', {'/joint_states': [
        joint_state(stamp, names, list(q)) for stamp, names, q in messages]}))
    assert done.code == 0
    assert ('not credible at times: joint states of "joint3", "joint4": their stamps are '
            in done.out)
    assert done.stamps[-1] < samples.stamps[800]
