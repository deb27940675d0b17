# textarena: LEK001 DET001: what a player sees begins with all earlier games, which are kept
import textarena

env = textarena.make("TicTacToe-v0")
sizes, texts = [], []
for _ in range(5):
    env.reset(num_players=2, seed=0)
    _, observation = env.get_observation()
    texts.append(observation)
    sizes.append({player: len(kept) for player, kept in env.full_observations.items()})
    for move in ("[1]", "[2]", "[3]"):
        env.step(move)
        env.get_observation()
print(f"kept after each of five resets: {sizes}; characters shown: {[len(text) for text in texts]}")
assert len(texts[-1]) > len(texts[0]) and texts[1] != texts[0]
