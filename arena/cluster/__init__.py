"""Tournaments on other machines, through Dask.distributed: the extra `dask`.

Only this package knows Dask.
"""
