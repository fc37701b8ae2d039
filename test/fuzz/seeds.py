"""Texts to begin with: this package's robots, the faulty ones, and real robots that are small."""

from pathlib import Path

from fuzz.mutations import reduced

from support.robot_files import EXAMPLES, ROBOTS

HERE = Path(__file__).parent
CORPUS = HERE / 'corpus'
FAULTY = HERE.parent / 'corpus'
MOST_BYTES = 16_000


def real() -> list[bytes]:
    """Return real robots, smallest first."""
    paths = [*ROBOTS, *EXAMPLES.rglob('*.urdf')]
    texts = {reduced(path.read_bytes()) for path in paths}
    return sorted((text for text in texts if b'<link' in text and len(text) <= MOST_BYTES),
                  key=lambda text: (len(text), text))


def kept() -> list[bytes]:
    """Return the faulty robots, and what a fuzzer found worth keeping."""
    return [path.read_bytes() for folder in (FAULTY, CORPUS)
            for path in sorted(folder.iterdir())]
