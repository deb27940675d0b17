#!/bin/bash
# Examine the environments of a file with an array of tasks, each of which takes a share:
#
#     SPECS=specs.txt OUT=/shared/monday sbatch --array=1-8 slurm.sh
#
# Submit it again after anything: what has a result is not examined again. SHARES is the number of
# shares. To submit some of the tasks, name the number that all of them had:
#
#     SPECS=specs.txt OUT=/shared/monday SHARES=8 sbatch --array=3 slurm.sh
#
#SBATCH --job-name=envdoctor
#SBATCH --array=1-8
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=envdoctor-%A-%a.log

: "${SPECS:=specs.txt}" "${OUT:=envdoctor-sweep}" "${ENVDOCTOR:=envdoctor}"
: "${SHARES:=$SLURM_ARRAY_TASK_MAX}"

srun --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" \
    "$ENVDOCTOR" sweep --file "$SPECS" --out "$OUT" --resume \
    --on "shard:$SLURM_ARRAY_TASK_ID/$SHARES" "$@"
code=$?

# 1 says that there are findings: for Slurm the task did its work, and `envdoctor gate` judges.
[ "$code" -eq 1 ] && code=0
exit "$code"
