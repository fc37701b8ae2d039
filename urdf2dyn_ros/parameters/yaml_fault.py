"""What is wrong in a text that is no YAML, without the name that PyYAML gives to every text."""

import yaml


def yaml_fault(error: Exception) -> str:
    """Return line, column and rule; the text of an error that is not one of PyYAML's parsers."""
    mark = getattr(error, 'problem_mark', None)
    if not isinstance(error, yaml.MarkedYAMLError) or mark is None:
        return ' '.join(str(error).replace('in "<unicode string>", ', 'at ').split())
    fault = f'line {mark.line + 1}, column {mark.column + 1}: '
    if error.context is not None:
        begin = error.context_mark
        fault += error.context + (f' from line {begin.line + 1}' if begin else '') + ', '
    return fault + str(error.problem)
