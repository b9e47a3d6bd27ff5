"""The queue, the claims and the tasks that grade; the report page. Alone calls the grader."""
