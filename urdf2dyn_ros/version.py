"""The version of this package, the same as in package.xml."""

__version__ = '0.1.0'
