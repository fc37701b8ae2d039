"""Joint states with every fault in any order: what must hold of a stream at all times."""

from collections import Counter
from copy import deepcopy
from math import inf, nan

import numpy as np
from estimator_runs import EVERY_ESTIMATOR
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from stream_models import EXPORTED, STYLES, TEXTS, dynamics, motion, said

from support.memory import bytes_of
from support.streams.pendulums import MS, START, add_up
from urdf2dyn_ros import InverseDynamics, export_model
from urdf2dyn_ros.codegen.compiled import BACKENDS
from urdf2dyn_ros.estimation.assembly import stream
from urdf2dyn_ros.estimation.estimators import ESTIMATORS
from urdf2dyn_ros.estimation.messages import MAX_UNKNOWN
from urdf2dyn_ros.estimation.outcomes import JOINT_STATE_EVENTS, JOINT_STATE_OUTCOMES
from urdf2dyn_ros.nodes.inverse_dynamics import NODE_PARAMETERS

NUMBERS = st.lists(st.floats(width=64) | st.integers(), max_size=4)
GARBAGE = NUMBERS | st.none() | st.text(max_size=3) | st.lists(st.none() | st.text(max_size=2))
MODELS = st.sampled_from(sorted(TEXTS))
NAMES = sorted({name for model in TEXTS for name in dynamics(model, 'python', 'run').joint_names})
ABSURD = ('position', 1e6), ('velocity', 1e200), ('velocity', -1e308)   # the last two overflow
CHOSEN = st.sampled_from([*EVERY_ESTIMATOR, ('none', {}), ('external', {})])
MOST_BYTES = 2_000_000
"""That a stream may keep: the estimator of four joints with a lag has 900,000 from the start."""

SOME_NAMES = st.lists(st.sampled_from([*NAMES, 'gripper', '']), max_size=5)


def same(one, other):
    """Return whether two outputs are the same, bit for bit."""
    return all(np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
               for name in ('stamp', 'q', 'qd', 'qdd', 'effort', 'measured', 'std'))


