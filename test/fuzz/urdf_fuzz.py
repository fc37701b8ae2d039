"""
A coverage-guided fuzzer of the URDF reader: `make fuzz`, or `make fuzz MINUTES=60`.

It needs atheris, and stops at the first text that is judged wrong. From the folder test,

    python -m fuzz.urdf_fuzz FOLDER                             fuzzes; the corpus grows in there
    python -m fuzz.urdf_fuzz FILE                               judges one text
    python -m fuzz.urdf_fuzz -minimize_crash=1 FILE             makes it smaller
    python -m fuzz.urdf_fuzz -merge=1 fuzz/corpus FOLDER        keeps what covers more

Other arguments are libFuzzer's. A fault that is mended is worth a file in test/corpus.

"""

import sys
from pathlib import Path
from random import Random

import atheris

with atheris.instrument_imports(include=['urdf2dyn_ros']):
    from urdf2dyn_ros.robot.reader import read_description  # noqa: F401 - its modules, before all others

from fuzz.mutations import cross, mutate
from fuzz.seeds import CORPUS, FAULTY, real
from fuzz.verdict import verdict

LIMITS = ('-max_len=8000', '-timeout=60', '-rss_limit_mb=2000')


def mutated(data: bytes, most: int, seed: int) -> bytes:
    """Return a neighbour of a text; libFuzzer's own strokes are among them."""
    random = Random(seed)
    if random.random() < 0.05:
        return atheris.Mutate(data, most)
    return mutate(data, random)[:most]


def crossed(data: bytes, other: bytes, most: int, seed: int) -> bytes:
    return cross(data, other, Random(seed))[:most]


def verdict_of(data: bytes) -> None:
    verdict(data)


def main() -> None:
    """Fuzz into a folder, or do with files what libFuzzer's arguments say."""
    given = sys.argv[1:]
    seeds = []
    if Path(given[0]).is_dir():
        for k, text in enumerate(real()):
            (Path(given[0]) / f'robot-{k}.urdf').write_bytes(text)
        seeds = [str(CORPUS), str(FAULTY)]
    # libFuzzer starts itself again to merge and to minimise
    atheris.Setup([f'{sys.executable} -m fuzz.urdf_fuzz', *LIMITS, *given, *seeds],
                  verdict_of, custom_mutator=mutated, custom_crossover=crossed)
    atheris.Fuzz()


if __name__ == '__main__':
    main()
