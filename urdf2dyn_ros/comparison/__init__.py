"""Measured against computed efforts: series by stamp, figures, doubts, files and pictures."""
