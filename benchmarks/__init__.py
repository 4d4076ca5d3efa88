"""Benchmarks: how long what must not take long takes here. Nothing else depends on them."""
