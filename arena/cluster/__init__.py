"""A cluster of machines as the executor of a contest, by Dask's distributed."""
