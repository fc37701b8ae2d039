"""
The same function of many items: in this process, in processes of this machine, or on a cluster.

Results come in the order of the items, and few more than there are workers are in memory. What
happens to a worker has no effect on them: an item whose worker dies is computed again, and one
that ends worker after worker has a `Lost` as its result.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from urdf2dyn_ros.system.workers.cluster import results_of_cluster
from urdf2dyn_ros.system.workers.lost import Lost
from urdf2dyn_ros.system.workers.processes import results_of_processes

_Item = TypeVar('_Item')
_Result = TypeVar('_Result')


@dataclass(frozen=True)
class Workers:
    """The processes that share some work: those of this machine, or of a Dask cluster."""

    count: int = 1   # processes on this machine; with 1 this process does the work
    scheduler: str = ''   # address of a Dask scheduler, whose workers do it; empty: this machine

    @property
    def here(self) -> bool:
        """Whether this process does the work."""
        return self.count == 1 and not self.scheduler


def results_of(function: Callable[[_Item], _Result], items: Sequence[_Item],
               workers: Workers) -> Iterator[_Result | Lost]:
    """
    Yield the result of each item, in order; errors of the function are raised.

    Function, items and results must be picklable unless this process does the work. A WorkersError
    if the cluster cannot be used.
    """
    if workers.scheduler:
        yield from results_of_cluster(function, items, workers.scheduler)
    elif workers.here:
        yield from map(function, items)
    else:
        yield from results_of_processes(function, items, workers.count)
