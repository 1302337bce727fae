#!/bin/sh
# Gymnasium 1.4.0, Pendulum-v1, NumPy 1.26.4 and 2.4.6: the same seed and the same torques give other observations under
# the two if torques are fractions, and the same ones, bit for bit, if they are whole numbers.
#
# A good guess is that a NumPy of another major version changes what an environment computes or that it does not, and
# that a test with a few discrete actions shows which. But the torque is a float32 of the action space. NumPy 2 keeps
# products of a Python float and a float32 scalar in float32 (NEP 50), where NumPy 1 went on in float64: with -2, 0 and 2
# every such product has few digits, and nothing is rounded; with -2/3 and 2/3 the first steps differ in the last digits.
# So three discrete torques pass for proof that four would. One generator of random numbers gives both the same start.
#
# Seen: whole torques: 0 of 1000 observations differ; thirds: more than 900 of 1000 do, the first within 10 steps.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat > "$dir/walk.py" <<'PYTHON'
import sys
import gymnasium
import numpy as np
torques = [float(text) for text in sys.argv[1].split(",")]
env = gymnasium.make("Pendulum-v1", max_episode_steps=10_000)
observation, _ = env.reset(seed=7)
state = 1
for _ in range(1000):
    print(observation.tobytes().hex())
    state = state * 1103515245 + 12345 & 0x7FFFFFFF
    torque = np.array([torques[(state >> 16) % len(torques)]], dtype=np.float32)
    observation = env.step(torque)[0]
PYTHON
for numpy in 1.26.4 2.4.6; do
  python3 -m venv "$dir/$numpy"
  "$dir/$numpy/bin/pip" install -q --disable-pip-version-check gymnasium==1.4.0 "numpy==$numpy"
  "$dir/$numpy/bin/python" "$dir/walk.py" -2,0,2 > "$dir/whole-$numpy"
  "$dir/$numpy/bin/python" "$dir/walk.py" -2,-0.6666667,0.6666667,2 > "$dir/thirds-$numpy"
done
for torques in whole thirds; do
  paste -d ' ' "$dir/$torques-1.26.4" "$dir/$torques-2.4.6" |
    awk -v name=$torques '$1 != $2 { n++; if (!first) first = NR } END {
      printf "%s: %d of %d observations differ, the first is number %d\n", name, n, NR, first }'
done > "$dir/seen"
cat "$dir/seen"
grep -q '^whole: 0 of 1000 ' "$dir/seen"
awk '/^thirds/ { exit !($2 > 900 && $NF <= 10) }' "$dir/seen"
