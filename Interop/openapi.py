"""The part of OpenAPI 3 that is looked at in the documents that Gatehouse serves of itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

FORM = "application/x-www-form-urlencoded"

Reference = TypedDict("Reference", {"$ref": str}, total=False)


class Schema(Reference, total=False):
    """What a value is like."""

    type: str
    properties: dict[str, Schema]


class Media(TypedDict):
    """A body of one media type."""

    schema: Schema


class Content(Reference, total=False):
    """A body of a request or of an answer, by its media type."""

    content: dict[str, Media]


class Parameter(Reference, total=False):
    """Of a path, a query or a header; without a name it is one that operations share."""

    name: str


class Operation(TypedDict, total=False):
    """What one method does at one path."""

    operationId: str
    parameters: list[Parameter]
    requestBody: Content
    responses: dict[str, Content]


class Components(TypedDict):
    """What is referred to by its name."""

    schemas: dict[str, Schema]
    responses: dict[str, Content]


class Document(TypedDict):
    """All operations of one kind of callers."""

    paths: dict[str, dict[str, Operation]]
    components: Components


def operations(document: Document) -> Iterator[Operation]:
    for path in document["paths"].values():
        yield from path.values()


def name_of(reference: Reference) -> str:
    """The name of the component that is meant; nothing where it is no reference."""
    return reference.get("$ref", "").rpartition("/")[2]


def form_of(operation: Operation) -> Media | None:
    """What a form has that an operation takes."""
    return operation.get("requestBody", {}).get("content", {}).get(FORM)
