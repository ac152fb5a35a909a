"""Holds the English of the project to what a machine can see: on each page of Markdown a sentence has twenty words in the
mean at most, and nowhere is a reader or a user *he* or *whoever*. Run by scripts/lint, in the repository's folder. With
`--list` it prints the mean of each page, with `--self-test` it shows each rule failing.

Pages are the Markdown files. Of sources it reads what stands behind `//`, `///` and `#`, and texts in quotes."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable

MEAN_WORDS = 20.0
# What has fewer words is a label, and no sentence; of a table's cells most are such.
FEWEST_WORDS = 4
FEWEST_WORDS_OF_CELL = 10
BANNED = re.compile(r"\b(?:he|his|him|himself|whoever|whomever|whosoever)\b", re.I)

FENCE = re.compile(r"^\s*(?:```|~~~)")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"`[^`\n]*`")
# A full stop within a name, an address or a number ends no sentence.
END = re.compile(r"(?<=[.!?])[\"')*_]*\s+|(?<=[.!?])$")
SHORT = re.compile(r"\b(?:e\.g|i\.e|etc|cf|vs|No|Nr|St|Mr|Ms|Dr)\.")

COMMENTS = {
    ".swift": re.compile(r"//+\s?(.*)$"), ".c": re.compile(r"(?://+|/?\*)\s?(.*)$"), ".h": re.compile(r"(?://+|/?\*)\s?(.*)$"),
    ".kt": re.compile(r"(?://+|/?\*)\s?(.*)$"), ".js": re.compile(r"(?://+|/?\*)\s?(.*)$"),
    ".py": re.compile(r"#\s?(.*)$"), ".bash": re.compile(r"#\s?(.*)$"), ".yaml": re.compile(r"#\s?(.*)$"),
    ".yml": re.compile(r"#\s?(.*)$")}
QUOTED = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"')
# What others wrote is quoted as it stands; this script names the words.
NOT_OURS = ("LICENSE", "scripts/plain_words.py")


def blocks(text: str) -> Iterable[str]:
    """The paragraphs, items and cells of a page, each as one line, without blocks of code and headings."""
    paragraph: list[str] = []
    inside = False

    def take() -> Iterable[str]:
        if paragraph:
            yield " ".join(paragraph)
            paragraph.clear()

    for line in text.split("\n"):
        if FENCE.match(line):
            inside = not inside
            yield from take()
        elif inside:
            continue
        elif not line.strip() or line.lstrip().startswith(("#", "<")):
            yield from take()
        elif line.lstrip().startswith("|"):
            yield from take()
            cells = (cell.strip() for cell in line.strip().strip("|").split("|"))
            yield from (cell for cell in cells if len(cell.split()) >= FEWEST_WORDS_OF_CELL)
        else:
            if ITEM.match(line):
                yield from take()
            paragraph.append(ITEM.sub("", line).lstrip("> ").strip())
    yield from take()


def sentences(text: str) -> Iterable[list[str]]:
    """The words of each sentence of a page."""
    for block in blocks(text):
        plain = SHORT.sub("short", CODE.sub("code", LINK.sub(r"\1", block)))
        for sentence in END.split(plain):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            if len(words) >= FEWEST_WORDS:
                yield words


def mean(text: str) -> float:
    """How many words a sentence of a page has in the mean; 0 for a page without one."""
    lengths = [len(words) for words in sentences(text)]
    return sum(lengths) / len(lengths) if lengths else 0.0


def read_by_people(path: str, text: str) -> Iterable[tuple[int, str]]:
    """The lines of a file that people read, each with its number."""
    suffix = pathlib.PurePath(path).suffix
    if suffix == ".md":
        yield from enumerate((CODE.sub("", line) for line in text.split("\n")), 1)
        return
    pattern = COMMENTS.get(suffix) or (COMMENTS[".bash"] if text.startswith("#!") else None)
    if pattern:
        for number, line in enumerate(text.split("\n"), 1):
            if found := pattern.search(line):
                yield number, found[1]
    for found in QUOTED.finditer(text):
        first = text.count("\n", 0, found.start()) + 1
        yield from enumerate(found[0].split("\n"), first)


def findings(path: str, text: str) -> Iterable[str]:
    """What is wrong with a file's English."""
    if path.endswith(".md") and (words := mean(text)) > MEAN_WORDS:
        yield f"{path}: {words:.1f} words a sentence in the mean, and a page has {MEAN_WORDS:.0f} at most"
    told = set()
    for number, line in read_by_people(path, text):
        for word in BANNED.findall(line):
            if (number, word) not in told:
                told.add((number, word))
                yield f"{path}:{number}: says {word!r}; say who it is, or 'they'"


def tracked() -> list[str]:
    """The files of the repository that have words of ours."""
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")
    return [path for path in listed if path and not path.startswith(NOT_OURS)]


def self_test() -> None:
    """Each rule, failing and holding."""
    long = "This is one of those sentences that go on and on and on, " * 3 + "without an end.\n"
    assert list(findings("a.md", long)), "a long sentence is found"
    assert not list(findings("a.md", "You sign in. They sign out again.\n")), "short ones pass"
    assert not list(findings("a.md", "```\nso " + long + "```\n")), "code is no prose"
    for path, line in (
            ("a.md", "He signs in."), ("a.swift", "/// For whoever signs in."), ("a.py", "# his own\n"),
            ("a.swift", 'let text = "Ask him."'), ("a.js", "// whoever")):
        assert list(findings(path, line)), f"{line!r} is found"
    assert not list(findings("a.swift", "let he = his")), "names in code are names"


def main() -> int:
    self_test()
    if sys.argv[1:] == ["--self-test"]:
        print("Words: each rule was seen failing.")
        return 0
    found: list[str] = []
    for path in tracked():
        try:
            text = pathlib.Path(path).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        if sys.argv[1:] == ["--list"] and path.endswith(".md"):
            print(f"{mean(text):5.1f} {len(list(sentences(text))):5} {path}")
        found += findings(path, text)
    if found:
        print("\n".join(found))
        return 1
    print("Words: short sentences, and nobody is he.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
