"""Cart totals."""
import os, sys
import numpy as np
from typing import Optional
from . import tax

MAX_ITEMS = 100  # more is refused
rates: dict[str, float] = {"de": 0.19}
rates["fr"] = 0.2
a, b = 1, 2


class Cart(Base):
    """What a customer wants."""

    currency: str = "EUR"
    _cache = None

    def __init__(self, owner):
        self.owner = owner

    # The sum, with tax.
    @property
    def total(self) -> float:
        # goes over all items
        def weight(item):
            return item.n

        local = 1
        return sum(weight(i) for i in self.items)

    @staticmethod
    def _parse(text: str, *, strict=False):
        r"""Reads
        one."""
        return text

    async def pay(
        self,
        card: str,
    ) -> None:
        pass

    class Line:
        pass


@decorator(
    "x",
)
def index(request):
    return None


handler = lambda request: (
    request,
    None,
)

type Pair[T] = tuple[T, T]

if sys.platform == "win32":
    def only_windows():
        pass
