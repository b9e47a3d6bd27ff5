"""What a lesson's file says: read, checked, and drawn as HTML. Touches no database."""
