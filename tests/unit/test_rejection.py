"""Reasons for which rows were rejected, as a summary names them."""

from swather.model.rejection import MAX_SHOWN, top_reasons


def test_a_few_reasons_are_named_the_most_frequent_first():
    counts = {f"reason {number}": number for number in range(1, MAX_SHOWN + 1)}
    assert top_reasons(counts) == [(f"reason {n}", n) for n in range(MAX_SHOWN, 0, -1)]


def test_of_many_reasons_the_rest_is_summed_up_and_counted():
    counts = {"other": 451, **{f"reason {number}": 2 for number in range(21)}}
    named = top_reasons(counts)
    assert (len(named), named[0], named[-1]) == (6, ("other", 451), ("for 17 further reasons", 34))
    counts = {f"reason {number}": 2 for number in range(MAX_SHOWN + 1)}
    assert top_reasons(counts)[-1] == ("for 1 further reason", 2)
