"""None of the large checks is public."""
