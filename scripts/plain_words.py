"""Holds the project's English to what a program can see. A page of Markdown has at most twenty words a sentence on
average, and no file calls a person *he* or *whoever*. Run by scripts/lint, in the repository's folder.

    plain_words.py                  # what is wrong
    plain_words.py --list           # also each page's average and its number of sentences
    plain_words.py --longest PAGE   # a page's ten longest sentences
    plain_words.py --self-test      # shows each rule failing
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable

MOST_WORDS = 20.0
# Fewer words are a label and no sentence. In tables most cells are labels.
FEWEST_WORDS = 4
FEWEST_WORDS_OF_CELL = 10
# Searched for in comments, texts and names alike, so that a test's name is held to it too.
BANNED = re.compile(r"\b(?:he|his|him|himself|whoever|whomever|whosoever)\b", re.I)
# Text that is not ours, data of the fuzzers, and this script, which names the words.
EXCUSED = ("LICENSE", "Fuzzing/corpus/", "scripts/plain_words.py")

FENCE = re.compile(r"^\s*(```+|~~~+)")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
CELLS = re.compile(r"(?<!\\)\|")
LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
# A sentence ends before white space: a full stop inside a name, an address or a number ends none.
END = re.compile(r"(?<=[.!?])[\"')*_]*(?:\s+|$)")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|cf|vs|No|Nr|St|Mr|Ms|Dr)\.")


def blocks(text: str) -> Iterable[str]:
    """The paragraphs, list items and long table cells of a page, one line each, without code blocks and headings."""
    paragraph: list[str] = []
    fence = ""

    def take() -> Iterable[str]:
        if paragraph:
            yield " ".join(paragraph)
            paragraph.clear()

    for line in text.split("\n"):
        bare = line.strip().lstrip("> ")
        if found := FENCE.match(line):
            yield from take()
            if not fence:
                fence = found[1]
            elif found[1].startswith(fence):
                fence = ""
        elif fence:
            continue
        elif not bare or bare.startswith(("#", "<")):
            yield from take()
        elif bare.startswith("|"):
            yield from take()
            yield from (cell for cell in CELLS.split(bare) if len(cell.split()) >= FEWEST_WORDS_OF_CELL)
        else:
            if ITEM.match(bare):
                yield from take()
            paragraph.append(ITEM.sub("", bare))
    yield from take()


def sentences(text: str) -> list[list[str]]:
    """The words of each sentence of a page. A span of code is one word, and a link is its text."""
    found = []
    for block in blocks(text):
        plain = ABBREVIATION.sub("short", CODE.sub("code", LINK.sub(r"\1", block)))
        for sentence in END.split(plain):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            if len(words) >= FEWEST_WORDS:
                found.append(words)
    return found


def average(text: str) -> float:
    """How many words a sentence of a page has on average; 0 for a page without sentences."""
    lengths = [len(words) for words in sentences(text)]
    return sum(lengths) / len(lengths) if lengths else 0.0


def findings(path: str, text: str) -> Iterable[str]:
    """What is wrong with a file's English."""
    if path.endswith(".md") and (words := average(text)) > MOST_WORDS:
        yield f"{path}: {words:.1f} words a sentence on average, and a page has {MOST_WORDS:.0f} at most"
    for number, line in enumerate(text.split("\n"), 1):
        for word in sorted(set(BANNED.findall(line))):
            yield f"{path}:{number}: says '{word}'; name the person or the thing, or say 'they'"


def files() -> Iterable[tuple[str, str]]:
    """The repository's text files that are held to the rules, each with its text."""
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
    for path in filter(None, listed.split("\0")):
        if path.startswith(EXCUSED):
            continue
        try:
            yield path, pathlib.Path(path).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            # A picture, or a file that was deleted and is still in the index.
            continue


def self_test() -> None:
    """Shows each rule failing, and what must pass passing."""
    long = " ".join(["word"] * 21) + ".\n"
    short = "You sign in there.\n\n"
    wrong = {
        "a long sentence": ("a.md", long),
        "one in a list": ("a.md", "1. " + long),
        "one in a table": ("a.md", "| a | " + long.strip() + " |\n"),
        "one behind a fence that shows a fence": ("a.md", "````\n```\n````\n" + long),
        "a long sentence with abbreviations": ("a.md", long.replace("word word", "e.g. word", 1)),
        "a word on a page": ("a.md", "Ask him."),
        "a word in a comment": ("a.swift", "/// For whoever signs in."),
        "a word in a text": ("a.py", "say('his own')"),
        "a word in a test's name": ("a.swift", "func `tells whoever asks`() {}"),
        "a word in a configuration": ("a.yaml", "open: true # Himself"),
    }
    right = {
        "twenty words": ("a.md", long.replace("word ", "", 1)),
        "a long sentence between short ones": ("a.md", short + long + "\n" + short),
        "code": ("a.md", "```\n" + long + "```\n"),
        "a span of code": ("a.md", "Run `" + long.strip() + "` as often as you like.\n"),
        "an address": ("a.md", "See [the page](https://example.com/" + "word-" * 30 + ") of the provider.\n"),
        "a long sentence of a source": ("a.swift", "/// " + long),
        "words with these letters": ("a.md", "The history of this theme."),
    }
    missed = [name for name, file in wrong.items() if not list(findings(*file))]
    accused = [name for name, file in right.items() if list(findings(*file))]
    if missed or accused:
        sys.exit(f"scripts/plain_words.py does not see: {missed}; and finds fault with: {accused}")


def main(words: list[str]) -> int:
    self_test()
    if words == ["--self-test"]:
        print("Words: each rule was seen failing.")
        return 0
    if words[:1] == ["--longest"]:
        found = sentences(pathlib.Path(words[1]).read_text(encoding="utf-8"))
        for sentence in sorted(found, key=len, reverse=True)[:10]:
            print(f"{len(sentence):4}  {' '.join(sentence)}")
        return 0
    faults: list[str] = []
    for path, text in files():
        if words == ["--list"] and path.endswith(".md"):
            print(f"{average(text):5.1f} {len(sentences(text)):5} {path}")
        faults += findings(path, text)
    if faults:
        print("\n".join(faults))
        return 1
    print("Words: short sentences, and nobody is he.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
