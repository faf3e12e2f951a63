"""Places on a drawing: scales, ticks, columns and their numbers."""

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from zencli.export.report.scale import Scale, columns, labelled, ticks

HIGH = st.floats(0, 1e12)
NUMBERS = st.lists(st.integers(0, 100_000), unique=True, max_size=300).map(sorted)


@given(HIGH, st.integers(1, 12), st.booleans())
def test_ticks_go_evenly_from_nothing_to_the_highest_value(highest, most, whole):
    found = ticks(highest, most, whole=whole)
    assert found[0] == 0
    assert found[-1] >= highest * (1 - 1e-6)
    assert len(found) <= most + 2
    step = found[1] - found[0]
    assert all(math.isclose(b - a, step, rel_tol=1e-6, abs_tol=1e-9) for a, b in pairwise(found))


@given(HIGH, st.integers(1, 12))
def test_what_is_counted_has_whole_ticks_and_round_ones(highest, most):
    found = ticks(highest, most, whole=True)
    assert all(mark == int(mark) for mark in found)
    assert str(int(found[1])).rstrip("0") in ("1", "2", "5")


def test_nothing_to_show_still_has_an_axis():
    assert ticks(0) == [0, 1]
    assert ticks(3, whole=True) == [0, 1, 2, 3]
    assert ticks(2990) == [0, 1000, 2000, 3000]


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(-1e9, 1e9))
def test_a_scale_keeps_every_value_on_the_drawing(low, high, value):
    assert 10 <= Scale(low, high, 10, 200)(value) <= 200


@given(st.floats(0, 100), st.floats(0, 100))
def test_a_higher_value_stands_no_lower(one, other):
    scale = Scale(0, 100, 196, 10)
    assert (one <= other) == (scale(one) >= scale(other)) or scale(one) == scale(other)
    assert (scale(0), scale(100)) == (196, 10)


@given(NUMBERS, st.integers(1, 160))
def test_every_chapter_is_in_one_column_and_columns_are_alike(numbers, most):
    found = columns(numbers, most)
    assert [i for column in found for i in column.at] == list(range(len(numbers)))
    assert len(found) <= most
    sizes = {len(column.at) for column in found}
    assert not sizes or max(sizes) - min(sizes) <= 1
    assert all(c.first == numbers[c.at[0]] and c.last == numbers[c.at[-1]] for c in found)


@given(NUMBERS, st.integers(1, 160), st.integers(1, 12))
def test_a_number_stands_under_the_column_that_holds_it(numbers, most, room):
    drawn = columns(numbers, most)
    found = labelled(drawn, room)
    assert len(found) <= max(room + 2, 1)
    assert all(drawn[index].first <= number <= drawn[index].last for index, number in found)
    assert found == sorted(found)
    assert bool(found) == bool(numbers)


def test_round_chapters_are_numbered_where_not_all_can_be():
    assert labelled(columns(range(1, 5), 160), 12) == [(0, 1), (1, 2), (2, 3), (3, 4)]
    told = [number for _, number in labelled(columns(range(1, 2001), 160), 12)]
    assert told == [1, *range(200, 2001, 200)]
