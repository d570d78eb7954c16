"""A cluster of machines as a contest's executor, with Dask's distributed."""
