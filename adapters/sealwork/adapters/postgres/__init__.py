"""PostgreSQL: migrations, chains and work rows behind narrow functions (store.md)."""
