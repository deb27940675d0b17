"""The deed of a healthy environment."""


def nothing(environment):
    pass
