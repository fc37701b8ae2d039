"""A recording for as long as it can be read."""

from __future__ import annotations

from collections.abc import Iterator

from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.evaluation.renaming import Renaming
from urdf2dyn_ros.recordings import Record, Recording


class Reading:
    """
    The records with the joints' new names; ends where the recording breaks off.

    Parameters
    ----------
    recording : Recording
    renaming : Renaming

    Attributes
    ----------
    error : RecordingError or None
        Why there are no more records, if that was not the end.

    Raises
    ------
    RecordingError
        When it is iterated over: if there is not one record, or names cannot be changed.

    """

    def __init__(self, recording: Recording, renaming: Renaming) -> None:
        self._recording, self._renaming = recording, renaming
        self.error: RecordingError | None = None

    def __iter__(self) -> Iterator[Record]:
        records = iter(self._recording)
        while True:
            try:
                record = next(records)
            except StopIteration:
                return
            except RecordingError as error:
                if not self._recording.count:
                    raise
                self.error = error
                return
            yield record._replace(names=self._renaming(record.names))
