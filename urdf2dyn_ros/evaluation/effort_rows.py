"""Rows of the table of efforts, computed for many outputs at once."""

from collections.abc import Mapping, Sequence
from typing import TextIO

import numpy as np

from urdf2dyn_ros.comparison.comparison import GravityEfforts
from urdf2dyn_ros.comparison.report import KINDS, OBSERVED, write_rows
from urdf2dyn_ros.comparison.semantics import SEMANTICS, JointEfforts, JointFacts
from urdf2dyn_ros.evaluation.external_efforts import ExternalEfforts
from urdf2dyn_ros.evaluation.result import Settings
from urdf2dyn_ros.stream.output import Outputs

_ROWS_AT_ONCE = 1024


class EffortRows:
    """
    Writes measured and computed effort with the same semantics.

    The settings have one gain of currents, or one for each joint; `still` is the velocity up to
    which a joint is at rest [rad/s or m/s], `external` the observer of external efforts.
    """

    def __init__(self, file: TextIO, joints: Sequence[str], facts: Mapping[str, JointFacts],
                 gravity: GravityEfforts, settings: Settings, still: float,
                 external: ExternalEfforts | None) -> None:
        self._file, self._external = file, external
        self._joints, self._facts, self._gravity = tuple(joints), facts, gravity
        self._semantics, self._still = SEMANTICS[settings.semantics], still
        self._gains = np.broadcast_to(settings.gains, len(self._joints)).tolist()

    def write(self, stamps: Sequence[int], outputs: Outputs) -> None:
        """Write outputs, with these stamps [ns]."""
        for first in range(0, len(stamps), _ROWS_AT_ONCE):
            rows = slice(first, first + _ROWS_AT_ONCE)
            self._write(stamps[rows], outputs.some(rows))

    def _write(self, stamps: Sequence[int], outputs: Outputs) -> None:
        computed, measured, q, qd = outputs.effort, outputs.measured, outputs.q, outputs.qd
        gravity = (self._gravity(self._joints, q) if self._semantics.gravity
                   else np.zeros_like(computed))
        kinds = len(KINDS if self._external is None else OBSERVED)
        columns = np.empty((len(computed), kinds * len(self._joints)))
        for joint, name in enumerate(self._joints):
            fair = self._semantics.sides(JointEfforts(
                computed[:, joint], qd[:, joint], gravity[:, joint], self._facts[name],
                self._gains[joint], self._still))
            columns[:, kinds * joint] = fair.gain * measured[:, joint] + fair.added
            columns[:, kinds * joint + 1] = fair.computed
        residual = columns[:, 0::kinds] - columns[:, 1::kinds]
        columns[:, 2::kinds] = residual
        if self._external is not None:
            # whatever the semantics: measured effort that moves the links, computed + residual
            columns[:, 3::kinds] = self._external.add(stamps, q, qd, computed + residual)
        write_rows(self._file, stamps, columns.tolist())
