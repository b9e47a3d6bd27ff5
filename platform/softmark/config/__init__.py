"""Settings, urls and the ways in: the web, the worker, the command line."""
