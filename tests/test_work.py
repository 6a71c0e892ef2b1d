"""What is waited for, and for how long."""

from __future__ import annotations

from threading import Event

import pytest

from kgneo.errors import GraphError, GraphTimeout
from kgneo.graph.work import NotEnded, Work, current_work, not_after


def test_what_is_there_in_time_is_given() -> None:
    assert not_after(5.0, lambda: 3) == 3


def test_what_is_raised_in_time_is_raised() -> None:
    def fails() -> None:
        raise GraphError("no")

    with pytest.raises(GraphError, match="no"):
        not_after(5.0, fails)


def test_a_timeout_of_the_work_itself_is_raised_as_it_is() -> None:
    def fails() -> None:
        raise TimeoutError("of a socket")

    with pytest.raises(TimeoutError, match="of a socket"):
        not_after(5.0, fails)


def test_what_does_not_end_is_not_waited_for() -> None:
    ended = Event()
    with pytest.raises(GraphTimeout, match=r"did not end a query within 0\.05 s"):
        not_after(0.05, ended.wait)
    ended.set()


def test_what_does_not_end_is_given_up_and_what_became_of_it_is_said() -> None:
    ended = Event()
    with pytest.raises(NotEnded) as caught:
        not_after(0.05, ended.wait, lambda: "It was told to end.")
    ended.set()
    assert caught.value.hint == "It was told to end."


def test_it_belongs_to_the_same_work() -> None:
    with Work(5.0).begun():
        assert not_after(5.0, current_work) is current_work()
