"""envdoctor: the command-line doctor for reinforcement-learning environments.

The tree is the architecture: `model` holds values, `probe` runs in the user's interpreter, `supervise` keeps probes
on a leash, `rules` turn traces into findings, `reporters` turn a report into text, `cli` parses the command line.
"""

from pkgutil import extend_path

# A probe imports its copy of this package from a zip file; `envdoctor.demo` stays with the installed one.
__path__ = extend_path(__path__, __name__)

__version__ = "0.1.0"
