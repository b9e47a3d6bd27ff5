"""What the pages of lessons show, as their templates take it."""
