"""The fraction done of some work, as a bar on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

_BAR = '{desc}: {percentage:3.0f} % |{bar:30}| {remaining} left'


@contextmanager
def progress(work: str) -> Iterator[Callable[[float], None]]:
    """
    Yield a function that shows the fraction done, once the work takes more than 2 seconds.

    The bar is on stderr; where that is not a terminal, nothing is shown.
    """
    with tqdm(total=1.0, desc=work, delay=2.0, miniters=0, leave=False, disable=None,
              bar_format=_BAR) as bar:
        def show(fraction: float) -> None:
            bar.update(fraction - bar.n)

        yield show
