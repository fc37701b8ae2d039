"""Joint states with every fault in any order: what must hold of a stream at all times."""

from __future__ import annotations

from collections import Counter
from math import inf, nan

import numpy as np
from estimator_runs import EVERY_ESTIMATOR
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from pendulum_stream import MS, NAMES, START, add_up, make_stream, receive
from robots import OWN

from urdf2dyn_ros import export_model, read_urdf
from urdf2dyn_ros.estimators import ESTIMATORS, make_estimator
from urdf2dyn_ros.joint_states.layouts import MAX_LAYOUTS, MAX_UNKNOWN
from urdf2dyn_ros.stream.stream import EVENTS, MAX_EFFORTS, OUTCOMES

NUMBERS = st.lists(st.floats(width=64) | st.integers(), max_size=4)
GARBAGE = NUMBERS | st.none() | st.text(max_size=3) | st.lists(st.none() | st.text(max_size=2))
MODEL = read_urdf((OWN / 'robot_2r.urdf').read_text())
EXPORTED = export_model(MODEL, style='fast')
LIMITS = np.array([[-1.0, 1.0], [-np.inf, np.inf]])
SOME_NAMES = st.lists(st.sampled_from([*NAMES, 'gripper', '', 'wheel']), max_size=4)


class Faults(RuleBasedStateMachine):
    """A driver that does everything wrong, now and then something right."""

    @initialize(chosen=st.sampled_from([*EVERY_ESTIMATOR, ('none', {})]),
                receive_time=st.booleans())
    def start(self, chosen, receive_time):
        name, parameters = chosen
        self.continuous = True
        self.options = {'use_receive_time': receive_time, 'max_skew': 0.002,
                        'clock': lambda: START + round(self.ms * MS)}
        self.estimator = lambda: make_estimator(name, 2, **parameters)
        self.ms = 0.0
        self.sent = 0
        self.resets = 0
        self.last_output = 0
        self.counted: Counter[str] = Counter()
        self.stream = make_stream(self.estimator(), **self.options)

    def send(self, ms=None, **fields):
        output = receive(self.stream, self.ms if ms is None else ms, **fields)
        self.sent += 1
        resets = sum(self.stream.counters[name] for name in (
            'gap', 'jump_back', 'not_finite', 'two_sources'))
        if resets > self.resets:
            self.resets, self.last_output = resets, 0
        if output is not None:
            vectors = (output.q, output.qd, output.qdd, output.effort)
            assert all(np.isfinite(vector).all() for vector in vectors)
            assert output.stamp > self.last_output
            self.last_output = output.stamp

    @rule(count=st.integers(1, 40), step=st.sampled_from([1.0, 8.0, 0.3]))
    def good(self, count, step):
        for _ in range(count):
            self.ms += step
            self.send()

    @rule(position=st.permutations([0.1, nan]) | st.permutations([inf, 0.0]))
    def position_not_finite(self, position):
        self.ms += 1.0
        self.send(position=position)

    @rule(velocity=GARBAGE, effort=GARBAGE)
    def only_positions(self, velocity, effort):
        self.ms += 1.0
        self.send(velocity=velocity, effort=effort)

    @rule(names=SOME_NAMES, position=GARBAGE, velocity=GARBAGE, effort=GARBAGE)
    def anything(self, names, position, velocity, effort):
        self.ms += 1.0
        self.send(names=names, position=position, velocity=velocity, effort=effort)

    @rule(joint=st.sampled_from([0, 1]), count=st.integers(1, 20))
    def partial(self, joint, count):
        for _ in range(count):
            self.ms += 1.0
            self.send(names=[NAMES[joint]], position=[0.1], velocity=[0.0], effort=[1.0])
            joint = 1 - joint

    @rule(number=st.integers(0, 10**6))
    def unknown(self, number):
        self.ms += 1.0
        self.send(names=[*NAMES, f'x{number}'], position=[0.0, 0.0, 0.0])

    @rule()
    def duplicate(self):
        self.send()

    @rule(by=st.floats(0.0, 99.0))
    def old(self, by):
        self.send(ms=self.ms - by)

    @rule(by=st.floats(-1e9, 1e9))
    def jump(self, by):
        self.ms += by
        self.send()

    @rule(stamp=st.integers() | st.just(0))
    def any_stamp(self, stamp):
        self.send(stamp=stamp)

    @rule(name=st.sampled_from([None, *ESTIMATORS]), max_gap=st.sampled_from([0.0, 0.1, 5.0]),
          limits=st.sampled_from([None, LIMITS]))
    def change_parameters_or_model(self, name, max_gap, limits):
        """As the node does: a new stream that counts on."""
        if name is not None:
            self.estimator = lambda: make_estimator(name, 2)
        self.options |= {'max_gap': max_gap, 'limits': limits}
        self.stream = make_stream(self.estimator(), counters=self.stream.counters, **self.options)
        self.last_output = 0

    @rule(by=st.floats(-5.0, 5.0), values=st.lists(st.floats(), min_size=1, max_size=3))
    def accelerations(self, by, values):
        self.stream.accelerate(START + round((self.ms + by) * MS), NAMES[:len(values)], values)

    @rule(count=st.integers(1, 20))
    def second_publisher(self, count):
        for _ in range(count):
            self.ms += 0.5
            self.send(position=[1.0, 1.0])
            self.ms += 0.5
            self.send()

    @rule(count=st.integers(1, 100))
    def behind(self, count):
        for _ in range(count):
            self.ms += 1.0
            self.send(answer=False)

    @rule()
    def export(self):
        """The model is not touched by what is sent, nor is the stream by an export."""
        assert export_model(MODEL, style='fast') == EXPORTED

    @invariant()
    def every_message_is_counted_once(self):
        counters = self.stream.counters
        assert counters['received'] == self.sent
        assert add_up(counters)
        assert counters.keys() <= OUTCOMES.keys() | EVENTS.keys()
        assert all(counters[name] >= count for name, count in self.counted.items())
        self.counted = counters.copy()

    @invariant()
    def memory_is_bounded(self):
        assert len(self.stream._efforts) <= MAX_EFFORTS
        assert len(self.stream.unknown_joints) <= MAX_UNKNOWN
        assert len(self.stream._samples._layouts._known) <= MAX_LAYOUTS


TestFaults = Faults.TestCase
TestFaults.settings = settings(max_examples=50, stateful_step_count=40, deadline=None)
