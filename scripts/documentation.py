"""Checks the documents that are given: that every relative link and every anchor leads somewhere, that the table of
targets in Documentation/Architecture.md imports what Package.swift says, and that each test which the tables of
Documentation/BestPractice.md name is there. Run by scripts/lint, in the repository's folder."""

import glob
import os
import re
import sys

FENCE = re.compile(r"^ *```")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^()\s]+)\)")
# `ATests`, or `ATests`: does what it should.
TEST = re.compile(r"`(\w+Tests)`(?:: ([^;|]+?)(?=\.? *(?:[;|]|\. |$)))?")


def prose(path):
    """The lines outside of code blocks, with their numbers."""
    inside = False
    with open(path, encoding="utf-8") as document:
        for number, line in enumerate(document, 1):
            if FENCE.match(line):
                inside = not inside
            elif not inside:
                yield number, line


def anchors(path):
    """What GitHub makes of the headings: small letters, hyphens for spaces, no punctuation; the second of a name gets -1."""
    found = {}
    for _, line in prose(path):
        if heading := re.match(r"#{1,6} +(.*?) *$", line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            found[name] = found.get(name, -1) + 1
            if found[name]:
                found[f"{name}-{found[name]}"] = 0
    return found


def broken_links(path):
    # A link may go on in the next line, so the lines are read as one text.
    numbers, text = [], ""
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


def wrong_imports(path, manifest):
    """Targets whose row names other imports of ours than the manifest; C libraries have a row together."""
    declared = {}
    with open(manifest, encoding="utf-8") as text:
        for name, list_ in re.findall(r'\b(?:target|executable)\(\s*"([^"]+)",\s*\[(.*?)\]\s*\)', text.read(), re.S):
            declared[name] = re.findall(r'"([^"]+)"', list_)
    rows = {}
    for number, line in prose(path):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 4 and cells[0].strip("`") in declared:
            rows[cells[0].strip("`")] = (number, re.findall(r"`([^`]+)`", cells[2]))
    for name, imports in declared.items():
        number, written = rows.get(name, (1, None))
        if written != imports:
            yield f"{path}:{number}: {name} imports {' '.join(imports)}, says {manifest}"


def missing_tests(path, lines, sources):
    """Tests that are named and are not there.

    lines: with their numbers; sources: of the tests, as a list by the names of their files, of which two may be alike."""
    for number, line in lines:
        for name, sentence in TEST.findall(line):
            if name not in sources:
                yield f"{path}:{number}: there is no {name}.swift in Tests"
            elif sentence and not any(f"func `{sentence}`(" in text for text in sources[name]):
                yield f"{path}:{number}: {name}.swift has no test of the name “{sentence}”"


def tests():
    sources = {}
    for path in glob.glob("Tests/*/*.swift"):
        with open(path, encoding="utf-8") as source:
            sources.setdefault(os.path.basename(path).removesuffix(".swift"), []).append(source.read())
    return sources


def self_test():
    def finds(cell):
        return [fault.partition(": ")[2] for fault in missing_tests("A.md", [(1, f"| a | {cell} |")], sources)]

    sources = {"ATests": ["func `is b`() {}", "func `is c, and d`(e: Int) {}"]}
    cases = {
        "tests that are there": finds("`ATests`; `ATests`: is b; `ATests`: is c, and d. More of it; `Tests/A`") == [],
        "a file that is not there": finds("`ATests`; `BTests`: is b") == ["there is no BTests.swift in Tests"],
        "a sentence that is not there": finds("`ATests`: is") == ["ATests.swift has no test of the name “is”"],
        "one of two": finds("`ATests`: is b; `ATests`: is e. More") == ["ATests.swift has no test of the name “is e”"],
    }
    if wrong := [case for case, holds in cases.items() if not holds]:
        sys.exit(f"scripts/documentation.py does not see: {', '.join(wrong)}")


def main():
    self_test()
    practice = "Documentation/BestPractice.md"
    faults = [fault for path in sys.argv[1:] for fault in broken_links(path)]
    faults += wrong_imports("Documentation/Architecture.md", "Package.swift")
    faults += missing_tests(practice, prose(practice), tests())
    print("\n".join(faults) if faults else "Documents: every link leads somewhere, what is named of targets and tests is there.")
    sys.exit(1 if faults else 0)


main()
