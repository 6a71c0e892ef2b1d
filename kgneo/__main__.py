"""`python -m kgneo`."""

from kgneo.cli.main import entry_point

entry_point()
