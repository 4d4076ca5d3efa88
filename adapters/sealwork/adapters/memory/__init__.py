"""Everything in memory: for tests, and to try things without a database. It forgets at exit."""
