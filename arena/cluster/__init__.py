"""A cluster of machines as the executor of a contest, by Dask's distributed."""

from arena.cluster.connection import Place
from arena.cluster.executor import ClusterExecutor
from arena.cluster.needs import check, opened, terms_of
from arena.cluster.start import open_cluster, require_distributed
from arena.cluster.terms import Report, Software, Terms

__all__ = [
    "ClusterExecutor",
    "Place",
    "Report",
    "Software",
    "Terms",
    "check",
    "open_cluster",
    "opened",
    "require_distributed",
    "terms_of",
]
