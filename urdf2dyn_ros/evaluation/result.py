"""What is asked of an evaluation, and what came of it."""

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
    How a recording is evaluated.

    Attributes
    ----------
    estimator : str
        A key of ESTIMATORS; empty for the accelerations of the recording, or if it has none for
        the offline default.
    semantics : str
        A key of SEMANTICS.
    gains : tuple of float
        For currents: one, or one for each joint [N m/A or N/A].
    renames : tuple of str
        Rules for `Renaming`.
    observer : bool
        Whether external efforts are observed.
    observer_gain : float
        [1/s].
    thresholds : tuple of float
        Of contacts: one, or one for each joint [N m or N].

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
    What came of it.

    Attributes
    ----------
    estimator : str
        What was used.
    records : int
        That were read.
    span : tuple of int or None
        The first and the last stamp of an effort, in the order of the file [ns].
    counters : Counter
        By the names in OUTCOMES and EVENTS.
    doubts : dict of str to str
        What was doubtful of which quantity, in the words of its last time.
    unknown : tuple of str
        Recorded joints that the robot does not have.
    joints : tuple of JointComparison
    external : ExternalEfforts or None
        If they were asked for.
    files : list of Path
        That were written.
    remarks : list of str
    error : RecordingError or None
        Why the recording could not be read to its end.

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
        """Whether any effort was measured at the instants of the computed ones."""
        return any(len(joint.stamps) for joint in self.joints)

    def remark(self, text: str) -> None:
        """Add what is odd, unless it has been said."""
        if text not in self.remarks:
            self.remarks.append(text)
