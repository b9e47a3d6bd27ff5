"""Grades a student's attention code: runs it in a sandbox, says what is right, and which mistake it is."""
