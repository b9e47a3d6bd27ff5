"""The site on one machine: PostgreSQL, Valkey, the web, the workers and beat under one parent."""
