"""Courses, sections and who is enrolled; who may do what; deadlines and what late costs."""
