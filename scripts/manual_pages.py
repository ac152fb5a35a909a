"""Writes manual pages from what the commands say of themselves: `gatehouse --experimental-dump-help` on standard input,
the folder and the version as arguments."""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

Command = dict[str, Any]


def escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def name_of(argument: Command) -> str:
    names = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument.get("names", [])]
    value = f"\\fI{escaped(argument['valueName'])}\\fR"
    if argument["kind"] == "positional":
        return value
    shown = ", ".join(f"\\fB{escaped(name)}\\fR" for name in names)
    return shown if argument["kind"] == "flag" else f"{shown} {value}"


def synopsis(path: list[str], command: Command) -> Iterator[str]:
    yield f"\\fB{escaped(' '.join(path))}\\fR"
    if command.get("subcommands"):
        yield "\\fIcommand\\fR"
    for argument in command["arguments"]:
        if argument["shouldDisplay"]:
            yield f"[{name_of(argument)}]" if argument["isOptional"] else name_of(argument)


def page(path: list[str], command: Command, version: str) -> str:
    title = "-".join(path)
    lines = [f'.TH "{escaped(title.upper())}" 1 "" "gatehouse {escaped(version)}" "Gatehouse"', ".SH NAME",
             f"{escaped(title)} \\- {escaped(command.get('abstract', '').rstrip('.'))}", ".SH SYNOPSIS", ".nh", ".ad l",
             " ".join(synopsis(path, command)), ".ad", ".hy"]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", escaped(command["discussion"]).replace("\n\n", "\n.PP\n")]
    if shown := [argument for argument in command["arguments"] if argument["shouldDisplay"]]:
        lines.append(".SH OPTIONS")
        for argument in shown:
            said = " ".join(filter(None, [argument.get("abstract"), argument.get("discussion")]))
            lines += [".TP", name_of(argument), escaped(said)]
    if subcommands := listed(command):
        lines.append(".SH COMMANDS")
        for one in subcommands:
            lines += [".TP", f"\\fB{escaped('-'.join([*path, one['commandName']]))}\\fR(1)",
                      escaped(one.get("abstract", ""))]
    if len(path) > 1:
        lines += [".SH SEE ALSO", f"\\fB{escaped('-'.join(path[:-1]))}\\fR(1)"]
    return "\n".join(line for line in lines if line) + "\n"


def listed(command: Command) -> list[Command]:
    return [one for one in command.get("subcommands", []) if one["commandName"] != "help"]


def pages(path: list[str], command: Command, version: str) -> Iterator[tuple[str, str]]:
    yield "-".join(path) + ".1", page(path, command, version)
    for one in listed(command):
        yield from pages([*path, one["commandName"]], one, version)


def main() -> None:
    folder, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    command = json.load(sys.stdin)["command"]
    for name, text in pages([command["commandName"]], command, version):
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
