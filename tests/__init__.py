"""Tests. Run from the project's root: `make test`, or `python -m pytest tests/test_….py`."""
