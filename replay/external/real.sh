#!/bin/sh
# real.sh: podtrack on the real Gymnasium, MiniGrid, MinAtar, ALE, bsuite, PettingZoo and pycolab, as far as
# $PODTRACK_PYTHON has them.
#
#	replay/external/real.sh            compares the stand-ins of the tests with the real packages, call by call,
#	                                   then runs an environment of each family, kills, resumes and replays it, and
#	                                   prints a table of what was seen
#	replay/external/real.sh -calls     compares alone
#	replay/external/real.sh -update    records what the real packages give to the calls
#	replay/external/real.sh -rows RE   runs the environments whose names match alone
#
# Packages that are not installed are left out, and named. It exits 1 if anything differs.
set -u
cd "$(dirname "$0")/../.." || exit 2
python=${PODTRACK_PYTHON:-python3}
here=replay/external/testdata
standin=$PWD/cmd/podtrack/internal/e2e/testdata/standin
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
status=0

has() { "$python" -c "import $1" 2>/dev/null; }

# calls PACKAGE: the stand-in beside the real package.
calls() {
	has "$1" || { echo "$1: not installed"; return; }
	"$python" "$here/calls.py" "$1" 2>"$work/err" >"$work/real" || { echo "$1: failed"; tail -3 "$work/err"; status=1; return; }
	[ "$mode" = -update ] && cp "$work/real" "$here/calls-$1.txt"
	PYTHONPATH=$standin "$python" "$here/calls.py" "$1" 2>/dev/null >"$work/standin"
	if diff "$work/standin" "$work/real" >"$work/diff"; then
		echo "$1: $(wc -l <"$work/real") answers, the stand-in's are the same"
	else
		echo "$1: $(grep -c '^[<>]' "$work/diff") answers differ (<: the stand-in's)"
		head -20 "$work/diff"
		status=1
	fi
}

# row FAMILY STEPS GAP ENV FLAGS...: a row of the table: an undisturbed run, and one that is killed after GAP seconds,
# resumed, and replayed with and without the program.
row() {
	family=$1 steps=$2 gap=$3 env=$4
	shift 4
	echo "$env" | grep -Eq "$rows" || return 0
	"$work/podtrack" run check --env "gym:$env" --steps 300 "$@" --json >"$work/check" 2>"$work/err" || {
		printf '| %s | `%s` | %s | | | | |\n' "$family" "$env" "$(head -1 "$work/err" | cut -c1-160)"
		status=1
		return
	}
	seen=$(sed -n 's/.*"size": \([0-9]*\).*/\1/p' "$work/check" | head -1)
	rm -f "$work"/*.db
	begun=$(date +%s.%N)
	"$work/podtrack" run --store "$work/a.db" --env "gym:$env" --steps "$steps" --iterations 3 "$@" >"$work/out" 2>"$work/err"
	code=$?
	took=$(echo "$(date +%s.%N) $begun" | awk '{printf "%.1f", $1 - $2}')
	head=$(sed -n 's/^head *//p' "$work/out")
	counts=$(awk '/^[0-9]+  [0-9a-f]+  +[0-9]/{p = p $3 " "; c = c $5 " "; s = s $NF " "} END {print p "|" c "|" s}' "$work/out")
	"$work/podtrack" run --store "$work/b.db" --env "gym:$env" --steps "$steps" --iterations 3 "$@" >"$work/out2" 2>"$work/err2" &
	pid=$!
	sleep "$gap"
	kill -9 "$pid" 2>/dev/null && killed=killed || killed='too late'
	wait "$pid" 2>/dev/null
	same=no
	for again in 1 2 3 4 5; do # the killed process's lease may have to become stale
		"$work/podtrack" run --store "$work/b.db" --env "gym:$env" --steps "$steps" --iterations 3 "$@" >"$work/out2" 2>"$work/err2" && break
		sleep 2
	done
	[ -n "$head" ] && [ "$head" = "$(sed -n 's/^head *//p' "$work/out2")" ] && same=same
	"$work/podtrack" replay --store "$work/b.db" @1 --env "gym:$env" >/dev/null 2>"$work/err3" && with=yes || with=no
	"$work/podtrack" replay --store "$work/b.db" @1 >/dev/null 2>>"$work/err3"
	[ $? = 125 ] && without=yes || without=no # all stages but collect
	printf '| %s | `%s` %s | %s | %s | %s s | %s, %s head, replayed %s/%s |\n' "$family" "$env" "$*" "$seen" \
		"$(echo "$counts" | sed 's/ |/ \\| /g')" "$took" "$killed" "$same" "$with" "$without"
	if [ "$code $same $with $without" != '0 same yes yes' ]; then
		head -2 "$work/err" "$work/err2" "$work/err3"
		status=1
	fi
}

