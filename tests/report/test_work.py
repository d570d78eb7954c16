"""Bots whose work does not fit their nodes are named, with the figures."""

from __future__ import annotations

import pandas as pd

from arena.report.below import _of_loading, _of_moves


def test_a_search_that_is_not_counted_is_named_with_its_figures() -> None:
    spent = pd.DataFrame(
        {
            "mean_nodes": [8000.0, 5000.0, 4.0, None, None, 60.0],
            "mean_move_ms": [400.0, 200.0, 600.0, 500.0, 0.4, 20.0],
        },
        index=["ann", "bob", "decoy", "stack", "rules", "careful"],
    )
    named = {bot: work for _, bot, work in _of_moves(spent, 10_000)}
    assert named.keys() == {"decoy", "stack"}
    assert named["decoy"].startswith("600 ms a move for 4.0 nodes; the others' median is 0.05 ms")
    assert "500 ms a move, no node is counted" in named["stack"]


def test_long_loading_is_named_beside_quick_ones() -> None:
    named = [bot for _, bot, _ in _of_loading({"ann": 0.02, "bob": 0.03, "cy": 12.0, "di": 0.9})]
    assert named == ["cy"]
    assert list(_of_loading({"alone": 50.0})) == []
