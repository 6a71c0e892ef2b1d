"""Verification: whether a graph supports or refutes a claim (RefKG's second task)."""
