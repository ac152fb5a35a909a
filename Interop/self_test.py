"""Shows the judgements of interoperation failing that need no server: of claims, and of code that was generated. Run by
scripts/lint."""

from __future__ import annotations

import contextlib
import io
import pathlib
import sys
import tempfile

from checks import Checks
from generated_swift import missing_in_kotlin, missing_members, missing_parameters
from openapi import Document

DOCUMENT: Document = {
    "paths": {"/users/{id}": {
        "get": {"operationId": "showUser", "parameters": [{"name": "id"}], "responses": {}},
        "post": {"operationId": "editUser", "responses": {}, "requestBody": {"content": {
            "application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/Edit"}}}}}}},
    "components": {"responses": {}, "schemas": {
        "User": {"properties": {"user_id": {"type": "integer"}, "name": {"type": "string"}}},
        "Edit": {"properties": {"nickname": {"type": "string"}}}}},
}
MODEL = """\
public struct User {
    public var userId: Int64
    public var name: String?
    enum CodingKeys: String {
        case userId = "user_id"
        case name
    }
}
"""
FUNCTIONS = """\
    func showUserWithRequestBuilder(id: Int64) {
        path("/users/{id}")
    }
    func editUserWithRequestBuilder(nickname: String?) {
        form("nickname")
    }
"""
KOTLIN = 'data class User(@Json("user_id") val userId: Long, @Json("name") val name: String?)\n'


def raised() -> None:
    raise ValueError("invalid_grant")


def verdicts() -> list[tuple[int, int]]:
    """How many claims passed and failed: two of each kind, of which the second does not hold."""
    expected, equal, refused, taken, tried = (Checks() for _ in range(5))
    expected.expect("a", True)
    expected.expect("b", False)
    equal.equal("a", 1, 1)
    equal.equal("b", 1, 2)
    refused.refused("a", "invalid_grant", raised)
    refused.refused("b", "another", raised)
    taken.refused("a", "ValueError", raised)
    taken.refused("b", "invalid_grant", str)
    tried.expect("a", "text")
    tried.tried("b", raised)
    return [(checks.passed, checks.failed) for checks in (expected, equal, refused, taken, tried)]


def main() -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        counts = verdicts()
        failed = Checks()
        failed.expect("a", False)
        statuses = (Checks().ended(), failed.ended())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in ("Sources/Models", "src/main"):
            (folder / path).mkdir(parents=True)

        def lacking(model: str = MODEL, functions: str = FUNCTIONS, kotlin: str = KOTLIN) -> list[str]:
            (folder / "Sources/Models/User.swift").write_text(model, encoding="utf-8")
            (folder / "Sources/UsersAPI.swift").write_text(functions, encoding="utf-8")
            (folder / "src/main/User.kt").write_text(kotlin, encoding="utf-8")
            return [*missing_members(DOCUMENT, name), *missing_parameters(DOCUMENT, name),
                    *missing_in_kotlin(DOCUMENT, name)]

        cases = {
            "what was not as claimed": counts == [(1, 1)] * 5,
            "a run that failed": statuses == (0, 1),
            "code that has all": lacking() == [],
            "a member that a model lacks":
                lacking(model=MODEL.replace('userId = "user_id"', "userId")) == ["User.user_id"],
            "a member of another type": lacking(model=MODEL.replace("Int64", "String")) == ["User.user_id"],
            "a parameter that a function lacks": lacking(functions=FUNCTIONS.replace("{id}", "")) == ["showUser(id)"],
            "a field that a form lacks":
                lacking(functions=FUNCTIONS.replace('"nickname"', "")) == ["editUser(nickname)"],
            "a function that is not there": lacking(functions=FUNCTIONS.replace("showUser", "show")) == [
                "showUser(id)", "showUser"],
            "a member that Kotlin lacks": lacking(kotlin=KOTLIN.replace("user_id", "id")) == ["User.user_id"],
        }
    if wrong := [case for case, holds in cases.items() if not holds]:
        sys.exit(f"Interop/self_test.py does not see: {', '.join(wrong)}")
    print("every judgement that needs no server fails where it should.")


main()
