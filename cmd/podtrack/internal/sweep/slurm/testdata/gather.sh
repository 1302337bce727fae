#!/bin/bash
#SBATCH --job-name=podtrack---study--SBATCH---account-x-gather
#SBATCH --requeue
#SBATCH --open-mode=append
exec /opt/podtrack sweep --folder '/shared/my study' --store /shared/study.db --gather
