"""Tuning: examples for a language model from a graph, and a LoRA adapter from the examples."""
