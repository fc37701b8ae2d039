"""From what on one choice is taken, or one recording named: both sides of each threshold."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from urdf2dyn_ros.identification import held_out
from urdf2dyn_ros.identification.held_out import opposed_recordings, unlike_recordings
from urdf2dyn_ros.identification.summary import _best_delay


@pytest.mark.parametrize(('least', 'fall', 'width', 'delay'), [
    (2.0, 0.10, 10, 0.0), (2.0, 0.13, 10, 0.008), (2.3, 0.13, 10, 0.0092),
    (-2.3, 0.13, 10, -0.0092),   # from half a per cent on
    (10, 0.30, 10, 0.02), (10, 0.32, 10, 0.04), (-10, 0.32, 10, -0.04),   # a tenth beyond 20 ms
    (61, 0.9, 61, 0.244), (70, 0.9, 70, 0.02)])   # and within 250 ms
def test_the_delay_of_the_least_error(least: float, fall: float, width: float,
                                      delay: float) -> None:
    """In steps of 4 ms, between which a parabola is looked at."""
    found = _best_delay(lambda k: 1.0 - fall * (1.0 - ((k - least) / width) ** 2))
    assert found == pytest.approx(delay, abs=1e-9)


def pool(error: float) -> Any:
    """Return 100 rows of one joint, whose efforts are 10 N m, and what a fit leaves of them."""
    return SimpleNamespace(rows=np.array([100.0]), triangles=[np.array([[0.0, 100.0]])],
                           left=np.array([100.0 * error ** 2]))


@pytest.mark.parametrize(('error', 'others', 'ratio'), [
    (0.24, 0.1, ''), (0.26, 0.1, '2.6'), (0.19, 0.05, ''), (0.21, 0.05, '4.2')])
def test_a_recording_that_does_not_fit(error: float, others: float, ratio: str,
                                       monkeypatch: pytest.MonkeyPatch) -> None:
    """It leaves 2.5 times what the others do, and 2 % of its efforts."""
    monkeypatch.setattr(held_out, 'squares', lambda fit, pool, robot: pool.left)
    pools = [pool(each) for each in (error, others, 2.0 * others, 0.5 * others)]
    fits: list[Any] = [SimpleNamespace(fit=None)] * 4
    robot: Any = SimpleNamespace(joints=('a',))
    found = unlike_recordings(robot, list('wxyz'), fits, pools)
    assert [*found] == (['w'] if ratio else [])
    assert not ratio or found['w'][1].startswith(
        f'recording w does not fit the others at a: its residual is up to {ratio} times theirs')


@pytest.mark.parametrize(('together', 'text'), [
    (1.45, ''), (1.55, 'r and r contradict each other at a: together they leave a residual of up '
                       'to 1.6 times')])
def test_recordings_that_contradict_each_other(together: float, text: str,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_out, 'squares',
                        lambda fit, pool, robot: pool.left * (1.0 if fit else together ** 2))
    monkeypatch.setattr(held_out, 'fits_to_others',
                        lambda robot, pools, *of: [SimpleNamespace(fit='alone') for _ in pools])
    pools = [pool(0.1) for _ in range(5)]
    summary: Any = SimpleNamespace(weighted=pools, moving=pools, used=np.ones(1), name='r')
    fits: list[Any] = [SimpleNamespace(fit='') for _ in pools]
    robot: Any = SimpleNamespace(joints=('a',))
    said = list(opposed_recordings(robot, [summary] * 2, fits, robot, 1.0))
    assert [each[:len(text)] for each in said] == [text] * bool(text)
