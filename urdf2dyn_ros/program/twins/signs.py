"""Signs that depend on each other: linear equations modulo 2."""


class Signs:
    """
    Products of unknown signs, of which some are equal.

    A product is an integer: bit 0 is set if it has a minus, each other bit stands for an unknown;
    the product of two is their exclusive or, and 0 is plus.
    """

    def __init__(self) -> None:
        self._unknowns = 1
        self._solved: dict[int, int] = {}

    def unknown(self) -> int:
        """Return a new unknown sign."""
        self._unknowns += 1
        return 1 << (self._unknowns - 1)

    def equate(self, a: int, b: int) -> bool:
        """Make two products equal; return whether that is possible."""
        rest = self._reduced(a ^ b)
        if rest > 1:
            self._solved[rest.bit_length()] = rest
        return rest != 1

    def negative(self, product: int) -> bool:
        """Return whether a product is negative; unknowns that nothing determines are plus."""
        rest = self._reduced(product)
        while rest > 1:
            rest = self._reduced(rest ^ 1 << (rest.bit_length() - 1))
        return bool(rest)

    def _reduced(self, product: int) -> int:
        while product > 1 and product.bit_length() in self._solved:
            product ^= self._solved[product.bit_length()]
        return product
