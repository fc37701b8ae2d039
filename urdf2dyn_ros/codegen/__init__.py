"""From equations to a Program: named statements, grouped and commented, for any language."""
