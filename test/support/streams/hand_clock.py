"""A clock that is set by hand: a helper of tests."""


class Clock:
    now = 100.0

    def __call__(self) -> float:
        """Return the time [s]."""
        return self.now
