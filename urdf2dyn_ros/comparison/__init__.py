"""Comparison of measured and computed efforts: pairs by stamp, figures, and reports."""
