"""Messages that wait to be sent."""

import heapq
import itertools
from typing import Optional


class Message:
    def __init__(self, recipient: str, subject: str, text: str) -> None:
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.attempt = 0


class MailQueue:
    """A priority queue by due time; messages of the same time leave in the order they came."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Message]] = []
        self._order = itertools.count()
        self.dead_letters: list[Message] = []

    def push(self, message: Message, due: float) -> None:
        heapq.heappush(self._heap, (due, next(self._order), message))

    def pop_due(self, now: float) -> Optional[Message]:
        """The next message whose time has come, or None."""
        if not self._heap or self._heap[0][0] > now:
            return None
        return heapq.heappop(self._heap)[2]

    def bury(self, message: Message) -> None:
        """Moves a message that nobody could deliver to the dead letters."""
        self.dead_letters.append(message)

    def close(self) -> None:
        self._heap.clear()