class Faults(RuleBasedStateMachine):
    """
    A driver that does everything wrong, now and then something right.

    A second stream receives the same messages, before any export: both must return the same. The
    second one has a model of its own, which is not exported.

    """

    @initialize(model=MODELS, chosen=CHOSEN, receive_time=st.booleans())
    def start(self, model, chosen, receive_time):
        self.begin(model, 'python', chosen, receive_time)

    def begin(self, model, backend, chosen, receive_time):
        self.ms, self.sent = 0.0, 0
        self.counted: Counter[str] = Counter()
        self.streams = [None, None]
        self.given = None
        self.model, name = model, chosen[0]
        self.values = {row.name: row.default for row in NODE_PARAMETERS}
        self.take_over(backend=backend, estimator=name, **{
            'stream.use_receive_time': receive_time, 'stream.max_skew': 0.002,
            **{f'{name}.{key}': value for key, value in chosen[1].items()}})

    def take_over(self, **values):
        """As the node does when parameters or the model change: a new stream that counts on."""
        self.values |= values
        self.dynamics, self.reference = (
            dynamics(self.model, self.values['backend'], use) for use in ('run', 'compare'))
        before = self.streams
        self.streams = [stream(self.values, of, lambda: self.stamp())
                        for of in (self.dynamics, self.reference)]
        for one, old in zip(self.streams, before, strict=True):
            one.counters.update({} if old is None else old.counters)
        self.stream = self.streams[0]
        self.last_output = 0

    def stamp(self, by=0.0):
        return START + round((self.ms + by) * MS)

    def send(self, by=0.0, compute=True, between=lambda: None, **fields):
        stamp = self.stamp(by)
        fields = {'stamp': stamp, 'names': self.dynamics.joint_names,
                  **said(self.dynamics, stamp), **fields}
        back = self.stream.counters['jump_back']
        other = self.streams[1].receive(**fields, compute=compute)
        between()
        output = self.stream.receive(**fields, compute=compute)
        self.sent += 1
        if self.stream.counters['jump_back'] > back:   # nothing else resets the time
            self.last_output = 0
        assert compute or output is None
        assert (output is None) == (other is None)
        if output is not None:
            self.judge(output, other)

    def judge(self, output, other):
        motion_ = output.q, output.qd, output.qdd
        for vector in (*motion_, output.effort):
            assert vector.shape == (len(self.dynamics.joint_names),)
            assert np.isfinite(vector).all()
        assert output.stamp > self.last_output
        self.last_output = output.stamp
        assert np.array_equal(output.effort, self.reference(*motion_))
        assert same(output, other)
        self.given, self.copy = output, deepcopy(output)

    @rule(count=st.integers(1, 40), step=st.sampled_from([1.0, 8.0, 0.3]))
    def good(self, count, step):
        for _ in range(count):
            self.ms += step
            self.send()

    @rule(bad=st.sampled_from([nan, inf, -inf]), joint=st.integers(0, 3))
    def position_not_finite(self, bad, joint):
        self.ms += 1.0
        position = said(self.dynamics, self.stamp())['position']
        position[joint % len(position)] = bad
        self.send(position=position)

    @rule(absurd=st.sampled_from(ABSURD), count=st.integers(1, 5))
    def absurd(self, absurd, count):
        field, size = absurd
        for _ in range(count):
            self.good(5, 1.0)
            self.ms += 1.0
            self.send(**{field: [size] * len(self.dynamics.joint_names)})

    @rule(velocity=GARBAGE, effort=GARBAGE)
    def only_positions(self, velocity, effort):
        self.ms += 1.0
        self.send(velocity=velocity, effort=effort)

    @rule(names=SOME_NAMES, position=GARBAGE, velocity=GARBAGE, effort=GARBAGE)
    def anything(self, names, position, velocity, effort):
        self.ms += 1.0
        self.send(names=names, position=position, velocity=velocity, effort=effort)

    @rule(joint=st.integers(0, 3), count=st.integers(1, 20))
    def partial(self, joint, count):
        names = self.dynamics.joint_names
        for k in range(joint, joint + count):
            self.ms += 1.0
            self.send(names=[names[k % len(names)]], position=[0.1], velocity=[0.0], effort=[1.0])

    @rule(number=st.integers(0, 10**6))
    def unknown(self, number):
        self.ms += 1.0
        names = [*self.dynamics.joint_names, f'x{number}']
        self.send(names=names, position=[0.0] * len(names))

    @rule(model=MODELS, count=st.integers(1, 20))
    def driver_of_another_model(self, model, count):
        for _ in range(count):
            self.ms += 1.0
            of = dynamics(model, 'python', 'run')
            self.send(names=of.joint_names, **said(of, self.stamp()))

    @rule()
    def duplicate(self):
        self.send()

    @rule(by=st.floats(0.0, 99.0))
    def old(self, by):
        self.send(-by)

    @rule(by=st.floats(-1e9, 1e9))
    def jump(self, by):
        self.ms += by
        self.send()

    @rule(stamp=st.integers() | st.just(0))
    def any_stamp(self, stamp):
        self.send(stamp=stamp)

    @rule(name=st.sampled_from([None, *ESTIMATORS]), max_gap=st.sampled_from([0.0, 0.1, 5.0]))
    def change_parameters(self, name, max_gap):
        self.take_over(**{'stream.max_gap': max_gap,
                          'estimator': self.values['estimator'] if name is None else name})

    @rule(model=MODELS, backend=st.sampled_from(BACKENDS))
    def swap_model(self, model, backend):
        self.model = model
        self.take_over(backend=backend)

    def accelerate(self, by, values):
        for each in self.streams:
            each.accelerate(self.stamp(by), self.dynamics.joint_names[:len(values)], values)

    @rule(by=st.floats(-5.0, 5.0), values=st.lists(st.floats(), min_size=1, max_size=4))
    def any_accelerations(self, by, values):
        self.accelerate(by, values)

    @rule(count=st.integers(1, 20))
    def good_with_accelerations(self, count):
        for _ in range(count):
            self.ms += 1.0
            self.accelerate(0.0, motion(self.dynamics, self.stamp())[2])
            self.send()

    @rule(count=st.integers(1, 20))
    def second_publisher(self, count):
        for _ in range(count):
            self.ms += 0.5
            self.send(position=[1.0] * len(self.dynamics.joint_names))
            self.ms += 0.5
            self.send()

    @rule(count=st.integers(1, 100))
    def behind(self, count):
        for _ in range(count):
            self.ms += 1.0
            self.send(compute=False)

    @rule(style=st.sampled_from(STYLES), count=st.integers(1, 10))
    def export(self, style, count):
        """The text is as before all data, and the next outputs are as without an export."""
        def export():
            found.update(export_model(self.dynamics.model, *style))

        found: dict[str, str] = {}
        self.good(count, 1.0)
        self.ms += 1.0
        self.send(between=export)
        assert found == EXPORTED[(self.model, *style)]

    @invariant()
    def every_message_is_counted_once(self):
        counters = self.stream.counters
        assert counters['received'] == self.sent
        assert add_up(counters)
        assert counters.keys() <= JOINT_STATE_OUTCOMES.keys() | JOINT_STATE_EVENTS.keys()
        assert all(counters[name] >= count for name, count in self.counted.items())
        assert counters == self.streams[1].counters
        self.counted = counters.copy()

    @invariant()
    def outputs_do_not_change(self):
        assert self.given is None or same(self.given, self.copy)

    def teardown(self):
        """After a whole history its memory is bounded."""
        assert bytes_of(self.stream, InverseDynamics) < MOST_BYTES

    @invariant()
    def every_joint_is_in_one_group(self):
        joints = [joint for group in self.stream.groups for joint in group.joints]
        assert sorted(joints) == sorted(self.dynamics.joint_names)
        assert len(self.stream.unknown_joints) <= MAX_UNKNOWN


class CompiledFaults(Faults):
    """The same with what the node has from the C compiler: the efforts and the filter."""

    @initialize(model=MODELS, receive_time=st.booleans(), backend=st.sampled_from(['c', 'auto']),
                parameters=st.sampled_from([{}, {'bandwidth': 50.0}]))
    def start(self, model, receive_time, backend, parameters):
        self.begin(model, backend, ('kalman', parameters), receive_time)


TestFaults = Faults.TestCase
TestCompiledFaults = CompiledFaults.TestCase
TestFaults.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
# what is compiled has tests of its own; here it must live through the same faults
TestCompiledFaults.settings = settings(TestFaults.settings, max_examples=30)
