"""Prints what a build of the service is made of, as an SPDX 2.3 document: itself, and the Swift packages of
Package.resolved, which are in the executable. Of an image it names the distribution's packages besides, as dpkg-query
lists them: name, version, architecture in each line.

  python3 scripts/spdx.py [--packages FILE] PACKAGE_RESOLVED VERSION REVISION SECONDS

SECONDS since 1970 are when it was made: two builds of a commit have the same document."""

from __future__ import annotations

import argparse
import datetime
import json
from typing import Any
from urllib.parse import quote

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


def debian_package(line: str) -> dict[str, Any]:
    """One that the distribution made, whose own documents tell its licences."""
    name, version, architecture = line.split()
    return {
        "SPDXID": f"SPDXRef-Debian-{name.replace('+', '-plus')}", "name": name, "versionInfo": version,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", "supplier": "Organization: Debian",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{quote(name)}@{quote(version)}?arch={architecture}"}]}


def document(
    resolved: dict[str, Any], version: str, revision: str, seconds: int, debian: list[str]
) -> dict[str, Any]:
    own = package("gatehouse", version, "", revision)
    others = [
        package(pin["identity"], pin["state"].get("version", pin["state"]["revision"]), pin["location"],
                pin["state"]["revision"])
        for pin in sorted(resolved["pins"], key=lambda pin: str(pin["identity"]))]
    distribution = [debian_package(line) for line in sorted(debian)]
    created = datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"gatehouse-{version}", "documentNamespace": f"{NAMESPACE}/{version}/{revision}",
        "creationInfo": {"created": created, "creators": ["Tool: gatehouse-scripts-spdx"]},
        "packages": [own, *others, *distribution],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own["SPDXID"]},
            *({"spdxElementId": own["SPDXID"], "relationshipType": "STATIC_LINK",
               "relatedSpdxElement": other["SPDXID"]} for other in others),
            *({"spdxElementId": own["SPDXID"], "relationshipType": "DEPENDS_ON",
               "relatedSpdxElement": other["SPDXID"]} for other in distribution)]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=argparse.FileType(encoding="utf-8"))
    parser.add_argument("resolved", type=argparse.FileType(encoding="utf-8"))
    parser.add_argument("version")
    parser.add_argument("revision")
    parser.add_argument("seconds", type=int)
    given = parser.parse_args()
    debian = given.packages.read().splitlines() if given.packages else []
    made = document(json.load(given.resolved), given.version, given.revision or "unknown", given.seconds, debian)
    print(json.dumps(made, indent=2))


if __name__ == "__main__":
    main()
