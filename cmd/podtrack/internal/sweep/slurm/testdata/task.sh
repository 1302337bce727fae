#!/bin/bash
#SBATCH --job-name=podtrack---study--SBATCH---account-x
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@120
exec /opt/podtrack sweep --folder '/shared/my study' --store /shared/study.db --shard "$SLURM_ARRAY_TASK_ID/12" --parallel "${SLURM_CPUS_PER_TASK:-1}"
