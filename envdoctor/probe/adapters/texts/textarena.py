"""Games of words for several players in turn: TextArena's, and what looks like one."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import TYPE_CHECKING, Callable, Tuple

from envdoctor.probe.adapters.texts.words import NullGame, TurnWords
from envdoctor.probe.frameworks.names import is_instance_of
from envdoctor.probe.frameworks.shapes import Shape, Transition

if TYPE_CHECKING:
    from textarena import Env

#: How many players a game is for, by the state that its reset() makes.
PLAYERS = {"SinglePlayerState": 1, "TwoPlayerState": 2}
NUMBER, MOST_PLAYERS = "num_players", 20
#: What a test of the number of players is made of.
COMPARING = (
    *(ast.Name, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.List, ast.Tuple, ast.Set),
    *(ast.expr_context, ast.cmpop, ast.boolop, ast.unaryop),
)
UNKNOWN = "for how many players it is cannot be told from its reset()"


class Players(Shape):
    """reset() takes the number of players, step() says whether the game is over, and what the next
    player sees is asked for.
    """

    NAME = "textarena"

    def recognises(self, environment: Env) -> bool:
        """By its class, or by the player who is asked for."""
        return is_instance_of(environment, "textarena", "Env") or (
            callable(getattr(environment, "get_observation", None))
            and "num_players" in inspect.signature(environment.reset).parameters
        )

    def refuses(self, environment: object) -> str:
        """Refused where the number of players is not known."""
        return "" if _players(environment) else UNKNOWN

    def actions(self, environment: object) -> object:
        """Texts of our own."""
        return TurnWords()

    def reset(self, environment: Env, **arguments: object) -> Tuple[object, object]:
        """A new game."""
        environment.reset(num_players=_players(environment), **arguments)
        player, observation = environment.get_observation()
        return {player: observation}, {}

    def transition(self, environment: Env, action: object) -> Transition:
        """One move, and what the next player sees."""
        over, info = environment.step(action)
        if over:
            return {}, None, True, False, info
        player, observation = environment.get_observation()
        return {player: observation}, None, False, False, info

    def nature(self, environment: object) -> object:
        """The number of players."""
        return _players(environment)

    def null(self, nature: object) -> object:
        """As many players."""
        return NullPlayers()


def _players(environment: Env) -> int:
    """Number of players that the game below all wrappers is for; 0 where that is not known."""
    while "env" in getattr(environment, "__dict__", {}):
        environment = environment.env
    parameter = inspect.signature(environment.reset).parameters.get("num_players")
    if parameter is not None and isinstance(parameter.default, int):
        return int(parameter.default)
    code = getattr(getattr(environment.reset, "__func__", None), "__code__", None)
    known = [PLAYERS[name] for name in getattr(code, "co_names", ()) if name in PLAYERS]
    return known[0] if len(known) == 1 else _least_accepted(environment.reset)


def _least_accepted(reset: Callable[..., object]) -> int:
    """The least number of players that the checks of a reset() let pass, those that compare the
    number with constants; 0 where there are none, or where its text is not known.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(reset)))
    except (OSError, TypeError, SyntaxError):
        return 0
    wanted = [node.test for node in ast.walk(tree) if isinstance(node, ast.Assert)]
    refused = [
        node.test
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise)
    ]
    checks = [(test, True) for test in wanted if _is_about_the_number(test)]
    checks += [(test, False) for test in refused if _is_about_the_number(test)]
    fits = (
        number
        for number in range(1, MOST_PLAYERS + 1)
        if all(_holds(test, number) is wished for test, wished in checks)
    )
    return next(fits, 0) if checks else 0


def _is_about_the_number(test: ast.expr) -> bool:
    """Return whether a test compares the number of players with constants and nothing else."""
    nodes = list(ast.walk(test))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names == {NUMBER} and all(isinstance(node, COMPARING) for node in nodes)


def _holds(test: ast.expr, number: int) -> bool:
    code = compile(ast.fix_missing_locations(ast.Expression(test)), "<test>", "eval")
    return bool(eval(code, {"__builtins__": {}}, {NUMBER: number}))  # noqa: S307  comparisons


class NullPlayers(NullGame):
    """Every game is endless."""

    def reset(self, num_players: int = 1, seed: object = None) -> None:
        """A new game."""

    def get_observation(self) -> Tuple[int, str]:
        """Observation of the only player."""
        return 0, "say something"

    def step(self, action: str) -> Tuple[bool, object]:
        """Goes on."""
        return False, {}


SHAPE = Players()
