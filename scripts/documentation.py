"""Checks the documents that are given: that every relative link and every anchor leads somewhere, that the table of
targets in Documentation/Architecture.md imports what Package.swift says, that this page stays a map and has every
record of Documentation/Decisions.md in its index, and that each test which the tables of Documentation/BestPractice.md
name is there. Run by scripts/lint, in the repository's folder. Each run first shows each rule failing."""

from __future__ import annotations

import glob
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator

FENCE = re.compile(r"^ *```")
# A map that takes longer to read is none. Tables and code blocks do not count: they are looked at, not read.
MOST_WORDS = 1_500
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^()\s]+)\)")
# The texts of the files of tests, by their names without a suffix, of which two may be alike.
Sources = dict[str, list[str]]
# `ATests`, or `ATests`: does what it should.
TEST = re.compile(r"`(\w+Tests)`(?:: ([^;|]+?)(?=\.? *(?:[;|]|\. |$)))?")


def prose(path: str) -> Iterator[tuple[int, str]]:
    """The lines outside of code blocks, with their numbers."""
    inside = False
    with open(path, encoding="utf-8") as document:
        for number, line in enumerate(document, 1):
            if FENCE.match(line):
                inside = not inside
            elif not inside:
                yield number, line


def anchors(path: str) -> set[str]:
    """What GitHub makes of the headings: small letters, hyphens for spaces, no punctuation; the second of a name gets
    -1."""
    found: dict[str, int] = {}
    for _, line in prose(path):
        if heading := re.match(r"#{1,6} +(.*?) *$", line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            found[name] = found.get(name, -1) + 1
            if found[name]:
                found[f"{name}-{found[name]}"] = 0
    return set(found)


def broken_links(path: str) -> Iterator[str]:
    # A link may go on in the next line, so the lines are read as one text.
    numbers: list[tuple[int, int]] = []
    text = ""
    for number, line in prose(path):
        numbers.append((len(text), number))
        text += re.sub(r"`[^`]*`", "code", line)
    for link in LINK.finditer(text):
        target = link[1]
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        number = max(number for start, number in numbers if start <= link.start())
        name, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not os.path.exists(file):
            yield f"{path}:{number}: there is no {file}"
        elif anchor and anchor not in anchors(file):
            yield f"{path}:{number}: {file} has no heading for #{anchor}"


def declared_imports(manifest: str) -> dict[str, list[str]]:
    """What each target imports, says the manifest; targets of tests aside."""
    with open(manifest, encoding="utf-8") as file:
        text = file.read()
    made = re.findall(r'\b(?:target|executable)\(\s*"([^"]+)",\s*\[([^]]*)\]', text)
    written = re.findall(r'\.target\(\s*name: "([^"]+)",\s*dependencies: \[([^]]*)\],\s*path: "Simulator/', text)
    return {name: re.findall(r'"([^"]+)"', list_) for name, list_ in made + written}


def wrong_imports(path: str, manifest: str) -> Iterator[str]:
    """Targets whose row names other imports of ours than the manifest; C libraries have a row together."""
    declared = declared_imports(manifest)
    rows: dict[str, tuple[int, list[str] | None]] = {}
    for number, line in prose(path):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 3 and (name := re.match(r"\[?`([^`]+)`", cells[0])) and name[1] in declared:
            rows[name[1]] = (number, re.findall(r"`([^`]+)`", cells[1]))
    for target, imports in declared.items():
        number, named = rows.get(target, (1, None))
        if named != imports:
            yield f"{path}:{number}: {target} imports {' '.join(imports)}, says {manifest}"


def too_long(path: str, most: int) -> Iterator[str]:
    """A page of more words than that, without its tables and code blocks."""
    words = sum(len(line.split()) for _, line in prose(path) if not line.startswith("|"))
    if words > most:
        yield f"{path}: has {words} words beside tables and code, and {most} are enough; Decisions.md has room"


def unlisted_records(path: str, decisions: str) -> Iterator[str]:
    """Records of decisions that the index on the page does not lead to, and numbers that two records have."""
    with open(path, encoding="utf-8") as page:
        listed = set(re.findall(r"\(\S*#d(\d+)-[^)]*\)", page.read()))
    seen: set[str] = set()
    for number, line in prose(decisions):
        if record := re.match(r"### D(\d+)\. ", line):
            if record[1] in seen:
                yield f"{decisions}:{number}: there are two records D{record[1]}"
            elif record[1] not in listed:
                yield f"{decisions}:{number}: {path} has no link to D{record[1]} in its index"
            seen.add(record[1])


def missing_tests(path: str, lines: Iterable[tuple[int, str]], sources: Sources) -> Iterator[str]:
    """Tests that are named, in lines with their numbers, and are not there."""
    for number, line in lines:
        for name, sentence in TEST.findall(line):
            if name not in sources:
                yield f"{path}:{number}: there is no {name}.swift in Tests"
            elif sentence and not any(f"func `{sentence}`(" in text for text in sources[name]):
                yield f"{path}:{number}: {name}.swift has no test of the name “{sentence}”"


def tests() -> Sources:
    sources: Sources = {}
    for path in glob.glob("Tests/**/*.swift", recursive=True):
        with open(path, encoding="utf-8") as source:
            sources.setdefault(os.path.basename(path).removesuffix(".swift"), []).append(source.read())
    return sources


def self_test() -> None:
    def finds(cell: str) -> list[str]:
        return [fault.partition(": ")[2] for fault in missing_tests("A.md", [(1, f"| a | {cell} |")], sources)]

    def linked(text: str) -> list[str]:
        document.write_text(text, encoding="utf-8")
        return [fault.removeprefix(f"{document}:") for fault in broken_links(str(document))]

    def imported(cell: str) -> list[str]:
        document.write_text(f"| [`A`](B.md) | {cell} | y |\n", encoding="utf-8")
        return [fault.removeprefix(f"{document}:") for fault in wrong_imports(str(document), str(manifest))]

    def counted(text: str) -> list[str]:
        document.write_text(text, encoding="utf-8")
        return [fault.removeprefix(f"{document}: ") for fault in too_long(str(document), 3)]

    def indexed(text: str) -> list[str]:
        document.write_text(text, encoding="utf-8")
        return [fault.removeprefix(f"{records}:") for fault in unlisted_records(str(document), str(records))]

    sources = {"ATests": ["func `is b`() {}", "func `is c, and d`(e: Int) {}"]}
    with tempfile.TemporaryDirectory() as folder:
        document, manifest = pathlib.Path(folder, "A.md"), pathlib.Path(folder, "Package.swift")
        pathlib.Path(folder, "B.md").write_text("# One `two`, three\n# Four\n# Four\n", encoding="utf-8")
        manifest.write_text('target("A", ["B", "C"])', encoding="utf-8")
        records = pathlib.Path(folder, "Decisions.md")
        records.write_text("### D1. One\n### D2. Two\n### D2. Three\n", encoding="utf-8")
        others = pathlib.Path(folder, "Others.swift")
        others.write_text(
            'executable(\n"D", ["E", arguments], path: "x")\n'
            '.target(name: "F", dependencies: [], path: "Simulator/F")\n'
            '.target(name: "G", dependencies: ["H"], path: "Tests/G")', encoding="utf-8")
        cases = {
            "tests that are there":
                finds("`ATests`; `ATests`: is b; `ATests`: is c, and d. More of it; `Tests/A`") == [],
            "a file that is not there": finds("`ATests`; `BTests`: is b") == ["there is no BTests.swift in Tests"],
            "a sentence that is not there": finds("`ATests`: is") == ["ATests.swift has no test of the name “is”"],
            "one of two":
                finds("`ATests`: is b; `ATests`: is e. More") == ["ATests.swift has no test of the name “is e”"],
            "links that lead somewhere": linked(
                "# Five\n[a](B.md) [b](B.md#one-two-three) [c](B.md#four-1) [d](#five) [e](https://a.example/x)") == [],
            "a link in code": linked("```\n[a](C.md)\n```\n`[b](C.md)`") == [],
            "a link to nothing": linked("one\n[a\nb](C.md)") == [f"2: there is no {folder}/C.md"],
            "an anchor of nothing": linked("[a](B.md#five)") == [f"1: {folder}/B.md has no heading for #five"],
            "an anchor once too often": linked("[a](B.md#four-2)") == [f"1: {folder}/B.md has no heading for #four-2"],
            "imports as they are": imported("`B`, `C`") == [],
            "an executable, and a target of the simulator": declared_imports(str(others)) == {"D": ["E"], "F": []},
            "an import too few": imported("`B`") == [f"1: A imports B C, says {manifest}"],
            "no row": imported("`B` | `C`") == [f"1: A imports B C, says {manifest}"],
            "a number of two records":
                indexed("[a](B.md#d1-one) [b](B.md#d2-two)") == ["3: there are two records D2"],
            "a record that is in no index": indexed("[b](B.md#d2-two)")[:1] == [
                f"1: {document} has no link to D1 in its index"],
            "a map": counted("one two\n\nthree\n| four | five |\n```\nsix\n```") == [],
            "a page that is none": counted("# One\n\ntwo three") == [
                "has 4 words beside tables and code, and 3 are enough; Decisions.md has room"],
        }
    if wrong := [case for case, holds in cases.items() if not holds]:
        sys.exit(f"scripts/documentation.py does not see: {', '.join(wrong)}")


def main() -> None:
    self_test()
    architecture, practice = "Documentation/Architecture.md", "Documentation/BestPractice.md"
    faults = [fault for path in sys.argv[1:] for fault in broken_links(path)]
    faults += [*wrong_imports(architecture, "Package.swift"), *too_long(architecture, MOST_WORDS)]
    faults += unlisted_records(architecture, "Documentation/Decisions.md")
    faults += missing_tests(practice, prose(practice), tests())
    if faults:
        print("\n".join(faults))
        sys.exit(1)
    print("Documents: every link leads somewhere, what is named of targets and tests is there.")


main()
