"""Lessons in parts, predictions, variants, calibration: what stands behind a stop stays on the server."""
