"""What the apps below the grading need of the grader: reading what a student hands in."""

from grader.source import MAX_CODE_BYTES, MAX_NOTEBOOK_BYTES, Source, SourceError, parse_source

__all__ = ["MAX_CODE_BYTES", "MAX_NOTEBOOK_BYTES", "Source", "SourceError", "parse_source"]
