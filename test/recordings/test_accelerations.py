"""Accelerations of real robots in `urdf2dyn evaluate`: unit inertias have them as efforts."""

from pathlib import Path

import numpy as np
import pytest
from real_robots import real, real_ids, referenced

from support.paths import RECORDINGS
from support.recordings import scara
from support.recordings.bags import joint_state, write_bag
from support.recordings.evaluate_command import nrmse, true_efforts
from urdf2dyn_ros.recordings import offline_stream, open_recording

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


@pytest.mark.parametrize(('name', 'cutoff', 'limits'), REAL, ids=real_ids(REAL))
def test_accelerations_of_real_robots(evaluate, tmp_path: Path, name, cutoff, limits) -> None:
    """Each joint is smoothed as its own motion requires, which the summary says."""
    recording = RECORDINGS / name
    motion, true, some = referenced(name, cutoff)
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


def test_a_long_recording_is_smoothed_in_pieces_that_overlap(
        evaluate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memory is bounded, and where pieces meet nothing is lost, twice or worse."""
    samples = scara.motion(3000)
    monkeypatch.setattr(offline_stream, '_PIECE', 300)
    monkeypatch.setattr(offline_stream, '_OVERLAP', 400_000_000)
    done = evaluate(scara.mcap(tmp_path, samples))
    np.testing.assert_array_equal(done.stamps, samples.stamps[10:-10])
    assert nrmse(done.side('computed'), true_efforts(done, samples)) < 1.5e-5
    np.testing.assert_allclose(done.side('measured'), true_efforts(done, samples), rtol=1e-8)


def test_joints_of_two_publishers_are_smoothed_at_their_own_stamps(
        evaluate, tmp_path: Path) -> None:
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
