"""Softmark, the site: teaches attention by making people predict and build."""
