"""Numbers of things in messages."""


def counted(number: int, one: str, many: str = '') -> str:
    """Return `1 joint`, `2 joints`; `many` is the plural where it is not `one` and an s."""
    return f'{number} {one if number == 1 else many or one + "s"}'
