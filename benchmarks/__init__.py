"""Measurements behind the figures in docs/results.md. Each module runs by itself: python -m benchmarks.loading."""
