"""The functions of a client that openapi-python-client has made, by the operations' ids, and what its answers are held
against."""

from __future__ import annotations

import base64
import importlib
import pkgutil
from collections.abc import Callable, Mapping

# The code is generated after types are checked, so its models and answers are Any here.
from typing import Any

from checks import Checks
from openapi import Document, name_of, operations


class Generated:
    """A generated package that calls the server at `base`."""

    def __init__(self, package: str, base: str, document: Document, checks: Checks) -> None:
        self.package, self.base, self.document, self.checks = package, base, document, checks
        self.client_module = importlib.import_module(f"{package}.client")
        self.models = importlib.import_module(f"{package}.models")
        self.operations = {operation["operationId"]: operation for operation in operations(document)}
        api = importlib.import_module(f"{package}.api")
        names = {name.lower(): name for name in self.operations}
        self.functions: dict[str, Callable[..., Any]] = {}
        for module in pkgutil.walk_packages(api.__path__, f"{package}.api."):
            name = names.get(module.name.rpartition(".")[2].replace("_", ""))
            if name and not module.ispkg:
                self.functions[name] = importlib.import_module(module.name).sync_detailed
        self.called: set[str] = set()

    def body(self, schema: str, **members: object) -> Any:
        return getattr(self.models, schema).from_dict(members)

    def call(
            self, name: str, status: int = 200, token: str | None = None, basic: tuple[str, str] | None = None,
            headers: Mapping[str, str] | None = None, others: Mapping[str, object] | None = None,
            **arguments: object) -> Any:
        """Calls an operation, and holds the status and what the generated code has read against the document.

        `others` has arguments that are called as one of these here is."""
        client = self.client_module.Client(base_url=self.base, headers=dict(headers or {}))
        if basic:
            token = base64.b64encode(":".join(basic).encode()).decode()
        if token:
            client = self.client_module.AuthenticatedClient(
                base_url=self.base, token=token, prefix="Basic" if basic else "Bearer", headers=dict(headers or {}))
        self.called.add(name)
        answer = self.functions[name](client=client, **arguments, **(others or {}))
        seen = f"{int(answer.status_code)} {self.kind(answer.parsed)}"
        self.checks.equal(f"{name}", seen, f"{status} {self.wanted(name, status)}")
        return answer.parsed

    def wanted(self, name: str, status: int) -> str:
        responses = self.operations[name]["responses"]
        response = responses.get(str(status), responses["default"])
        if "$ref" in response:
            response = self.document["components"]["responses"][name_of(response)]
        for media in response.get("content", {}).values():
            schema = media["schema"]
            return name_of(schema) or {"array": "list", "string": "str"}[schema["type"]]
        return "nothing"

    @staticmethod
    def kind(value: object) -> str:
        return "nothing" if value is None else type(value).__name__

    def is_whole(self) -> None:
        missed = sorted(set(self.operations) - self.called)
        self.checks.equal(f"{self.package}: every one of the {len(self.operations)} operations was called", missed, [])
