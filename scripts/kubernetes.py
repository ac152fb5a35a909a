"""Checks manifests for Kubernetes: by its schemas, by its restricted profile, and by what Gatehouse has of keys and
paths. Called by scripts/check-kubernetes. Each run first shows each kind of fault being found."""

from __future__ import annotations

import copy
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import kubernetes_validate
import yaml

# The oldest that the manifests are for, and the newest whose schemas are there.
VERSIONS = ("1.30.0", "1.34.1")
# What the schemas of Kubernetes do not have.
FOREIGN = {"ServiceMonitor", "Kustomization"}
PROBES = {"startupProbe": "/startupz", "livenessProbe": "/livez", "readinessProbe": "/readyz"}
# http.lameDuckSeconds and http.drainSeconds, and a little.
LEAST_GRACE = 35
SECRETS = "/run/secrets/gatehouse"
# 32 bytes that protect nothing.
MASTER_KEY = "c2VjcmV0IG9mIGEgY2hlY2sgdGhhdCBwcm90ZWN0cyA\n"

Manifest = dict[str, Any]


def documents(path: pathlib.Path) -> list[Manifest]:
    return [document for document in yaml.safe_load_all(path.read_text(encoding="utf-8")) if document]


def rendered(folder: pathlib.Path) -> list[Manifest]:
    """What an overlay is made of, as `kubectl kustomize` would make it of the little that ours use."""
    kustomization = documents(folder / "kustomization.yaml")[0]
    unknown = kustomization.keys() - {"apiVersion", "kind", "namespace", "resources", "configMapGenerator", "images"}
    if unknown:
        raise SystemExit(f"{folder}: {', '.join(unknown)} is more than this check renders")
    found: list[Manifest] = []
    for name in kustomization["resources"]:
        place = (folder / name).resolve()
        found += rendered(place) if place.is_dir() else documents(place)
    for generator in kustomization.get("configMapGenerator", []):
        data = {file: (folder / file).read_text(encoding="utf-8") for file in generator["files"]}
        found.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": generator["name"]}, "data": data})
    return found


def name_of(manifest: Manifest) -> str:
    return f"{manifest['kind']} {manifest['metadata']['name']}"


def pods(manifests: list[Manifest]) -> Iterator[tuple[str, Manifest]]:
    for manifest in manifests:
        template = manifest.get("spec", {}).get("template")
        if template:
            yield name_of(manifest), template["spec"]


