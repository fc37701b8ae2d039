"""The settings of an evaluation, and its result."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from urdf2dyn_ros.comparison.joint_comparison import JointComparison
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.evaluation.external_efforts import ExternalEfforts
from urdf2dyn_ros.observer.contact import THRESHOLD
from urdf2dyn_ros.observer.momentum_observer import GAIN


@dataclass(frozen=True)
class Settings:
    """
    Settings of an evaluation.

    Attributes
    ----------
    estimator : str
        A key of ESTIMATORS; empty for recorded accelerations, or the offline default without
        them.
    semantics : str
        A key of SEMANTICS.
    gains : tuple of float
        Gains of currents: one, or one for each joint [N m/A or N/A].
    renames : tuple of str
        Rules of `renaming`.
    observer : bool
        Whether external efforts are observed.
    observer_gain : float
        [1/s].
    thresholds : tuple of float
        Thresholds of contacts: one, or one for each joint [N m or N].

    """

    estimator: str = ''
    semantics: str = 'net'
    gains: tuple[float, ...] = ()
    renames: tuple[str, ...] = ()
    observer: bool = False
    observer_gain: float = GAIN
    thresholds: tuple[float, ...] = (THRESHOLD,)


@dataclass
class Evaluation:
    """
    Result of an evaluation.

    `span` is the first and the last stamp of an effort, in the order of the file [ns]; `doubts`
    has the last reason why a quantity was not credible, `unknown` the recorded joints that the
    robot does not have, `error` the defect at which reading ended.

    """

    estimator: str
    records: int = 0
    span: tuple[int, int] | None = None
    counters: Counter[str] = field(default_factory=Counter)
    doubts: dict[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    joints: tuple[JointComparison, ...] = ()
    external: ExternalEfforts | None = None
    files: list[Path] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    error: RecordingError | None = None

    @property
    def compared(self) -> bool:
        """Whether there is any pair of measured and computed effort."""
        return any(len(joint.stamps) for joint in self.joints)

    def remark(self, text: str) -> None:
        """Add a remark once."""
        if text not in self.remarks:
            self.remarks.append(text)
