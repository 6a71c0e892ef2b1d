"""Asking: the public calls, from a graph and a text to an answer or a verdict."""
