"""Whatever comes in, out comes a model that computes or a UrdfError; longer: `make fuzz`."""

import socket
from collections import Counter
from random import Random

import pytest
from fuzz.mutations import cross, mutate
from fuzz.seeds import kept, real
from fuzz.verdict import verdict, watched

from urdf2dyn_ros.errors import UrdfError
from urdf2dyn_ros.robot.model import RobotModel

REAL = real()
SEEDS = [text for text in (*REAL, *kept()) if len(text) < 6000]


@pytest.mark.parametrize('batch', range(4))
def test_bad_luck_makes_a_model_or_a_urdf_error(batch: int) -> None:
    """A failure is reproduced with ``verdict(unlucky(seed))``."""
    seeds = range(200 * batch, 200 * (batch + 1))
    results = Counter(type(verdict(unlucky(seed))) for seed in seeds)
    assert len(results) == 2 and min(results.values()) > 20, 'both outcomes'


def unlucky(seed: int) -> bytes:
    random = Random(seed)
    text = random.choice(SEEDS)
    if random.random() < 0.2:
        text = cross(text, random.choice(SEEDS), random)
    return mutate(text, random)


def test_what_was_found_before_is_right_by_now() -> None:
    results = [verdict(text) for text in kept()]
    assert results and all(isinstance(result, RobotModel | UrdfError) for result in results)


def test_real_robots_compute() -> None:
    for text in REAL[::4]:
        assert not isinstance(verdict(text), UrdfError)


def test_noise_is_an_error() -> None:
    for seed in range(300):
        random = Random(seed)
        assert isinstance(verdict(random.randbytes(random.randint(0, 80))), UrdfError)


@pytest.mark.fault(3)
def test_the_judge_sees_files_and_the_network() -> None:
    with watched(), pytest.raises(AssertionError, match='open'):
        open(__file__).close()
    with watched(), pytest.raises(AssertionError, match=r'socket\.'):
        socket.socket()
