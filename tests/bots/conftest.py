"""Loads the demo bots by path, each under a name of its own, as the host does."""

import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

BOTS = Path(__file__).parents[2] / "bots"


@pytest.fixture(scope="session")
def load_bot() -> Callable[[str], ModuleType]:
    """A function from the name of a bot to a module freshly loaded from its file."""

    def load(name: str) -> ModuleType:
        spec = spec_from_file_location(f"demo_bot_{name}", BOTS / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module

    return load
