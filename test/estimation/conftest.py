"""Samples of three joints, the last of them continuous, and their events."""

from collections import Counter

import pytest

from support.streams.three_joints import NAMES
from urdf2dyn_ros.joint_states.samples import Samples


@pytest.fixture
def events() -> Counter[str]:
    return Counter()


@pytest.fixture
def samples(events: Counter[str]) -> Samples:
    return Samples(NAMES, [False, False, True], events)
