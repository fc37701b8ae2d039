"""A clock that a test sets."""


class Clock:
    now = 100.0

    def __call__(self) -> float:
        """Return the time [s]."""
        return self.now
