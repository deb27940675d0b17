"""Figures of pyplot are closed where they are made, or in close(): the text after the edits."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import CallInClose
from envdoctor.remedies.figures import close_figures
from tests.remedies.test_edits import applied, source

AIM = CallInClose(("plt.close(self.figure)",))
ARM = """\
    import matplotlib.pyplot as plt

    class Arm(Base):
        def render(self):
            %s
"""


def rendered(*lines: str) -> str:
    return applied(AIM, source(ARM % "\n            ".join(lines)))


def test_figure_of_a_method_is_closed_before_each_return() -> None:
    text = rendered(
        "if self.state is None:",
        "    return None",
        "fig, ax = plt.subplots()",
        "if self.fast:",
        "    return fig.canvas",
        "return pixels(fig)",
    )
    assert text.count("plt.close(fig)") == 2
    assert "            return None\n        fig, ax" in text
    assert "            plt.close(fig)\n            return fig.canvas\n" in text
    assert text.endswith("        plt.close(fig)\n        return pixels(fig)\n")


def test_figure_of_a_method_without_return_is_closed_at_its_end() -> None:
    text = rendered("figure = plt.figure()", "show(figure)")
    assert text.endswith("        show(figure)\n        plt.close(figure)\n")


def test_figure_of_an_instance_is_closed_with_it() -> None:
    text = rendered(
        "if self.fig is None:", "    self.fig = plt.figure()", "return pixels(self.fig)"
    )
    assert "            plt.close(self.fig)\n            self.fig = None\n" in text
    assert "        return pixels(self.fig)\n" in text


@pytest.mark.parametrize(
    "line", ["figure = Figure()", "self.figures.append(plt.figure())", "plt.figure()"]
)
def test_nothing_is_guessed(line: str) -> None:
    assert not list(close_figures(AIM, source(ARM % line)))
