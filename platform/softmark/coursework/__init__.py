"""Assignments: frozen versions of an assignment folder, and their place in a course."""
