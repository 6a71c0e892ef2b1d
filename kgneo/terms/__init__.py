"""Terms: what a graph's names and values mean to the people who ask it, in one file that they review.

`kgneo.terms.file` reads and writes the file, `said` makes of it what the reader knows beside the schema, `meaning` puts
in the place of a term what it stands for, `fit` says what of the file no longer fits the graph, `draft` writes a first
one.
"""

from __future__ import annotations

FILE = "kgneo.terms.toml"
"""The file of terms that is read where it is in the working folder."""
