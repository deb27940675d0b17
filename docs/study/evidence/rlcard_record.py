# rlcard: API011: a later step() changes the observation that reset() returned
import rlcard

env = rlcard.make("blackjack")
state, _ = env.reset()
before = len(state["action_record"])
env.step(1)
print(f"action_record of the state of reset(): {before} entries, after a step {len(state['action_record'])}")
assert len(state["action_record"]) > before
