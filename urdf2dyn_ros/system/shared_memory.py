"""Detection of ports in the shared memory of Fast DDS that no longer receive messages."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

LISTENER = 'dds.shm.'
"""Name of a thread of Fast DDS that reads from a port, before the number of the port."""


def replaced_ports(process: Path = Path('/proc/self')) -> list[int]:
    """
    Return the ports of a process on which no message can arrive.

    Fast DDS replaces the file of a port if its users seem to be dead, sometimes wrongly, as on a
    busy computer after another process was killed (its issues 5053 and 5469). Processes that start
    later write to the new file, while this one reads from the deleted one. Empty with another
    middleware, or where the system has no such list of files.

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
