"""Prints what a build of the service is made of, as an SPDX 2.3 document: itself, and the Swift packages of
Package.resolved, which are in the executable. The C libraries are the distribution's, which has its own documents.

  python3 scripts/spdx.py PACKAGE_RESOLVED VERSION REVISION SECONDS

SECONDS since 1970 are when it was made: two builds of a commit have the same document."""

from __future__ import annotations

import datetime
import json
import sys
from typing import Any

NAMESPACE = "https://gatehouse.example/spdx"
# Of ours, and of each Swift package that we take.
LICENSE = "Apache-2.0"


def package(name: str, version: str, location: str, revision: str) -> dict[str, Any]:
    where = f"git+{location}@{revision}" if location and revision else "NOASSERTION"
    found: dict[str, Any] = {
        "SPDXID": f"SPDXRef-Package-{name}", "name": name, "versionInfo": version, "downloadLocation": where,
        "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": LICENSE,
        "copyrightText": "NOASSERTION", "supplier": "NOASSERTION"}
    if location:
        source = location.removeprefix("https://").removesuffix(".git")
        found["externalRefs"] = [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:swift/{source}@{version}"}]
    return found


def document(resolved: dict[str, Any], version: str, revision: str, seconds: int) -> dict[str, Any]:
    own = package("gatehouse", version, "", revision)
    others = [
        package(pin["identity"], pin["state"].get("version", pin["state"]["revision"]), pin["location"],
                pin["state"]["revision"])
        for pin in sorted(resolved["pins"], key=lambda pin: str(pin["identity"]))]
    created = datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"gatehouse-{version}", "documentNamespace": f"{NAMESPACE}/{version}/{revision}",
        "creationInfo": {"created": created, "creators": ["Tool: gatehouse-scripts-spdx"]},
        "packages": [own, *others],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own["SPDXID"]},
            *({"spdxElementId": own["SPDXID"], "relationshipType": "STATIC_LINK",
               "relatedSpdxElement": other["SPDXID"]} for other in others)]}


def main() -> None:
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    path, version, revision, seconds = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        resolved = json.load(file)
    print(json.dumps(document(resolved, version, revision or "unknown", int(seconds or "0")), indent=2))


if __name__ == "__main__":
    main()
