"""Holds what CONTRIBUTING.md says of comments, of the names of files, of times, of loops in which tests wait, and of
the first lines of commits. Run by scripts/lint, in the repository's folder. With --self-test it shows each rule
failing."""

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

WORDS = "public|package|internal|open|final|indirect|nonisolated|distributed|unsafe"
MODIFIERS = rf"(?:@\w+(?:\([^)]*\))?\s+|(?:{WORDS})\s+)*"
PRIVATE = r"(?:(?:private|fileprivate)\s+)?"
TYPE = re.compile(rf"^\s*{MODIFIERS}{PRIVATE}{MODIFIERS}(?:struct|class|enum|actor|protocol|typealias)\s+`?(\w+)", re.M)
TYPE_OF_FILE = re.compile(rf"^{MODIFIERS}(?:struct|class|enum|actor|protocol)\s+`?(\w+)", re.M)
EXTENSION = re.compile(rf"^{MODIFIERS}{PRIVATE}extension\s+([\w.]+)", re.M)
TEXT = re.compile(r'"""[\s\S]*?"""')

# What is no code in Swift. A word in it begins no loop.
NO_CODE = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|`[^`\n]*`|//[^\n]*')
LOOP = re.compile(r"\b(while|repeat)\b")
WAITS = re.compile(r"\bawait\b|\b(?:u|nano)?sleep\(|\bsched_yield\(")
# The thread stands still in these until the other side ends, so a loop around them does not spin.
BLOCKS = re.compile(r"\b(?:read|receive|request|waitid)\(")
# Seconds since 1970, by the names that they have here.
NAMELESS_TIME = re.compile(r"[( ,]_ (now|time|at|until|openedBy|signsFrom|[a-z]+(?:At|Time)): Int64\b")
# A clock that is looked at, or `Meanwhile`, which looks at one.
BOUND = re.compile(r"\bContinuousClock\.now\b|\.goesOn\b")


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
    return len(types) > 1 and bool(words(name).intersection(*map(words, types)))


def misnamed(sources: dict[str, str], excused: set[str]) -> Iterable[str]:
    found = {path for path, text in sources.items() if not is_named_after_its_content(path, text)}
    for path in sorted(found - excused):
        yield f"{path}: is named after no type in it, and not Type+Topic.swift after one that it extends"
    for path in sorted(excused - found):
        yield f"{MISNAMED}: {path} is not there, or well named by now"


def brackets(code: str, start: int, opening: str) -> int:
    """Where the bracket that opens at or after `start`, outside of all others, is; the end where there is none."""
    depth = 0
    for place in range(start, len(code)):
        if depth == 0 and code[place] == opening:
            return place
        depth += (code[place] in "([{") - (code[place] in ")]}")
    return len(code)


def loops(code: str) -> Iterable[tuple[int, str, str]]:
    """The line, the condition and the body of each loop that has no sequence to go through."""
    ends: set[int] = set()
    for loop in LOOP.finditer(code):
        if loop.start() in ends:
            continue
        opening = brackets(code, loop.end(), "{")
        closing = brackets(code, opening + 1, "}")
        condition, body = code[loop.end():opening], code[opening + 1:closing]
        if loop[1] == "repeat" and (end := re.compile(r"\}\s*(while\b)(.*)").match(code, closing)):
            ends.add(end.start(1))
            condition = end[2]
        yield code.count("\n", 0, loop.start()) + 1, condition, body


def endless_waits(path: str, text: str) -> Iterable[str]:
    """Loops of tests that ask again and again for what may never come, and look at no clock."""
    if not re.search(r"(^|/)Tests/.*\.swift$", path):
        return
    code = NO_CODE.sub(lambda found: "\n" * found[0].count("\n"), text)
    for line, condition, body in loops(code):
        loop = condition + body
        waits = not body.strip() or re.search(r"== nil\b", condition) or WAITS.search(loop)
        if waits and not BLOCKS.search(condition) and not BOUND.search(loop):
            yield f"{path}:{line}: a loop that may wait for ever; Tests/Patience has what bounds it"


def nameless_times(path: str, text: str) -> Iterable[str]:
    """Parameters that are a time and have no label: in a call nothing tells which time is meant."""
    for found in NAMELESS_TIME.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield f"{path}:{line}: the time `{found[1]}` has no label; give it one, such as `now:` or `expiresAt:`"


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
    sources = {path: text for path, text in texts.items() if re.match(r"(?:Sources|Simulator)/.*\.swift$", path)}
    for path, text in sources.items():
        yield from nameless_times(path, text)
    yield from misnamed(sources, set(texts.get(MISNAMED, "").split()))
    for path, text in texts.items():
        yield from endless_waits(path, text)
    yield from long_subjects(commits())


def self_test() -> None:
    def waits(code: str, path: str = "Tests/A.swift") -> bool:
        return bool(list(endless_waits(path, code)))

    code, comment = "let text = " + "1" * 120, "/// " + "ö" * 116
    cases = {
        "code may be longer": not list(long_comments("a.swift", code)),
        "a comment may be as long as code": not list(long_comments("a.swift", comment)),
        "characters count, and the 121st fails": len(list(long_comments("a.swift", f"{comment}ö\n"))) == 1,
        "a comment behind code fails": len(list(long_comments("a.swift", f"let a = 1 // {code}"))) == 1,
        "an address is no comment": not list(long_comments("a.swift", f'let a = "https://{code}"')),
        "a comment of a script fails": len(list(long_comments("scripts/a", f"#!/usr/bin/env bash\n# {code}"))) == 1,
        "the name of a type": is_named_after_its_content("A/Router.swift", "public final class Router {}"),
        "the name of a type in another":
            is_named_after_its_content("A/Kind.swift", "extension A {\n    enum Kind {}\n}"),
        "the name of no type":
            not is_named_after_its_content("A/Router.swift", "struct Route {}\nextension Routers {}"),
        "a type that only a text has": not is_named_after_its_content("A/B.swift", 'let a = """\nstruct B {}\n"""'),
        "a topic": is_named_after_its_content("A/Router+Path.swift", "extension A.Router {}"),
        "the topic of nothing": not is_named_after_its_content("A/Router+Path.swift", "struct Router {}"),
        "a family": is_named_after_its_content("A/KeyRules.swift", "struct FileRule {}\nenum PathRule {}"),
        "no family": not is_named_after_its_content("A/KeyRules.swift", "struct FileRule {}\nenum Path {}"),
        "one that is excused": not list(misnamed({"A/B.swift": "struct C {}"}, {"A/B.swift"})),
        "one that is excused in vain":
            len(list(misnamed({"A/B.swift": "struct B {}"}, {"A/B.swift", "A/C.swift"}))) == 2,
        "one that is not excused": len(list(misnamed({"A/B.swift": "struct C {}"}, set()))) == 1,
        "a loop that yields": waits("while !isOver { await Task.yield() }"),
        "a loop that asks": waits("while try await pool.count(Statement { 1 }) != 1 {}"),
        "a loop that spins": waits("while !isOver.withLock({ $0 }) {}"),
        "a loop that sleeps": waits("while isBusy { usleep(1000) }"),
        "a loop that looks at a file": waits("while port == nil {\n    port = try text().number\n}"),
        "a loop for ever": waits("while true {\n    if isOver { break }\n    try await ask()\n}"),
        "a loop that asks afterwards": waits("repeat { steps.append(try await step()) } while steps.last != 0"),
        "a loop in a package of its own": waits("while !isOver { await Task.yield() }", "Clients/Swift/Tests/A.swift"),
        "a loop that looks at a clock":
            not waits("while !isOver, ContinuousClock.now < deadline { await Task.yield() }"),
        "a loop that looks at a clock inside":
            not waits("while await isBusy() {\n    guard ContinuousClock.now < end\n}"),
        "a loop that looks at a clock afterwards":
            not waits("repeat { await a() } while b && ContinuousClock.now < end"),
        "a loop beside work": not waits("while meanwhile.goesOn { try await signIn() }"),
        "a loop that computes": not waits("while count < 100 { count += 1 }"),
        "a loop that reads": not waits("while unsafe read(output, &byte, 1) == 1 {}"),
        "a loop over what ends": not waits("for await answer in group { answers.append(answer) }"),
        "a loop in words":
            not waits('// while it waits {}\n@Test func `while {} await`() { say("while true { await }") }'),
        "a time without a label": len(list(nameless_times("A.swift", "func a(_ b: Int, _ now: Int64) {}"))) == 1,
        "an end without a label": len(list(nameless_times("A.swift", "init(_ expiresAt: Int64?) {}"))) == 1,
        "a time with a label": not list(nameless_times("A.swift", "func a(_ b: Int64, now: Int64, at time: Int64) {}")),
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
    print("Comments, names of files, times, loops of tests, subjects of commits: as CONTRIBUTING.md wants them.")


main()
