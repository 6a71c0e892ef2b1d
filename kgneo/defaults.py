"""Defaults that the help of a command shows. They stand here so that help and completion import nothing else: neither
Neo4j's driver nor numpy."""

from __future__ import annotations

TIMEOUT = 60.0
"""Seconds that one transaction may take."""
RETRY_SECONDS = 15.0
"""How long the driver tries again when a server does not answer, or a transaction fails for a passing reason."""
STRATEGY = "auto"
ENCODER = "minilm"
EVIDENCE = 3
"""Matches that are kept as evidence of each answer."""
MIN_CONFIDENCE = 0.25
"""Below this confidence, no answer is given."""
MOST_CANDIDATES = 200_000
"""Candidates that the database looks at, where nothing else is asked for: 100,000 of them took a second and 36 MB of a
transaction's memory. In a mirror, where they cost less, MIRRORED_UP_TO."""
MIRRORED_UP_TO = 1_000_000
"""Relationships up to which a mirror is made without being asked for: 1.7 GB of 384 numbers."""
LEARNED_HOPS = 3
"""How far a path reaches that is learned, or ranked."""
TOOL_TOKENS = 2_000
"""Tokens of one result of a tool, about."""
