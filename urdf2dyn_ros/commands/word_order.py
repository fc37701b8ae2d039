"""The order of words: a file after an option with any number of values is no value of it."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field

_REPEATED_NARGS = ('+', '*')


def gain(word: str) -> str:
    """Return a word of --gains, which `read_gains` reads: a number, free or JOINT=VALUE."""
    return word


@dataclass
class _Words:
    """
    Positions of the words that are no options and no values; values of the last open option.

    `are_numbers` is whether these should be numbers, which no file is.
    """

    positional: list[int] = field(default_factory=list)
    open_values: list[int] = field(default_factory=list)
    are_numbers: bool = False


def file_first(parser: argparse.ArgumentParser, words: Sequence[str]) -> list[str]:
    """
    Return words with the file first, if an option would take it: ``--external link6 robot.urdf``.

    That is so if no other word can be the file, and the last option with any number of values has
    two or more, which are numbers or gains where there may be several files. Otherwise nothing
    changes.
    """
    kinds = _read(parser, words)
    files = (None, '+') if kinds.are_numbers else (None,)
    required = sum(not action.option_strings and action.nargs in files
                   for action in parser._actions)
    if required != 1 or kinds.positional or len(kinds.open_values) < 2:
        return list(words)
    file = kinds.open_values[-1]
    return [words[file], *words[:file], *words[file + 1:]]


def _read(parser: argparse.ArgumentParser, words: Sequence[str]) -> _Words:
    result, k = _Words(), 0
    while k < len(words):
        word = words[k]
        k += 1
        if not _is_option(word):
            result.positional.append(k - 1)
            continue
        action = _action(parser, word)
        many = action is not None and action.nargs in _REPEATED_NARGS and '=' not in word
        first, count = k, _values(action, word)
        while k < len(words) and not _is_option(words[k]) and (many or k - first < count):
            k += 1
        if many:
            result.open_values = list(range(first, k))
            result.are_numbers = action is not None and action.type in (float, gain)
    return result


def _is_option(word: str) -> bool:
    """Return whether a word is no value: negative numbers and standard input are values."""
    digits = word[1:2].isdigit() or word[1:2] == '.'
    return word.startswith('-') and word != '-' and not digits


def _action(parser: argparse.ArgumentParser, word: str) -> argparse.Action | None:
    """Return the option of a word, which may be abbreviated."""
    name = word.partition('=')[0]
    options = parser._option_string_actions
    known = [name] if name in options else [each for each in options if each.startswith(name)]
    actions = {id(options[each]): options[each] for each in known}
    return next(iter(actions.values())) if len(actions) == 1 else None


def _values(action: argparse.Action | None, word: str) -> int:
    """Return how many words after an option are its values, if that is a fixed number."""
    if action is None or '=' in word:
        return 0
    return action.nargs if isinstance(action.nargs, int) else int(action.nargs is None)
