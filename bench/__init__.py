"""Speed as ratios: `make bench`, or `python -m bench --help`."""