def schema_faults(manifests: list[Manifest]) -> Iterator[str]:
    for manifest in manifests:
        if manifest["kind"] in FOREIGN:
            continue
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(manifest, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                yield f"{name_of(manifest)}, Kubernetes {version}: {error.message}"


def pod_faults(manifests: list[Manifest]) -> Iterator[str]:
    for name, pod in pods(manifests):
        context = pod.get("securityContext", {})
        if not context.get("runAsNonRoot") or context.get("seccompProfile", {}).get("type") != "RuntimeDefault":
            yield f"{name}: runs as root, or without the runtime's seccomp profile"
        if pod.get("automountServiceAccountToken", True) or pod.get("enableServiceLinks", True):
            yield f"{name}: has a token of the cluster, or variables of its services"
        for container in pod["containers"]:
            own = container.get("securityContext", {})
            if own.get("allowPrivilegeEscalation", True) or own.get("capabilities") != {"drop": ["ALL"]}:
                yield f"{name}: may get privileges"
            if not own.get("readOnlyRootFilesystem"):
                yield f"{name}: may write to its image"
            if "memory" not in container.get("resources", {}).get("limits", {}):
                yield f"{name}: may take all memory"
            if pod.get("restartPolicy") == "Never":
                continue
            for probe, path in PROBES.items():
                if container.get(probe, {}).get("httpGet") != {"path": path, "port": "probes"}:
                    yield f"{name}: {probe} is not at {path}"
            if pod.get("terminationGracePeriodSeconds", 30) < LEAST_GRACE:
                yield f"{name}: is killed before it has finished what runs"


def reference_faults(manifests: list[Manifest]) -> Iterator[str]:
    """What names something that is not there."""
    maps = {manifest["metadata"]["name"] for manifest in manifests if manifest["kind"] == "ConfigMap"}
    workloads = {manifest["metadata"]["name"] for manifest in manifests if "template" in manifest.get("spec", {})}
    for name, pod in pods(manifests):
        volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
        for volume in volumes.values():
            if "configMap" in volume and volume["configMap"]["name"] not in maps:
                yield f"{name}: there is no ConfigMap {volume['configMap']['name']}"
        for container in pod["containers"]:
            for mount in container.get("volumeMounts", []):
                if mount["name"] not in volumes and mount["name"] != "data":
                    yield f"{name}: there is no volume {mount['name']}"
    for manifest in manifests:
        if manifest["kind"] == "HorizontalPodAutoscaler":
            if manifest["spec"]["scaleTargetRef"]["name"] not in workloads:
                yield f"{name_of(manifest)}: scales what is not there"
            yield from instance_faults(manifest["spec"]["maxReplicas"], manifests)


def instance_faults(most: int, manifests: list[Manifest]) -> Iterator[str]:
    """Limits that count for all instances are divided by what they are told of their number."""
    for name, pod in pods(manifests):
        for container in pod["containers"]:
            told = {entry["name"]: entry["value"] for entry in container["env"]}.get("GATEHOUSE_INSTANCES")
            if told is not None and int(told) != most:
                yield f"{name}: GATEHOUSE_INSTANCES is {told}, and there may be {most}"


def configuration_faults(manifests: list[Manifest], program: str) -> Iterator[str]:
    """Reads each pod's configuration with the service itself, which knows every key."""
    files = {name: text for manifest in manifests if manifest["kind"] == "ConfigMap"
             for name, text in manifest["data"].items()}
    for name, pod in pods(manifests):
        for container in pod["containers"]:
            with tempfile.TemporaryDirectory() as folder:
                yield from (f"{name}: {fault}" for fault in said_of(container, files, program, folder))


def said_of(container: Manifest, files: dict[str, str], program: str, folder: str) -> Iterator[str]:
    environment = {"PATH": os.environ["PATH"]}
    for entry in container["env"]:
        value = str(entry["value"])
        if entry["name"].endswith("_FILE"):
            if not value.startswith(SECRETS + "/"):
                yield f"{entry['name']} is not below {SECRETS}"
            secret = pathlib.Path(folder, os.path.basename(value))
            secret.write_text(MASTER_KEY if secret.name == "master_key" else f"of-a-check-{secret.name}\n")
            secret.chmod(0o600)
        environment[entry["name"]] = value.replace(SECRETS, folder).replace("/data/", f"{folder}/")
    file = pathlib.Path(folder, "gatehouse.yaml")
    file.write_text(files["gatehouse.yaml"], encoding="utf-8")
    done = subprocess.run(
        [program, "print-config", "--config", str(file)], env=environment, capture_output=True, text=True, timeout=60)
    if done.returncode:
        yield done.stderr.replace(folder, SECRETS).strip()


def faults(manifests: list[Manifest], program: str) -> list[str]:
    return [*schema_faults(manifests), *pod_faults(manifests), *reference_faults(manifests),
            *configuration_faults(manifests, program)]


def by_kubectl(folder: pathlib.Path) -> list[Manifest] | None:
    """The same by Kubernetes' own tool, which gives what it generates a name of its own."""
    if not shutil.which("kubectl"):
        return None
    done = subprocess.run(["kubectl", "kustomize", str(folder)], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise SystemExit(f"kubectl does not render {folder}: {done.stderr}")
    return [document for document in yaml.safe_load_all(done.stdout) if document]


# MARK: What shows that the check looks


def container_of(manifests: list[Manifest]) -> Manifest:
    return next(pod for _, pod in pods(manifests))["containers"][0]  # type: ignore[no-any-return]


def breakages() -> dict[str, Callable[[list[Manifest]], object]]:
    """One change each, by a word of the fault that it must be found by."""
    return {
        "Additional properties": lambda all_: all_[0].update(speck={}),
        "runs as root": lambda all_: next(pod for _, pod in pods(all_)).update(securityContext={}),
        "token of the cluster": lambda all_: next(pod for _, pod in pods(all_)).pop("enableServiceLinks"),
        "privileges": lambda all_: container_of(all_)["securityContext"].pop("capabilities"),
        "write to its image": lambda all_: container_of(all_)["securityContext"].pop("readOnlyRootFilesystem"),
        "all memory": lambda all_: container_of(all_)["resources"].pop("limits"),
        "livenessProbe": lambda all_: container_of(all_)["livenessProbe"]["httpGet"].update(path="/readyz"),
        "is killed": lambda all_: next(pod for _, pod in pods(all_)).update(terminationGracePeriodSeconds=30),
        "no volume": lambda all_: container_of(all_)["volumeMounts"].append({"name": "other", "mountPath": "/x"}),
        "GATEHOUSE_HTP_PORT": lambda all_: container_of(all_)["env"].append(
            {"name": "GATEHOUSE_HTP_PORT", "value": "1"}),
    }


def show_that_it_looks(manifests: list[Manifest], program: str) -> None:
    for word, breaks in breakages().items():
        broken = copy.deepcopy(manifests)
        breaks(broken)
        if not any(word in fault for fault in faults(broken, program)):
            raise SystemExit(f"a manifest with a fault passes: {word}: {faults(broken, program)}")


def main() -> int:
    folder, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    overlays = sorted(path.parent for path in folder.glob("overlays/*/kustomization.yaml"))
    show_that_it_looks(rendered(overlays[0]), program)
    status = 0
    for overlay in overlays:
        own, theirs = rendered(overlay), by_kubectl(overlay)
        found = faults(own, program)
        if theirs is not None:
            found += faults(theirs, program)
            if len(theirs) != len(own):
                found.append(f"kubectl makes {len(theirs)} of it, and this check {len(own)}")
        for fault in found:
            print(f"{overlay.name}: {fault}")
        status |= bool(found)
        how = "rendered by kubectl too" if theirs is not None else "kubectl is not here"
        print(f"{overlay.name}: {len(own)} manifests, {len(found)} faults; {how}")
    return status


if __name__ == "__main__":
    sys.exit(main())
