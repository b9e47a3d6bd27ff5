"""Running a stranger's code: zygotes on a ladder of rungs, a judge and a child for each submission.

Read `ladder` for how strong a sandbox a machine offers, `session` for one submission, `inside` for what runs within.
"""
