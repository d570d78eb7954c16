"""A cluster of machines as the executor of a contest, by Dask's distributed."""

from arena.cluster.connection import Place
from arena.cluster.executor import ClusterExecutor
from arena.cluster.start import open_cluster, require_distributed
from arena.cluster.terms import Report, Software, Terms

__all__ = [
    "ClusterExecutor",
    "Place",
    "Report",
    "Software",
    "Terms",
    "open_cluster",
    "require_distributed",
]
