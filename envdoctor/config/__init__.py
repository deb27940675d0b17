"""[tool.envdoctor] of pyproject.toml, or envdoctor.toml: text in, checked values out, each with
the line that it stands on.
"""
