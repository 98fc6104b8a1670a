"""Compares the resources that two files of manifests describe, and says where they differ.

    same-manifests.py RENDERED-BY-KUSTOMIZE RENDERED-BY-HELM

The order of resources and of lists whose entries have names does not matter, nor do comments and line breaks within the configuration of the nodes, nor
what each tool adds: the hashes of Kustomize in the names of ConfigMaps; the labels of Helm, its checksum of the configuration, the tag that is the version
of the chart, the namespace in names of certificates and in subjects of roles, and names
in roles.
"""
import pathlib
import re
import sys

import yaml

# Lists whose entries Kubernetes keeps by this key.
KEYS = {"env": "name", "ports": ("containerPort", "port", "protocol"), "volumes": "name", "volumeMounts": "mountPath"}


HELM = ("app.kubernetes.io/version", "app.kubernetes.io/managed-by", "helm.sh/chart")


def loaded(file):
    resources = {}
    for resource in yaml.safe_load_all(pathlib.Path(file).read_text()):
        if resource:
            name = re.sub(r"-[0-9a-z]{10}$", "", resource["metadata"]["name"]) if resource["kind"] == "ConfigMap" else resource["metadata"]["name"]
            if resources.setdefault((resource["kind"], name), resource) is not resource:
                raise SystemExit(f"{file}: {resource['kind']} {name} twice")
    return resources


def normal(value, key=None):
    if isinstance(value, dict):
        # Namespaces are set by an overlay or by the command.
        value = {name: normal(item, name) for name, item in value.items() if not (key == "metadata" and name == "namespace")}
        if value.get("kind") == "ServiceAccount" and "metadata" not in value:
            value.pop("namespace", None)
        if "verbs" in value:
            value.pop("resourceNames", None)
        if key == "configMap" and "name" in value:
            value["name"] = re.sub(r"-[0-9a-z]{10}$", "", value["name"])
        if key == "metadata" and "annotations" in value:
            value["annotations"].pop("checksum/configuration", None)
            if not value["annotations"]:
                del value["annotations"]
        if "dnsNames" in value:
            value["dnsNames"] = [name for name in value["dnsNames"] if ".default" not in name]
        return value
    if isinstance(value, list):
        value = [normal(item) for item in value]
        by = KEYS.get(key)
        if by and all(isinstance(item, dict) for item in value):
            names = (by,) if isinstance(by, str) else by
            value.sort(key=lambda item: [str(item.get(name)) for name in names])
        return value
    if isinstance(value, str) and key == "application.yml":
        return yaml.safe_load(value)
    return value


def differences(path, one, other):
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}, key=str):
            if key not in one or key not in other:
                yield f"{path}.{key}: only {'of Kustomize' if key in one else 'of the chart'}: {str(one.get(key, other.get(key)))[:200]}"
            else:
                yield from differences(f"{path}.{key}", one[key], other[key])
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other)):
            yield from differences(f"{path}[{index}]", left, right)
    elif one != other and not (path.endswith(".image") and str(other).startswith(f"{one}:")):
        yield f"{path}: {str(one)[:200]} of Kustomize, {str(other)[:200]} of the chart"


def main(kustomize, helm):
    one, other = loaded(kustomize), loaded(helm)
    faults = []
    for kind, name in sorted({*one, *other}):
        if (kind, name) not in one or (kind, name) not in other:
            faults.append(f"{kind} {name}: only {'of Kustomize' if (kind, name) in one else 'of the chart'}")
            continue
        left, right = normal(one[kind, name]), normal(other[kind, name])
        left["metadata"]["name"] = right["metadata"]["name"] = name
        # Of the resource itself: selectors, and labels of pods, must not have them.
        for label in HELM:
            right["metadata"]["labels"].pop(label, None)
        faults += differences(f"{kind} {name}", left, right)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


sys.exit(main(*sys.argv[1:]))
