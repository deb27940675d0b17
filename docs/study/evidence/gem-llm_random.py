# gem-llm: MAK005: games draw from Python's random, which each reset(seed) of another one reseeds
import gem


def secrets(disturbed):
    env, other = gem.make("game:GuessTheNumber-v0-easy"), gem.make("game:GuessTheNumber-v0-easy")
    env.reset(seed=0)
    drawn = []
    for number in range(20):
        if disturbed:
            other.reset(seed=100 + number)
        env.reset()
        drawn.append(
            next(v for n, v in vars(env).items() if n in ("game_number", "number", "_number"))
        )
    return drawn


alone, again, beside = secrets(False), secrets(False), secrets(True)
print(f"alone {alone}, once more the same: {alone == again}; beside another {beside}")
assert alone == again and alone != beside
