"""The demo course: its script in fixtures/, and how it is played."""
