"""Five nodes of Slurm as workers for `arena run --cluster`: see run-on-several-machines.md."""

import signal

from dask_jobqueue import SLURMCluster
from distributed.security import Security

if __name__ == "__main__":
    cluster = SLURMCluster(
        cores=16,
        processes=1,
        memory="32GiB",
        walltime="08:00:00",
        job_extra_directives=["--exclusive"],
        worker_extra_args=["--memory-limit", "0"],
        local_directory="/tmp",  # noqa: S108 - a local disk; you must own the folder there
        security=Security(),  # from Dask's configuration
        scheduler_options={"port": 8786, "dashboard_address": "127.0.0.1:8787"},
    )
    print(cluster.job_script(), cluster.scheduler_address, flush=True)
    cluster.adapt(minimum_jobs=5, maximum_jobs=5)
    signal.pause()
