"""Whether this process can still be heard through the shared memory of Fast DDS."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

LISTENER = 'dds.shm.'
"""What Fast DDS calls a thread that listens on a port, before the port's number."""


def replaced_ports(process: Path = Path('/proc/self')) -> list[int]:
    """
    Return the ports on which a process listens in vain.

    Fast DDS makes the file of a port anew if its users seem to be dead, sometimes wrongly, as on a
    busy computer after somebody else was killed (its issues 5053 and 5469). Whoever comes after
    that writes to the new file; the process goes on listening on the one that was deleted. Empty
    where the system or another middleware does not tell.

    """
    ports: set[int] = set()
    for file in process.glob('task/*/comm'):
        with suppress(OSError, ValueError):   # a thread may have ended, or guard all the ports
            name = file.read_text().strip()
            if name.startswith(LISTENER):
                ports.add(int(name.removeprefix(LISTENER)))
    try:
        maps = (process / 'maps').read_text()
    except OSError:
        return []
    return sorted(port for port in ports if f'/fastdds_port{port} (deleted)' in maps)
