"""`python -m envdoctor`."""

from envdoctor.cli.start import main

main()
