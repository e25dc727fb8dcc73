"""The worked examples of k-repeating substrings, letter for letter (star written `*`)."""

from __future__ import annotations

import pytest

from tests.naive import text_repeats as naive
from tests.text_kernels import by_original, by_published, regions

TABLE = [
    ("abracadabra", 2, "4 3 2 1 0 1 0 4 3 2 1", [(0, 3), (5, 5), (7, 10)], "abra*a*abra", "abra*a*abra"),
    ("abracadabra", 3, "1 0 0 1 0 1 0 1 0 0 1", [(0, 0), (3, 3), (5, 5), (7, 7), (10, 10)],
     "a**a*a*a**a", "a**a*a*a**a"),
    ("abracadabra xrac", 2, "4 3 3 2 1 1 0 4 3 2 1 0 0 3 2 1", [(0, 3), (2, 4), (5, 5), (7, 10), (13, 15)],
     "abra*a*abra**rac", "abra*a*abra**rac"),
    ("abracadabra xrac", 3, "1 0 2 1 0 1 0 1 0 2 1 0 0 2 1 0", [(0, 0), (2, 3), (5, 5), (7, 7), (9, 10), (13, 14)],
     "a*ra*a*a*ra**ra*", "a*ra*a*a*ra**ra*"),
    ("mississippi", 2, "0 4 3 2 4 3 2 1 1 1 1", [(1, 4), (4, 7), (8, 8), (9, 9), (10, 10)],
     "*issi***p*i", "*issi*si**i"),
    ("aaaaaa", 3, "4 4 4 3 2 1", [(0, 3), (1, 4), (2, 5)], "aaaa**", "aaaa*a"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "k", "lengths", "maximal", "greedy", "optimal"), TABLE)
def test_worked_example(text, k, lengths, maximal, greedy, optimal):
    expected = [int(n) for n in lengths.split()]
    assert by_original([text], None, k).lengths == [expected]
    assert naive.longest([text], None, k) == [expected]
    assert regions(text, k) == maximal == naive.maximal_regions(expected)
    assert by_original([text], None, k, cover="greedy").shown == [greedy] == [naive.greedy(text, expected)]
    assert by_original([text], None, k).shown == [optimal]
    assert sum(c != "*" for c in optimal) == naive.exponential_optimum(text, expected)


def test_the_smallest_string_on_which_greedy_is_worse():
    assert by_original(["bcbc"], None, 2, cover="greedy").shown == ["bc**"]
    assert by_original(["bcbc"], None, 2).shown == ["bc*c"]


NOTES = ["john smith ill", "mary smith ill", "john john john"]


def test_documents_are_counted_once_each():
    assert by_original(NOTES, [0, 1, 2], 2).shown == ["john *mith ill", "m*** smith ill", "john *ohn *ohn"]
    left = set("".join(by_original(NOTES, [0, 1, 2], 3).shown))
    assert left == {"h", " ", "*"}


def test_a_name_repeated_in_its_own_note_protects_nobody():
    assert by_original(NOTES[2:], None, 2).shown == ["john john*john"]
    assert by_original(NOTES[2:], [0], 2).shown == ["*" * 14]


def test_published_counting():
    assert by_published(["mississippi"], None, 2) == ["*is*is*i**i"]
    assert sum(c != "*" for c in "*is*is*i**i") == naive.published_optimum("mississippi", 2) == 6
    assert by_published(["abracadabra xrac"], None, 2) == ["abra*a*abra**ra*"]


def test_original_counting_can_leave_a_run_that_is_unique_in_the_release():
    shown = by_original(["mississippi"], None, 2).shown[0]
    assert shown.count("issi") == 1
    assert len(naive.owners_of(["mississippi"], None, "issi")) == 2
