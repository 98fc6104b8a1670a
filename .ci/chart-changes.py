"""Checks which changes of an installed release the chart refuses, and that it takes all others.

    chart-changes.py HELM CHART KUBERNETES

Helm asks an API server on loopback, which knows nothing but the resources of the release: what the chart itself gives, as Kubernetes would return it.
"""
import http.server
import json
import os
import subprocess
import sys
import threading

import yaml

KINDS = {"v1": [("configmaps", "ConfigMap"), ("persistentvolumeclaims", "PersistentVolumeClaim"), ("secrets", "Secret")],
         "apps/v1": [("statefulsets", "StatefulSet")]}

# Arguments of an upgrade, and the words by which it is refused; "" where it is not.
UPGRADES = [
    ("", ""),
    ("--set image.tag=0.2.0,processors=4,resources.limits.memory=2Gi", ""),
    ("--set config.quorate.api.connection-lifetime=30m,updatePartition=2", ""),
    ("--set storage.size=10240Mi", ""),
    ("--set replicas=5", ""),
    ("--set replicas=0", ""),
    ("--set replicas=0,updatePartition=2", ""),
    ("--set replicas=0,updatePartition=4", "updatePartition is 4, and there are 3 pods"),
    ("--set replicas=2", "replicas is 2, and members.first 3"),
    ("--set replicas=5,scaling.enabled=false", "more pods need scaling.enabled, no zones, and two members at least"),
    ("--set members.first=5,replicas=5", "The first members of orders-quorate cannot be changed"),
    ("--set members.first=1,replicas=1", "Keep members.first, zones and fullnameOverride as they were; replicas may be more. Nothing has been changed."),
    ("--set zones={a,b,c}", "orders-quorate-2@orders-quorate-2.orders-quorate-peers:7100/c"),
    ("--set clusterName=other", "is orders-quorate since the first start and cannot be changed to other"),
    ("--set storage.size=20Gi", "-p '{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"20Gi\"}}}}'"),
    ("--set storage.size=1Gi", "cannot be made smaller, from 10Gi to 1Gi: keep storage.size"),
    ("--set storage.className=fast", 'from "" to "fast": keep storage.className'),
    ("--set fullnameOverride=other", "is called orders-quorate and cannot be renamed to other"),
]

# Of installations where three volumes of an earlier one are.
INSTALLATIONS = [
    ("", ""),
    ("--set fullnameOverride=other,replicas=5", ""),
    ("--set replicas=5", ""),
    ("--set members.first=2,replicas=2", "which had more than 2 members"),
    ("--set members.first=5,replicas=5", "which had fewer than 5 members"),
    ("--set replicas=0", ""),
]

# Where a fourth is, too: of a pod that has left, or of a member.
GROWN = [
    ("--set replicas=4", ""),
    ("--set replicas=0", ""),
    ("", "If the pod orders-quorate-3 had left the cluster before (replicas was made less), delete its claim data-orders-quorate-3 and those behind it, "),
]

objects = {}


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        answer = self.answer(self.path.split("?")[0].strip("/").split("/"))
        body = json.dumps(answer or {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}).encode()
        self.send_response(200 if answer else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer(self, path):
        if path == ["version"]:
            return {"major": "1", "minor": sys.argv[3].split(".")[1], "gitVersion": f"v{sys.argv[3]}.0"}
        if path == ["api"]:
            return {"kind": "APIVersions", "versions": ["v1"]}
        if path == ["apis"]:
            group = {"groupVersion": "apps/v1", "version": "v1"}
            return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [{"name": "apps", "versions": [group], "preferredVersion": group}]}
        version, rest = ("v1", path[2:]) if path[0] == "api" else ("/".join(path[1:3]), path[3:])
        if not rest:
            return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": [
                {"name": name, "kind": kind, "namespaced": True, "verbs": ["get", "list"]} for name, kind in KINDS[version]]}
        kind = dict(KINDS[version])[rest[2]]
        if len(rest) == 4:
            return objects.get((kind, rest[3]))
        return {"kind": f"{kind}List", "apiVersion": version, "metadata": {}, "items": [each for (of, _), each in objects.items() if of == kind]}

    def log_message(self, *arguments):
        pass


def helm(*arguments):
    command = [sys.argv[1], "template", "orders", sys.argv[2], "--namespace", "shop", "--kube-version", sys.argv[3], *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def checked(cases, *options):
    for arguments, words in cases:
        result = helm("--dry-run=server", *options, *arguments.split())
        if (result.returncode != 0) != bool(words) or words not in result.stderr:
            raise SystemExit(f"{' '.join(options)} {arguments}: {result.stderr or 'is taken'}\nexpected: {words or 'nothing'}")


def without_pods():
    some, none = (helm("--set", f"backup.enabled=true,replicas={replicas}").stdout for replicas in (3, 0))
    if not some or none.replace("  replicas: 0\n", "  replicas: 3\n") != some:
        raise SystemExit("without pods, something else than their number differs")


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ.update(HELM_KUBEAPISERVER=f"http://127.0.0.1:{server.server_port}", HELM_NAMESPACE="shop", KUBECONFIG=os.devnull)
    checked([("", "")])
    rendered = helm()
    for resource in yaml.safe_load_all(rendered.stdout):
        kind, metadata = resource["kind"], resource["metadata"]
        if kind in ("ConfigMap", "StatefulSet"):
            metadata.update(namespace="shop", annotations={"meta.helm.sh/release-name": "orders"})
            objects[kind, metadata["name"]] = resource
    checked(UPGRADES, "--is-upgrade")
    objects.clear()
    for pod in range(3):
        name = f"data-orders-quorate-{pod}"
        objects["PersistentVolumeClaim", name] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": "shop"}}
    checked(INSTALLATIONS)
    objects["PersistentVolumeClaim", "data-orders-quorate-3"] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                                                                 "metadata": {"name": "data-orders-quorate-3", "namespace": "shop"}}
    checked(GROWN)
    without_pods()
    print(f"chart: {len(UPGRADES)} upgrades and {len(INSTALLATIONS) + len(GROWN)} installations over volumes, refused or taken as they must be")


main()
