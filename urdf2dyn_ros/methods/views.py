"""What a user sees of a robot: efforts by name, its representation as text and as a table."""

from html import escape

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.methods.functions import Functions
from urdf2dyn_ros.quoting import first_names, printable
from urdf2dyn_ros.robot_model import Limits

_MOST_NAMES = 8
"""Joints that are listed in a line."""

_HEAD = ('joint', 'unit of q', 'lower', 'upper', 'velocity', 'effort', 'unit of the effort')


class Views(Functions):
    """Vectors by the names of joints, and the representations of an interpreter or a notebook."""

    units: tuple[str, ...]
    effort_units: tuple[str, ...]
    inputs: tuple[str, ...]
    limits: tuple[Limits, ...]
    backend: str

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
        array, n = np.asarray(values), len(self.joint_names)
        if array.ndim not in (1, 2) or array.shape[-1] != n:
            raise StateError(f'values have shape {array.shape}; it must be ({n},) or (N, {n}), '
                             f'for the joints {", ".join(self.joint_names)}')
        columns = array.tolist() if array.ndim == 1 else array.T
        return dict(zip(self.joint_names, columns))

    def _about(self) -> str:
        name, n = printable(self.model.name), len(self.joint_names)
        joints = 'no joints' if n == 0 else counted(n, 'joint')
        loads = ', '.join(self.inputs[3:])
        return f'{name!r}, {joints}, backend {self.backend!r}' + (f', with {loads}' * bool(loads))

    def __repr__(self) -> str:
        names = first_names([printable(name) for name in self.joint_names], _MOST_NAMES)
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
