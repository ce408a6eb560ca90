"""When to try again, and when to give up."""

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class RetryPolicy:
    """Exponential backoff with jitter.

    The delay doubles with each attempt until it reaches `longest` seconds. Jitter spreads the
    attempts of many messages, so that they do not all come back at the same moment.
    """

    attempts: int = 8
    first: float = 2.0
    longest: float = 3600.0

    def delay_for(self, attempt: int) -> float:
        """Seconds to wait before the given attempt, counted from 1."""
        if attempt < 1:
            raise ValueError("attempts are counted from 1")
        plain = min(self.longest, self.first * 2 ** (attempt - 1))
        return plain * random.uniform(0.5, 1.0)

    def should_give_up(self, attempt: int) -> bool:
        return attempt > self.attempts


NEVER = RetryPolicy(attempts=0)
