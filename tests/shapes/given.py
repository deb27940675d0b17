"""A function that gives actions, as a program hands it over."""


def more(observation, agent, step):
    """The same word at each step."""
    return "more"
