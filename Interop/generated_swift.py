"""The code that openapi-generator makes of each document: Swift, which is compiled, and Kotlin. A script's word for it
that their models have every parameter is not taken: each name and type in the document is looked for in what was
made."""

from __future__ import annotations

import os
import re
import subprocess

from checks import Checks
from openapi import Document, Schema, form_of, name_of, operations

NAME = "openapi-generator"
SWIFT_TYPES = {"string": "String", "integer": "Int64", "boolean": "Bool"}
# What would hide a type of Swift's own or Kotlin's is called otherwise.
RENAMED = {"Error": "ModelError"}
# Of the keys of a model, with the member's name in JSON where that is another.
CASE = re.compile(r"^\s+case `?(\w+)`?(?: = \"([^\"]+)\")?$", re.M)


def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def sources(folder: str, suffix: str) -> list[str]:
    return [f"{place}/{name}" for place, _, names in os.walk(folder) for name in sorted(names) if name.endswith(suffix)]


def objects(document: Document) -> dict[str, dict[str, Schema]]:
    """The members of every component that is an object with some."""
    found = {name: schema.get("properties", {}) for name, schema in document["components"]["schemas"].items()}
    return {name: properties for name, properties in found.items() if properties}


def generate(generator: str, document_path: str, folder: str) -> None:
    command = ["openapi-generator-cli", "generate", "-i", document_path, "-g", generator, "-o", folder,
               "--additional-properties=useSPMFileStructure=true,projectName=Generated"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def used_by_forms(document: Document) -> set[str]:
    """A form has no model: its members are parameters of a function."""
    return {name_of(form["schema"]) for operation in operations(document) if (form := form_of(operation))}


def missing_members(document: Document, folder: str) -> list[str]:
    """What the models of Swift lack, or have with another type."""
    missing: list[str] = []
    models = {os.path.basename(path)[:-6]: read(path) for path in sources(f"{folder}/Sources", ".swift")}
    for name, properties in objects(document).items():
        if name in used_by_forms(document):
            continue
        text = models.get(RENAMED.get(name, name), "")
        keys = {written or case: case for case, written in CASE.findall(text)}
        for member, schema in properties.items():
            kind = SWIFT_TYPES.get(schema.get("type", ""), r"\S+")
            if member not in keys or not re.search(rf"var `?{keys[member]}`?: {kind}\b", text):
                missing.append(f"{name}.{member}")
    return missing


def missing_parameters(document: Document, folder: str) -> list[str]:
    """What the functions of Swift lack."""
    missing: list[str] = []
    text = "\n".join(read(path) for path in sources(f"{folder}/Sources", "API.swift"))
    for operation in operations(document):
        name = operation["operationId"]
        function = re.search(rf"func {name}WithRequestBuilder\(.*?\n    }}\n", text, re.S)
        names = [parameter["name"] for parameter in operation.get("parameters", []) if "name" in parameter]
        if form_of(operation):
            for media in operation["requestBody"]["content"].values():
                names += document["components"]["schemas"][name_of(media["schema"])]["properties"]
        body = function[0] if function else ""
        missing += [f"{name}({each})" for each in names if f'"{each}"' not in body and f"{{{each}}}" not in body]
        if not body:
            missing.append(name)
    return missing


def missing_in_kotlin(document: Document, folder: str) -> list[str]:
    missing: list[str] = []
    models = {os.path.basename(path)[:-3]: read(path) for path in sources(f"{folder}/src/main", ".kt")}
    for name, properties in objects(document).items():
        if name not in used_by_forms(document):
            missing += [f"{name}.{member}" for member in properties if f'"{member}"' not in models.get(name, "")]
    return missing


def run(checks: Checks, documents: dict[str, Document], paths: dict[str, str], folder: str) -> None:
    for name, document in documents.items():
        swift, kotlin = f"{folder}/{name}-swift", f"{folder}/{name}-kotlin"
        generate("swift6", paths[name], swift)
        files = sources(f"{swift}/Sources", ".swift")
        compiled = subprocess.run(
            ["swiftc", "-emit-library", "-o", f"{folder}/{name}.so", "-swift-version", "6", "-module-name", "Generated",
             *files],
            capture_output=True, text=True)
        checks.expect(f"{name}: the Swift code compiles, {len(files)} files", compiled.returncode == 0,
                      compiled.stderr[-2000:])
        members = sum(len(properties) for properties in objects(document).values())
        missing = missing_members(document, swift)
        checks.equal(f"{name}: its models have the members of all schemas, {members}", missing, [])
        checks.equal(f"{name}: its functions have all parameters", missing_parameters(document, swift), [])
        generate("kotlin", paths[name], kotlin)
        checks.equal(f"{name}: the models in Kotlin have them, too", missing_in_kotlin(document, kotlin), [])
