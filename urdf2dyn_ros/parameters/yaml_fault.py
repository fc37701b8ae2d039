"""What is wrong in a text that is no YAML, without the name that PyYAML gives to every text."""

import yaml


def yaml_fault(error: Exception) -> str:
    """Return line, column and rule; the text of an error that is not one of PyYAML's parsers."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark, said = error.problem_mark, filter(None, (error.context, error.problem))
        return f'line {mark.line + 1}, column {mark.column + 1}: {", ".join(said)}'
    return ' '.join(str(error).replace('in "<unicode string>", ', 'at ').split())
