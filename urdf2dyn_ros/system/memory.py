"""Memory of this process, and the memory that Fast DDS shares between processes."""

import os
from contextlib import suppress
from math import nan
from pathlib import Path

LISTENER = 'dds.shm.'
"""Name of a thread of Fast DDS that reads from a port, before the number of the port."""

PORT_FILES = ('fastdds_port', 'fastrtps_port')
"""Names of the files of ports, before the number: of Fast DDS 3, and of 2 in Jazzy and Humble."""


def resident_memory() -> float:
    """Return the resident memory (VmRSS) [MB]; NaN where the system does not report it."""
    try:
        with open('/proc/self/statm', encoding='ascii') as file:
            pages = int(file.read().split()[1])
        return pages * os.sysconf('SC_PAGE_SIZE') / 1e6
    except (OSError, ValueError, IndexError):
        return nan


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
    return sorted(port for port in ports
                  if any(f'/{name}{port} (deleted)' in maps for name in PORT_FILES))
