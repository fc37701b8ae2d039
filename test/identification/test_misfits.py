"""Notes on what an identified model would be like, which the report and the terminal have."""

from pathlib import Path

import numpy as np
import pytest

from support.scara_recordings import MODEL, SCARA, recording, robot
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.inverse_dynamics import InverseDynamics

MODEL_ROBOT = InverseDynamics(MODEL)
LAST_MASS = next(link.inertia.mass for link in reversed(MODEL.links) if link.inertia)
LIGHTER = 1.15 * LAST_MASS
"""What the last body of the recorded robot is lighter than 1.3 times its mass in the URDF [kg]."""


def test_a_body_that_is_far_too_heavy_may_carry_a_tool(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path / 'r.csv', recorded=robot(payload=20.0))
    assert main(['identify', path, '--urdf', str(SCARA), '-o', str(tmp_path / 'out')]) == 0
    notes = [line for line in capsys.readouterr().err.splitlines() if ' would have ' in line]
    assert notes and all('does it carry a tool that the URDF is without' in each for each in notes)


def test_good_recordings_fit_each_other(tmp_path: Path,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    """One is faster, so that its residual of 0.6 % is three times theirs."""
    paths = [recording(tmp_path / f'{seed}.csv', seed=seed) for seed in range(3)]
    assert main(['identify', *paths, '--urdf', str(SCARA), '-o', str(tmp_path / 'out')]) == 0
    assert 'does not fit' not in capsys.readouterr().err


def notes_of(capsys: pytest.CaptureFixture[str], tmp_path: Path, *words: str) -> list[str]:
    """Return what identify notes."""
    assert main(['identify', *words, '--urdf', str(SCARA), '-o', str(tmp_path / 'out')]) == 0
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith('note: ')]


def test_efforts_that_are_cut_are_noted(tmp_path: Path,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    """At four fifths of the largest one of the second joint; not the others."""
    def cut(q, effort):
        limit = 0.8 * np.abs(effort[:, 1]).max()
        effort[:, 1] = effort[:, 1].clip(-limit, limit)
        return q, effort.round(1)

    found = notes_of(capsys, tmp_path, recording(tmp_path / 'r.csv', change=cut))
    assert len(found) == 1 and 'r: joint2: the measured effort is exactly ' in found[0]


def test_a_validation_that_the_urdf_explains_better_is_noted(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is of a robot whose fourth joint is as light as the URDF says."""
    def lighter(q, effort):
        effort[:, 3] = MODEL_ROBOT(q, 0.0 * q, 0.0 * q)[:, 3]
        return q, effort + 0.01 * np.random.default_rng(1).normal(size=effort.shape)

    paths = [recording(tmp_path / 'r.csv'),
             recording(tmp_path / 'other.csv', seed=1, change=lighter)]
    (found,) = notes_of(capsys, tmp_path, paths[0], '--validate', paths[1])
    assert 'other: at joint4 the identified model is no better than the URDF' in found


def test_a_light_body_among_others_is_no_matter_of_units(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The tool, whose mass in the URDF is too large, has a counterweight."""
    path = recording(tmp_path / 'r.csv', recorded=robot(payload=-LIGHTER))
    found = [each for each in notes_of(capsys, tmp_path, path) if ' would have ' in each]
    assert found and all('a counterweight carries it' in each for each in found)


@pytest.mark.parametrize('share', [0.3, 0.8])
def test_coarse_efforts_are_not_taken_for_cut_ones(
        share: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They have some twenty values, the largest ones for longest, or some five, as of a servo."""
    def coarse(q, effort):
        step = share * effort.std(axis=0)
        return q, np.round(effort / step) * step

    assert notes_of(capsys, tmp_path, recording(tmp_path / 'r.csv', change=coarse)) == []


def test_an_effort_that_fits_the_opposite_sign_is_noted(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has too much noise for an error that names the sign, and a large mean."""
    def opposite(q, effort):
        noise = np.random.default_rng(1).normal(size=len(q))
        effort[:, 3] = 0.5 * effort[:, 3].std() * noise - effort[:, 3]
        return q, effort

    found = notes_of(capsys, tmp_path, recording(tmp_path / 'r.csv', change=opposite))
    assert any('joint4 is hardly explained' in each and 'is its sign wrong?' in each
               for each in found)


def test_friction_that_follows_late_is_a_reason_of_late_efforts(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Friction alone is late by 0.1 s: a delay of everything helps, but not much."""
    def hysteresis(q, effort):
        coulomb = 6.0 * np.tanh(50.0 * np.gradient(q, 1.0 / 60.0, axis=0))
        return q[6:], effort[6:] + coulomb[:-6]

    found = notes_of(capsys, tmp_path, recording(tmp_path / 'r.csv', change=hysteresis))
    assert any('late by 20 ms' in each and '--delay 0' in each for each in found)


def test_an_effort_that_is_at_its_largest_once_is_not_cut(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def flat(q, effort):
        top = int(np.argmax(effort[:, 1]))
        effort[top - 6:top + 6, 1] = effort[top, 1]
        return q, effort

    assert notes_of(capsys, tmp_path, recording(tmp_path / 'r.csv', change=flat)) == []


def test_an_offset_that_steps_is_noted_with_its_time(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By a fifth of the effort, of one joint alone."""
    def step(q, effort):
        effort[300:, 1] -= 0.2 * effort[:, 1].std()
        return q, effort

    found = notes_of(capsys, tmp_path, recording(tmp_path / 'r.csv', change=step))
    (note,) = (each for each in found if 'offset' in each)
    assert 'r: the effort of joint2 is ' in note and 'smaller from about 5 s on' in note


def test_a_prismatic_joint_in_millimetres_is_named(tmp_path: Path,
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    """A range that is a thousand times as large would be identified with other bodies."""
    scale = np.where(np.array(MODEL_ROBOT.units) == 'm', 1000.0, 1.0)
    path = recording(tmp_path / 'r.csv', change=lambda q, effort: (scale * q, effort))
    assert main(['identify', path, '--urdf', str(SCARA), '-o', str(tmp_path / 'out')]) == 3
    assert 'are the positions in mm or cm? convert them to m' in capsys.readouterr().err
