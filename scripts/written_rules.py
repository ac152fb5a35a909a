"""Holds what CONTRIBUTING.md says of comments, of the names of files, and of the first lines of commits. Run by
scripts/lint, in the repository's folder. With --self-test it shows each rule failing."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable

LONGEST_COMMENT = 120
LONGEST_SUBJECT = 72
# Commits up to this one were made before their subjects were held to anything.
SUBJECTS_HELD_AFTER = "93223f7"
# Files of Sources that are named otherwise. The list only gets shorter: one that stands in it in vain fails, too.
MISNAMED = "scripts/misnamed.txt"

SLASHES = re.compile(r"^\s*(//|/?\*)|\s// ")
HASHES = re.compile(r"^\s*#")
YAML_HASHES = re.compile(r"^\s*#|\s# ")
COMMENTS = {
    ".swift": SLASHES, ".c": SLASHES, ".h": SLASHES, ".js": SLASHES, ".kt": SLASHES,
    ".py": HASHES, ".bash": HASHES, ".yml": YAML_HASHES, ".yaml": YAML_HASHES}

MODIFIERS = r"(?:@\w+(?:\([^)]*\))?\s+|(?:public|package|internal|open|final|indirect|nonisolated|distributed|unsafe)\s+)*"
PRIVATE = r"(?:(?:private|fileprivate)\s+)?"
TYPE = re.compile(rf"^\s*{MODIFIERS}{PRIVATE}{MODIFIERS}(?:struct|class|enum|actor|protocol|typealias)\s+`?(\w+)", re.M)
TYPE_OF_FILE = re.compile(rf"^{MODIFIERS}(?:struct|class|enum|actor|protocol)\s+`?(\w+)", re.M)
EXTENSION = re.compile(rf"^{MODIFIERS}{PRIVATE}extension\s+([\w.]+)", re.M)
TEXT = re.compile(r'"""[\s\S]*?"""')


def long_comments(path: str, text: str) -> Iterable[str]:
    """Comments that go on beyond the column where code ends."""
    first, _, _ = text.partition("\n")
    pattern = COMMENTS.get(pathlib.PurePath(path).suffix, HASHES if first.startswith("#!") else None)
    if pattern is None:
        return
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_COMMENT and pattern.search(line):
            yield f"{path}:{number}: a comment of {len(line)} columns, and code has {LONGEST_COMMENT}"


def words(name: str) -> set[str]:
    """The words of a name in camel case, each in the singular."""
    found = (word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name))
    return {re.sub(r"(?<!s)s$", "", re.sub(r"ies$", "y", word)) for word in found}


def is_named_after_its_content(path: str, text: str) -> bool:
    """Whether a file has the name of a type in it, is `Type+Topic` and extends the type, or has a word in its name that
    all its types share, as KeyRepositories has."""
    name, plus, _ = pathlib.PurePath(path).stem.partition("+")
    text = TEXT.sub("", text)
    if plus:
        return any(name in extended.split(".") for extended in EXTENSION.findall(text))
    if name in TYPE.findall(text):
        return True
    types = TYPE_OF_FILE.findall(text)
    return len(types) > 1 and bool(words(name) & set.intersection(*map(words, types)))


def misnamed(sources: dict[str, str], excused: set[str]) -> Iterable[str]:
    found = {path for path, text in sources.items() if not is_named_after_its_content(path, text)}
    for path in sorted(found - excused):
        yield f"{path}: is named after no type in it, and not Type+Topic.swift after one that it extends"
    for path in sorted(excused - found):
        yield f"{MISNAMED}: {path} is not there, or well named by now"


def long_subjects(commits: Iterable[str]) -> Iterable[str]:
    """`commits` are lines of a hash, a space and a subject."""
    for commit in commits:
        name, _, subject = commit.partition(" ")
        if len(subject) > LONGEST_SUBJECT:
            yield f"{name}: a subject of {len(subject)} characters, and {LONGEST_SUBJECT} are enough: {subject}"


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def commits() -> list[str]:
    """Those since the rule is held; all that there are where a shallow clone has not so many."""
    known = subprocess.run(["git", "cat-file", "-e", f"{SUBJECTS_HELD_AFTER}^{{commit}}"], capture_output=True)
    # Where the history does not go that far back, the newest is all that is surely not older.
    since = [f"{SUBJECTS_HELD_AFTER}..HEAD"] if known.returncode == 0 else ["-1", "HEAD"]
    return git("log", "--no-merges", "--format=%h %s", *since).splitlines()


def faults() -> Iterable[str]:
    texts: dict[str, str] = {}
    for path in git("ls-files", "-z").split("\0"):
        # What has been removed and not committed yet is listed all the same.
        if path and pathlib.Path(path).is_file():
            texts[path] = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    for path, text in texts.items():
        yield from long_comments(path, text)
    sources = {path: text for path, text in texts.items() if re.match(r"Sources/.*\.swift$", path)}
    yield from misnamed(sources, set(texts.get(MISNAMED, "").split()))
    yield from long_subjects(commits())


def self_test() -> None:
    code, comment = "let text = " + "1" * 120, "/// " + "ö" * 116
    cases = {
        "code may be longer": not list(long_comments("a.swift", code)),
        "a comment may be as long as code": not list(long_comments("a.swift", comment)),
        "characters count, and the 121st fails": len(list(long_comments("a.swift", f"{comment}ö\n"))) == 1,
        "a comment behind code fails": len(list(long_comments("a.swift", f"let a = 1 // {code}"))) == 1,
        "an address is no comment": not list(long_comments("a.swift", f'let a = "https://{code}"')),
        "a comment of a script fails": len(list(long_comments("scripts/a", f"#!/usr/bin/env bash\n# {code}"))) == 1,
        "the name of a type": is_named_after_its_content("A/Router.swift", "public final class Router {}"),
        "the name of a type in another": is_named_after_its_content("A/Kind.swift", "extension A {\n    enum Kind {}\n}"),
        "the name of no type": not is_named_after_its_content("A/Router.swift", "struct Route {}\nextension Routers {}"),
        "a type that only a text has": not is_named_after_its_content("A/B.swift", 'let a = """\nstruct B {}\n"""'),
        "a topic": is_named_after_its_content("A/Router+Path.swift", "extension A.Router {}"),
        "the topic of nothing": not is_named_after_its_content("A/Router+Path.swift", "struct Router {}"),
        "a family": is_named_after_its_content("A/KeyRules.swift", "struct FileRule {}\nenum PathRule {}"),
        "no family": not is_named_after_its_content("A/KeyRules.swift", "struct FileRule {}\nenum Path {}"),
        "one that is excused": not list(misnamed({"A/B.swift": "struct C {}"}, {"A/B.swift"})),
        "one that is excused in vain": len(list(misnamed({"A/B.swift": "struct B {}"}, {"A/B.swift", "A/C.swift"}))) == 2,
        "one that is not excused": len(list(misnamed({"A/B.swift": "struct C {}"}, set()))) == 1,
        "a subject": not list(long_subjects(["abc " + "ü" * 72])),
        "a subject that is too long": len(list(long_subjects(["abc " + "a" * 73]))) == 1,
    }
    if wrong := [case for case, holds in cases.items() if not holds]:
        sys.exit(f"scripts/written_rules.py does not see: {', '.join(wrong)}")


def main() -> None:
    self_test()
    if sys.argv[1:] == ["--self-test"]:
        return
    if found := list(faults()):
        sys.exit("\n".join(found))
    print("Comments, names of files, subjects of commits: as CONTRIBUTING.md wants them.")


main()
