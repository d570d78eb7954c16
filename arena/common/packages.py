"""Packages: what to install for a module, and which versions are installed."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib.machinery import PathFinder
from types import MappingProxyType

from arena.common.text import quote

DISTRIBUTION = "arena-tournament"  # Arena's own name in package indexes.

# Modules that bots often import, and their packages.
SAME_NAMES = """
    anytree catboost colorama gmpy2 gym gymnasium jax joblib keras lightgbm matplotlib networkx
    onnx onnxruntime pettingzoo pygame scipy seaborn sympy tensorflow termcolor torch torchvision
    tqdm xgboost
"""
PACKAGES: Mapping[str, str] = MappingProxyType(
    {
        **{name: name for name in SAME_NAMES.split()},
        "cv2": "opencv-python",
        "IPython": "ipython",
        "kaggle_environments": "kaggle-environments",
        "PIL": "pillow",
        "skimage": "scikit-image",
        "sklearn": "scikit-learn",
        "stable_baselines3": "stable-baselines3",
        "yaml": "pyyaml",
    }
)


def module_of(package: str) -> str:
    """Return the module of a package; the name of a module stays as it is."""
    names = {_normal(name): module for module, name in PACKAGES.items()}
    return (
        package if package in PACKAGES else names.get(_normal(package), package.replace("-", "_"))
    )


def pip_install(packages: Iterable[str]) -> str:
    return f"{quote(sys.executable)} -m pip install {' '.join(packages)}"


def installed_version(package: str) -> str:
    """Return an installed package's version; empty if it is not installed.

    `package` may be a module's name. If another package has the module, that one is named:
    `2.20.0 (tensorflow-cpu)`.
    """
    from importlib.metadata import PackageNotFoundError, version  # slow; bots need only names

    name = PACKAGES.get(package, package)
    with suppress(PackageNotFoundError):
        return version(name)
    for other in _packages_of(module_of(package)):
        return f"{version(other)} ({other})"
    return ""


def arena_version() -> str:
    """Return the version of the installed Arena; `unknown` if it is not installed."""
    return installed_version(DISTRIBUTION) or "unknown"


def is_promised(module: str, allowed: Collection[str]) -> bool:
    """Return True if `allowed` or Arena's own packages include the module."""
    names = {_normal(PACKAGES.get(name, name)) for name in allowed} | needed_by_arena()
    if not names.isdisjoint((_normal(module), _normal(PACKAGES.get(module, module)))):
        return True
    return bool(allowed) and not names.isdisjoint(map(_normal, _packages_of(module)))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _packages_of(module: str) -> list[str]:
    is_there = module.isidentifier() and PathFinder.find_spec(module) is not None
    return _distributions().get(module, []) if is_there else []


@cache
def _distributions() -> Mapping[str, list[str]]:
    from importlib.metadata import packages_distributions

    return packages_distributions()  # reads every package's list of files


@cache
def needed_by_arena() -> frozenset[str]:
    from importlib.metadata import PackageNotFoundError, requires

    with suppress(PackageNotFoundError):
        lines = [line for line in requires(DISTRIBUTION) or () if ";" not in line]
        return frozenset(_normal(re.split(r"[^\w.-]", line)[0]) for line in lines)
    return frozenset()
