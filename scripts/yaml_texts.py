"""Makes random texts that resemble YAML, each with what PyYAML's own reader makes of it, for the tests of `YAML`.

usage: python3 scripts/yaml_texts.py [--seed N] COUNT >FILE; DEV_YAML_TEXTS=FILE scripts/test

PyYAML is written in Python and shares nothing with libyaml. A line of FILE is a JSON object: the `text`, and the
`tree`, in which a list is an array, a mapping an object whose first value of a key counts, a scalar a string, and what
stands for nothing null; there is no `tree` where PyYAML refuses the text. """

from __future__ import annotations

import argparse
import json
import pathlib
import random
import sys
from typing import TypedDict

import yaml

# What a text says, as JSON has it.
Tree = None | str | list["Tree"] | dict[str, "Tree"]


class Case(TypedDict, total=False):
    """A text, and its tree where PyYAML takes it."""

    text: str
    tree: Tree


NULLS = {"", "~", "null", "Null", "NULL"}
CONFIGURATIONS = [
    path.read_text(encoding="utf-8").split("\n")
    for path in sorted((pathlib.Path(__file__).parent.parent / "Config").glob("*.yaml"))
]
PIECES = [
    "a", "b", "key", "0123", "true", "null", "~", "é", "😀", "http://x.example/a:b#c", "x y", "''", '""', "'it''s'",
    "'a: b'", '"q\\n"', '"\\u00e9\\x41"', '"\\"', "'", '"', ":", ": ", ":\n", ",", ", ", "[", "]", "{", "}", "[]", "{}",
    "- ", "-\n", "-", "? ", "?", "#", " # c", "# c\n", "\n", "\n", "\n  ", "\n    ", "\n- ", " ", "  ", "\t", "\r\n",
    "\r", "&x ", "*x", "!t ", "|\n  ", ">\n  ", "|", ">", "%", "@", "`", "---\n", "---", "...\n", "%YAML 1.1\n", "\\",
    "=", "<<", "::1", "-1", "\x01", "\x7f", "\u0085", "\u2028", "\ufeff",
]


def soup(chance: random.Random) -> str:
    """Pieces in any order."""
    return "".join(chance.choices(PIECES, k=chance.randint(1, 14)))


def scalar(chance: random.Random) -> str:
    return chance.choice([
        "a", "b c", "'d'", '"e\\tf"', "7", "~", "", "null", "x:y", "'#'", "é", "-1", "*a", "!t v", "a#b", "@"])


def flow(chance: random.Random, depth: int) -> str:
    kind = chance.randrange(4) if depth else 3
    space = chance.choice(["", " ", "\n ", " # c\n  "]) if chance.random() < 0.3 else ""
    if kind == 0:
        return "[" + space + ", ".join(flow(chance, depth - 1) for _ in range(chance.randint(0, 3))) + space + "]"
    if kind == 1:
        entries = [f"{scalar(chance)}: {flow(chance, depth - 1)}" for _ in range(chance.randint(0, 3))]
        return "{" + space + ", ".join(entries) + space + "}"
    return scalar(chance)


def block(chance: random.Random, depth: int, indentation: int) -> str:
    """A collection or a scalar, as somebody would write it."""
    kind = chance.randrange(5) if depth else 4
    margin = " " * indentation
    if kind > 2:
        return " " + flow(chance, 2) + chance.choice(["", " # c"]) + "\n"
    lines = ["\n"] if chance.random() < 0.9 else [" # c\n"]
    step = chance.choice([1, 2, 2, 2, 4])
    for _ in range(chance.randint(1, 3)):
        mark = "-" if kind == 0 else chance.choice(["k", "l", "m n", "'o'", '"p"']) + ":"
        lines.append(margin + mark + block(chance, depth - 1, indentation + step))
    return "".join(lines)


def damaged(chance: random.Random, text: str) -> str:
    """A text with a few pieces put in, taken out or repeated."""
    for _ in range(chance.randint(0, 3)):
        place = chance.randint(0, len(text))
        end = min(len(text), place + chance.randint(0, 4))
        text = text[:place] + chance.choice(["", chance.choice(PIECES), text[place:end] * 2]) + text[end:]
    return text


def written(chance: random.Random) -> str:
    return damaged(chance, block(chance, 4, 0).lstrip("\n") if chance.random() < 0.8 else flow(chance, 4))


def configured(chance: random.Random) -> str:
    """Some lines of a configuration that is shipped."""
    lines = chance.choice(CONFIGURATIONS)
    start = chance.randrange(len(lines))
    return damaged(chance, "\n".join(lines[start:start + chance.randint(1, 12)]))


class Refused(Exception):
    pass


def tree(node: yaml.Node) -> Tree:
    if isinstance(node, yaml.ScalarNode):
        text: str = node.value
        return None if node.style is None and text in NULLS else text
    if isinstance(node, yaml.SequenceNode):
        return [tree(value) for value in node.value]
    mapping: dict[str, Tree] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Refused
        mapping.setdefault(key.value, tree(value))
    return mapping


def case(text: str) -> Case:
    try:
        root = yaml.compose(text, Loader=yaml.BaseLoader)
        answer: Case = {"text": text, "tree": None if root is None else tree(root)}
        # Half of a surrogate pair is no text.
        json.dumps(answer, ensure_ascii=False).encode("utf-8")
        return answer
    except (yaml.YAMLError, Refused, RecursionError, UnicodeEncodeError, ValueError):
        return {"text": text}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("count", type=int)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    for index in range(arguments.count):
        text = [soup, written, configured][index % 3](chance)
        json.dump(case(text), sys.stdout)
        print()


main()
