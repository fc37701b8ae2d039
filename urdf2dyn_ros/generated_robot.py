"""A robot's generated functions: made at the first call, run in Python or compiled from C."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.codegen.compiled import GeneratedFunction, Values, not_compiled
from urdf2dyn_ros.codegen.generator import LOADS, generate
from urdf2dyn_ros.codegen.loop_solver import LoopSolver
from urdf2dyn_ros.codegen.program import Operations
from urdf2dyn_ros.codegen.signature import ONLY_TIP, LinkFrames
from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.robot.assembly import ambiguous, solve_loops
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.loads import GRAVITY, Loads, checked_gravity, checked_loads
from urdf2dyn_ros.robot.lock import lock_joints
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import counted, first_names, listed, printable

if TYPE_CHECKING:   # the reader requires lxml, a model does not
    from urdf2dyn_ros.robot.reader import UrdfSource

BackEnd: TypeAlias = Literal['auto', 'c', 'python']
BaseName: TypeAlias = Literal['auto', 'fixed', 'moving']
LoadValues: TypeAlias = ArrayLike | Mapping[str, ArrayLike]   # of external also by link

_HEAD = ('joint', 'unit of q', 'lower', 'upper', 'velocity', 'effort', 'unit of the effort')
_OF_PINOCCHIO = {   # names that users of other libraries try, to ours
    'rnea': 'the call itself, dynamics(q, qd, qdd)',
    'inverse_dynamics': 'the call itself, dynamics(q, qd, qdd)',
    'aba': 'forward_dynamics(q, qd, tau)', 'crba': 'mass_matrix(q)',
    'nle': 'bias(q, qd)', 'nonlineareffects': 'bias(q, qd)',
    'computegeneralizedgravity': 'gravity(q)', 'computecoriolismatrix': 'coriolis_matrix(q, qd)',
    **dict.fromkeys(('computejointtorqueregressor', 'computejointtorquesregressor'),
                    'regressor(q, qd, qdd), with base_parameters'),
    'computerneaderivatives': 'derivatives(q, qd, qdd)',
    'computeabaderivatives': 'forward_dynamics_derivatives(q, qd, tau)',
    **dict.fromkeys(('framesforwardkinematics', 'forwardkinematics'),
                    'forward_kinematics(q, link)'),
    **dict.fromkeys(('computeframejacobian', 'computejointjacobian', 'getframejacobian'),
                    'jacobian(q, link, axes)'),
    'centerofmass': 'centre_of_mass(q, qd)'}


class GeneratedRobot:
    """A robot, gravity and loads with what runs their functions: see `InverseDynamics`."""

    def __init__(self, model: RobotModel | UrdfSource,
                 gravity: ArrayLike = GRAVITY, backend: BackEnd = 'auto',
                 threads: int = 1, base: BaseName | None = None, loads: Loads = LOADS,
                 start: Mapping[str, float] | None = None,
                 lock: Mapping[str, float] | None = None) -> None:
        if not isinstance(model, RobotModel):
            from urdf2dyn_ros.robot.reader import read_urdf
            model = read_urdf(model)
        if lock:
            model = lock_joints(model, lock)
        if start is not None or (model.closed_loops is None and (model.loops or model.couplings)):
            model = solve_loops(model, start)
        if model.closed_loops and model.closed_loops.other:
            raise ambiguous(model.closed_loops)
        gravity = checked_gravity(gravity)
        loads = checked_loads(loads)
        if base is not None:
            loads = replace(loads, base=base)
        self._made_of = (model, gravity, backend, threads, None, loads)   # the start is in model
        self.model, self.gravity_vector, self.loads = model, gravity, loads
        self._system = make_multibody(model)
        self._requested = backend, threads
        self._functions: dict[tuple[str, LinkFrames], GeneratedFunction] = {}
        self.joint_names = tuple(self._system.joint_names[k] for k in self._system.actuated)
        self.passive_names = model.closed_loops.passive if model.closed_loops else ()
        self._efforts = self._function('inverse_dynamics')
        program = self._efforts.program
        self.units = tuple(row.unit for row in program.independent)
        self.effort_units = tuple(row.effort_unit for row in program.independent)
        self.continuous = tuple(not JOINTS[row.type].bounded for row in program.independent)
        self.limits = tuple(self._system.bodies[body].limits for body in self._system.motors)
        self.n = len(self.joint_names)
        known = np.array([(x.lower, x.upper, x.velocity, x.effort) for x in self.limits],
                         dtype=np.float64).reshape(-1, 4)   # NaN where there is none
        self.lower, self.upper, self.velocity_limit, self.effort_limit = np.where(
            np.isnan(known), (-np.inf, np.inf, np.inf, np.inf), known).T
        self.operations: Operations = program.functions[0].operations
        self.inputs = tuple(x.name for x in self._efforts.inputs if x.name != 'passive')
        self.backend: BackEnd = 'c' if self._efforts.backend == 'c' else 'python'
        self._compiled = not_compiled if self._system.closed_loops else self._efforts.compiled
        self._is_plain = not self._system.closed_loops and len(self._efforts.results) == 1
        self._takes_payload = self._is_plain and self.inputs[3:] == ('payload',)

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute that is private, or not set yet: equations do not follow a change."""
        if not name.startswith('_') and hasattr(self, name):
            raise AttributeError(f'{name} cannot be set, as the equations are generated with it: '
                                 'make another InverseDynamics(model, gravity=..., loads=...)')
        super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._made_of   # machine code stays where it is

    @property
    def text(self) -> str:
        """The Python source that is run, or that the compiled code agrees with."""
        return self._efforts.text

    def named(self, values: ArrayLike) -> dict[str, float | Array]:
        """
        Return the entries of a vector by the names of their joints.

        Parameters
        ----------
        values : array_like, (n,) or (N, n)
            Efforts, or any vector in the order of `joint_names`.

        Returns
        -------
        dict
            Name to a number, or to (N,).

        Raises
        ------
        StateError
            If the last axis has not one entry for each joint.

        """
        try:
            array = np.asarray(values)
        except ValueError as error:
            raise StateError(f'values are not an array: {error}') from None
        if array.ndim not in (1, 2) or array.shape[-1] != self.n:
            raise StateError(f'values have shape {array.shape}; it must be ({self.n},) or (N, '
                             f'{self.n}), for the joints {", ".join(self.joint_names)}')
        columns = array.tolist() if array.ndim == 1 else array.T
        return dict(zip(self.joint_names, columns))

    def prepare(self, name: str) -> None:
        """Generate the function of this name now, rather than at its first call."""
        self._function(name)

    def __getattr__(self, name: str) -> Any:
        known = _OF_PINOCCHIO.get(name.lower(), '')
        raise AttributeError(f'{type(self).__name__!r} has no attribute {name!r}'
                             + (f'; here it is {known}' if known else ''), name=name, obj=self)

    def _about(self) -> str:
        joints = counted(self.n, 'joint') if self.n else 'no joints'
        loads = f', with {", ".join(self.inputs[3:])}' * (len(self.inputs) > 3)
        return f'{printable(self.model.name)!r}, {joints}, backend {self.backend!r}{loads}'

    def __repr__(self) -> str:
        names = first_names([printable(name) for name in self.joint_names], 8)
        return f'<{type(self).__name__} of {self._about()}' + (f': {names}>' if names else '>')

    def _repr_html_(self) -> str:
        rows: list[tuple[str, ...]] = [_HEAD]
        for name, unit, limits, effort_unit in zip(self.joint_names, self.units, self.limits,
                                                   self.effort_units):
            numbers = (limits.lower, limits.upper, limits.velocity, limits.effort)
            rows.append((name, unit, *('' if x is None else f'{x:.5g}' for x in numbers),
                         effort_unit))
        head, *body = (''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in row)
                       for tag, row in zip(('th', *['td'] * len(rows)), rows))
        return (f'<table><caption>{escape(f"{type(self).__name__} of {self._about()}")}</caption>'
                f'<thead><tr>{head}</tr></thead><tbody>'
                + ''.join(f'<tr>{row}</tr>' for row in body) + '</tbody></table>')

    def _whole(self, name: str, arguments: Sequence[Values | None],
               loads: Mapping[str, LoadValues]) -> Array | tuple[Array, Array]:
        """Return the efforts and, with a moving base, the wrench on the root."""
        function, n = self._function(name), self.n
        result = self._run(function, arguments, loads)
        return result if len(function.results) == 1 else (result[..., :n], result[..., n:])

    def _run(self, function: GeneratedFunction, arguments: Sequence[Values | None],
             loads: Mapping[str, LoadValues]) -> Array:
        """Return what a function returns for arguments in order, and the others by name."""
        names = [x.name for x in function.inputs]
        if 'passive' in names or (self.passive_names and 'passive' in loads):
            q, loads = arguments[0], dict(loads)
            assert q is not None
            passive = self._loops.passive(q, loads.pop('passive', None))
            if 'passive' in names:   # not all that there are are linear
                k = names.index('passive')
                arguments = (*arguments[:k], passive, *arguments[k:])
        if not loads:
            return function(*arguments)
        rest = [name for name in names[len(arguments):] if name != 'base_twist' or name in loads]
        if wrong := sorted({*loads} ^ {*rest}):
            which = [f'{name} is missing' if name in rest else f'there is no {name}'
                     if name not in names else f'{name} is given twice' for name in wrong]
            raise StateError(f'{"; ".join(which)}: the arguments are {", ".join(names)}; links '
                             'with a payload or a wrench are declared: InverseDynamics(..., '
                             "loads=Loads(payload='link1', external=['link2']))")
        return function(*arguments, *(
            self._of_links(loads[name]) if name == 'external' else loads.get(name)
            for name in names[len(arguments):]))

    def _of_links(self, wrenches: LoadValues) -> ArrayLike:
        """Return wrenches by link as one array."""
        if not isinstance(wrenches, Mapping):
            return wrenches
        links = self.loads.external
        if unknown := [link for link in wrenches if link not in links]:
            raise StateError(f'external: no wrench is declared on {listed(unknown)}; the links '
                             f'are {", ".join(links)}')
        try:
            rows = [np.asarray(wrenches.get(link, (0.0,) * 6), np.float64) for link in links]
            if any(row.shape[-1:] != (6,) or row.ndim > 2 for row in rows):
                raise ValueError('the shapes are ' + ', '.join(
                    f'{row.shape} of {link!r}' for link, row in zip(links, rows)))
            return np.concatenate(np.broadcast_arrays(*rows), axis=-1)
        except (TypeError, ValueError) as error:
            raise StateError('external: each wrench must be (6,) or (N, 6), force [N] and moment '
                             f'[N m]: {error}') from None

    @cached_property
    def _loops(self) -> LoopSolver:
        # not before it is needed: it refers to this, which delays the unloading of machine code
        return LoopSolver(self._system, self.passive_names, self._function)

    def _function(self, name: str, frames: LinkFrames = ONLY_TIP) -> GeneratedFunction:
        """Return a function, generated at its first call."""
        function = self._functions.get((name, frames))
        if function is None:
            program = generate(self._system, name='robot', style='fast', functions=name,
                               gravity=self.gravity_vector, loads=self.loads, frames=frames)
            if name == 'regressor':   # the parameters are constants: there is a property
                program = replace(program, functions=tuple(
                    replace(each, results=each.results[:1]) for each in program.functions))
            function = GeneratedFunction(program, name, *self._requested)
            self._functions[name, frames] = function
        return function
