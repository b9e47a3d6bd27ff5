"""What the command line shows. Nothing is imported here, so that `grader --help` need not wait for rich."""
