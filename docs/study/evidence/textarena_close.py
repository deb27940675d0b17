# textarena: CLS002: close() before the first reset() raises
import textarena

try:
    textarena.make("TicTacToe-v0").close()
except AttributeError as error:
    print(f"AttributeError: {error}")
else:
    raise AssertionError("it can be closed")
