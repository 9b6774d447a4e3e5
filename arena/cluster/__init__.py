"""Tournaments on other machines, through Dask.distributed: the extra `dask`."""
