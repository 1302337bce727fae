from gymnasium.envs import registration
from gymnasium.envs.registration import register

for name, entry, limit, kwargs in (
        ("FrozenLake-v1", "toy_text:FrozenLakeEnv", 100, {"map_name": "4x4"}),
        ("FrozenLake8x8-v1", "toy_text:FrozenLakeEnv", 200, {"map_name": "8x8"}),
        ("CliffWalking-v1", "toy_text:CliffWalkingEnv", None, None),
        ("Blackjack-v1", "toy_text:BlackjackEnv", None, {"sab": True, "natural": False}),
        ("CartPole-v1", "classic_control:CartPoleEnv", 500, None),
        ("MountainCar-v0", "classic_control:MountainCarEnv", 200, None)):
    register(id=name, entry_point="gymnasium.envs." + entry, max_episode_steps=limit, kwargs=kwargs)

for name in ("Walk-v0", "Named-v0", "Cart-v1", "stand/Ram-v5", "Lights-v0", "Dials-v0", "Lost-v0", "Torque-v0",
             "List-v0", "Careless-v0", "Old-v0", "Nested-v0", "Words-v0", "Buttons-v0", "Cells-v0", "Screen-v0"):
    register(id=name, entry_point="gymnasium.envs.odd:" + name.split("/")[-1].split("-")[0])
