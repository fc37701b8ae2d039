"""What the numbers of a report come from: program, command, date, URDF with its hash, efforts."""

import hashlib
import shlex
import sys
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Literal, TypeAlias

from urdf2dyn_ros.version import __version__

EffortSource: TypeAlias = Literal['measured', 'simulated']
EFFORT_SOURCES: tuple[EffortSource, ...] = ('measured', 'simulated')
"""Where the efforts come from that the computed ones are compared with."""

_HASH_LETTERS = 12


@dataclass(frozen=True)
class Origin:
    """Origin of a report: what it is about, by name, and where its efforts come from."""

    efforts: EffortSource = 'measured'
    facts: dict[str, str] = field(default_factory=dict)

    @property
    def lines(self) -> list[str]:
        """A line for each fact, with a short hash."""
        return [f'{name.replace("_", " ")}: '
                f'{value[:_HASH_LETTERS] if name.endswith("sha256") else value}'
                for name, value in self.facts.items()]


NO_ORIGIN = Origin()


def facts(command: str, urdf: str = '', text: str | bytes = '') -> dict[str, str]:
    """Return program, command and date, and a URDF, if there is one, with the hash of its text."""
    now = datetime.now(timezone.utc)
    values = {'program': f'urdf2dyn_ros {__version__}', 'command': command,
              'date': f'{now:%Y-%m-%d %H:%M:%S} UTC'}
    if urdf:
        data = text if isinstance(text, bytes) else text.encode()
        values |= {'urdf': urdf, 'urdf_sha256': hashlib.sha256(data).hexdigest()}
    return values


def typed_command() -> str:
    """Return the command of this process as it could be typed."""
    return shlex.join(['urdf2dyn', *sys.argv[1:]])
