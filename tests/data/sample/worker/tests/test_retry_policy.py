import pytest

from worker.retry_policy import NEVER, RetryPolicy


def test_delay_doubles_until_the_longest():
    policy = RetryPolicy(first=2.0, longest=60.0)
    for attempt in range(1, 20):
        delay = policy.delay_for(attempt)
        assert 0 < delay <= 60.0


def test_jitter_spreads_the_delays():
    policy = RetryPolicy()
    assert len({policy.delay_for(5) for _ in range(50)}) > 10


def test_retry_policy_gives_up():
    assert not RetryPolicy(attempts=3).should_give_up(3)
    assert RetryPolicy(attempts=3).should_give_up(4)
    assert NEVER.should_give_up(1)


def test_attempts_are_counted_from_one():
    with pytest.raises(ValueError):
        RetryPolicy().delay_for(0)
