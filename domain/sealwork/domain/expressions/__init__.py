"""Expressions: guards and templates, spelled by authors, decided by CEL."""
