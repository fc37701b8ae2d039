"""The filters of the bank: their gains, what they predict, and past states."""

import numpy as np
import pytest

from urdf2dyn_ros.estimation.bank import BOTH, BUTTERWORTH, FAMILIES, Bank

STEP = 1e-3


def started(velocities: bool = True) -> Bank:
    bank = Bank(2, STEP, velocities)
    bank.begin(np.zeros(2), np.zeros(2))
    return bank


def test_gains_become_those_of_the_butterworth_low_pass() -> None:
    bank = started()
    for _ in range(4000):
        bank.predict(STEP)
        bank.correct((np.zeros(2), np.zeros(2)), (np.ones(2, bool), np.ones(2, bool)))
    for number, (kind, order) in enumerate(FAMILIES):
        if kind == BOTH:
            continue
        k = number * bank.each + 1   # 5 rad/s
        row = 0 if kind == 0 else 1
        expected = [gain * bank.w[k] ** (1 + i) * STEP for i, gain in enumerate(
            BUTTERWORTH[order - row])]
        gains = bank.P[0, row, row:order, k] / (1.0 + bank.P[0, row, row, k])
        assert gains == pytest.approx(expected, rel=0.03)


def test_a_past_state_is_that_of_the_rauch_tung_striebel_smoother() -> None:
    random = np.random.default_rng(1)
    bank = Bank(1, STEP, False)
    bank.begin(np.zeros(1), np.full(1, np.nan))
    states, predicted, P, P_predicted = [], [], [], []
    k = 3   # one of the filters of order 4
    for step in range(60):
        bank.predict(STEP)
        predicted.append(bank.x[:, k, 0].copy())
        P_predicted.append(bank.P[0, :, :, k].copy())
        bank.correct((random.normal(size=1), np.zeros(1)), (np.ones(1, bool), np.zeros(1, bool)))
        states.append(bank.x[:, k, 0].copy())
        P.append(bank.P[0, :, :, k].copy())
        if step == 30:
            bank.keep()
    F = np.array([[1.0, STEP, STEP**2 / 2, STEP**3 / 6], [0, 1, STEP, STEP**2 / 2],
                  [0, 0, 1, STEP], [0, 0, 0, 1]])
    smooth = states[-1]
    for i in range(58, 29, -1):
        C = np.linalg.solve(P_predicted[i + 1], F @ P[i]).T
        smooth = states[i] + C @ (smooth - predicted[i + 1])
    size = np.abs(states[30][:3]) + 1e-6
    assert np.abs(bank.past[0, :, k, 0] - smooth[:3]) / size == pytest.approx(0.0, abs=2e-3)