rows=. mode=${1:-}
[ "$mode" = -rows ] && rows=${2:?-rows RE}
has gymnasium || { echo "$python has no gymnasium; name another in PODTRACK_PYTHON, or its folder in PYTHONPATH"; exit 2; }
if [ "$mode" != -rows ]; then
	for package in gymnasium minigrid minatar bsuite pettingzoo pycolab; do calls $package; done
	case $mode in -calls | -update) exit $status ;; esac
fi
go build -o "$work/podtrack" ./cmd/podtrack || exit 2
echo
"$python" -c 'import gymnasium, numpy, sys; print("Python %s, NumPy %s, Gymnasium %s" % (sys.version.split()[0], numpy.__version__, gymnasium.__version__))'
echo
echo '| family | environment and flags | features | purposes \| calls \| states of 3 iterations | time | kill -9, resume, replay with and without the program |'
echo '|---|---|---|---|---|---|'
row 'toy text' 5000 0.7 FrozenLake-v1,is_slippery=False --learner empirical
row 'toy text' 5000 0.7 FrozenLake-v1,is_slippery=False,map_name=8x8 --learner lspi
row 'toy text' 5000 0.7 'FrozenLake-v1,desc=["SFFF","FHFG"]' --learner empirical
row 'toy text' 5000 0.7 CliffWalking-v1,max_episode_steps=200 --learner empirical
row 'toy text' 5000 0.7 Taxi-v4 --learner empirical
row 'toy text' 5000 0.7 Blackjack-v1 --learner empirical
row 'classic control' 5000 0.7 CartPole-v1,tiles=4x4,range=walk,drop --learner lspi --gamma 0.9
row 'classic control' 5000 0.7 CartPole-v1,tiles=4x4,range=walk,hash=256 --learner lspi --gamma 0.9
row 'classic control' 5000 0.7 CartPole-v1,bins=8,range=walk --learner empirical
row 'classic control' 5000 0.7 MountainCar-v0,bins=12 --learner empirical
row 'classic control' 5000 0.7 MountainCar-v0 --learner q-learning --set feature_scale=rms
row 'classic control' 5000 0.7 Acrobot-v1,bins=6 --learner empirical
if has minigrid; then
	row MiniGrid 5000 1 MiniGrid-Empty-8x8-v0,bits,drop --learner empirical
	row MiniGrid 5000 1 MiniGrid-FourRooms-v0,bits,drop --learner empirical
	row MiniGrid 5000 1 MiniGrid-DoorKey-5x5-v0,bits,drop --learner empirical
	row MiniGrid 5000 1 MiniGrid-Empty-8x8-v0,wrap=minigrid.wrappers:FullyObsWrapper,bits,drop --learner empirical
	row BabyAI 5000 1 BabyAI-GoToRedBallGrey-v0,bits,drop --learner empirical
else
	echo 'minigrid: not installed'
fi
if has minatar; then
	for game in Asterix Breakout Freeway Seaquest SpaceInvaders; do
		row MinAtar 5000 1 MinAtar/$game-v1,drop --learner empirical
	done
else
	echo 'minatar: not installed'
fi
if has ale_py; then
	row ALE 2000 1 ale_py:ALE/Pong-v5,obs_type=ram,bits,drop --learner empirical
else
	echo 'ale_py: not installed'
fi
if has bsuite; then
	row bsuite 5000 1 bsuite:catch/0 --learner empirical
	row bsuite 5000 1 bsuite:catch_noise/0,reward --learner empirical
	row bsuite 5000 1 bsuite:deep_sea/0,drop --learner empirical --kappa 0.1
	row bsuite 5000 1 bsuite:deep_sea_stochastic/0,drop --learner empirical --kappa 0.1
	row bsuite 5000 1 bsuite:memory_len/3 --learner empirical
	row bsuite 5000 1 bsuite:mountain_car/0,bins=12,range=walk --learner empirical
	row bsuite 5000 1 bsuite:cartpole/0,bins=8,range=walk --learner empirical
else
	echo 'bsuite: not installed'
fi
if has pettingzoo.sisl.pursuit_v5; then
	row PettingZoo 1000 2 pettingzoo.sisl.pursuit_v5:parallel_env,n_pursuers=1 --learner empirical
	row PettingZoo 1000 2 pettingzoo.sisl.pursuit_v5:env,n_pursuers=1 --learner empirical
else
	echo 'pettingzoo.sisl.pursuit_v5: not installed'
fi
if has pycolab; then
	row pycolab 5000 1 'pycolab.examples.classics.four_rooms:make_game,actions=[0,1,2,3],drop' --learner empirical
	row pycolab 5000 1 'pycolab.examples.classics.cliff_walk:make_game,actions=[0,1,2,3],drop' --learner empirical
	row pycolab 5000 1 'pycolab.examples.classics.chain_walk:make_game,actions=[0,1]' --learner empirical
	row pycolab 5000 1 'pycolab.examples.scrolly_maze:make_game,level=0,actions=[0,1,2,3],drop' --learner empirical
else
	echo 'pycolab: not installed'
fi
exit $status
