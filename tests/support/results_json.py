"""Gradescope's specification of `results.json`."""

from __future__ import annotations

from typing import Any

FORMATS = {"text", "html", "simple_format", "md", "ansi"}
VISIBILITIES = {"hidden", "after_due_date", "after_published", "visible"}
NUMBER = (int, float)

RESULTS: dict[str, Any] = {
    "score": NUMBER,
    "execution_time": NUMBER,
    "output": str,
    "output_format": FORMATS,
    "test_output_format": FORMATS,
    "test_name_format": FORMATS,
    "visibility": VISIBILITIES,
    "stdout_visibility": VISIBILITIES,
    "extra_data": dict,
    "tests": list,
    "leaderboard": list,
}
TEST: dict[str, Any] = {
    "score": NUMBER,
    "max_score": NUMBER,
    "status": {"passed", "failed"},
    "name": str,
    "name_format": FORMATS,
    "number": str,
    "output": str,
    "output_format": FORMATS,
    "tags": list,
    "visibility": VISIBILITIES,
    "extra_data": dict,
}
ENTRY: dict[str, Any] = {"name": str, "value": (int, float, str), "order": {"asc", "desc"}}


def require_results(results: dict[str, Any]) -> None:
    """Fail unless Gradescope accepts these results."""
    _require(results, RESULTS)
    for test in results.get("tests", []):
        _require(test, TEST)
    for entry in results.get("leaderboard", []):
        _require(entry, ENTRY)
        assert {"name", "value"} <= entry.keys()
    tests = results.get("tests", [])
    assert "score" in results or (tests and all("score" in test for test in tests))


def _require(values: dict[str, Any], known: dict[str, Any]) -> None:
    for key, value in values.items():
        wanted = known[key]
        is_right = value in wanted if isinstance(wanted, set) else isinstance(value, wanted)
        assert is_right and not isinstance(value, bool), (key, value)
