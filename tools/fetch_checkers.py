#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fetches what tests check metrics and templates for CI with, into build/tools/:

    promtool             reads what Prometheus reads     Debian package prometheus
    prometheus_client/   reads OpenMetrics, strictly     PyPI prometheus-client
    check-jsonschema/    has the schemas of GitHub's and GitLab's files      PyPI check-jsonschema
    kubernetes.json      the schemas of Kubernetes' objects                  PyPI kubernetes-validate

The package of Debian is taken apart and not installed, because it would start a server. Exits 1 with one
line that says why when something cannot be had; the tests that need it are skipped then. Does nothing when
all is there.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "build" / "tools"
CLIENT = "prometheus-client==0.23.1"
SCHEMAS = "check-jsonschema==0.39.0"
OBJECTS = "kubernetes-validate==1.37.0"
OBJECTS_OF = "kubernetes_validate/kubernetes-json-schema/v1.30.0-local/_definitions.json"
SECONDS = 300


class Missing(Exception):
    pass


def run(*argv, cwd):
    try:
        subprocess.run(argv, cwd=cwd, check=True, capture_output=True, timeout=SECONDS)
    except FileNotFoundError:
        raise Missing(f"there is no '{argv[0]}'") from None
    except subprocess.TimeoutExpired:
        raise Missing(f"'{' '.join(argv[:3])}' took over {SECONDS} s") from None
    except subprocess.CalledProcessError as e:
        lines = e.stderr.decode(errors="replace").strip().splitlines()
        raise Missing(f"'{' '.join(argv[:3])}' failed: {lines[-1] if lines else '?'}") from None


def fetch_promtool():
    if (OUT / "promtool").exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # apt reads as another user
        run("apt-get", "download", "prometheus", cwd=folder)
        package = next(Path(folder).glob("prometheus_*.deb"))
        run("dpkg-deb", "-x", str(package), "tree", cwd=folder)
        OUT.mkdir(parents=True, exist_ok=True)
        (OUT / "promtool").write_bytes((Path(folder) / "tree/usr/bin/promtool").read_bytes())
        (OUT / "promtool").chmod(0o755)


def fetch_client():
    if (OUT / "prometheus_client").exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
            "--only-binary=:all:", "--dest", folder, CLIENT, cwd=folder)
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            wheel.extractall(OUT, [n for n in wheel.namelist() if n.startswith("prometheus_client/")])


def fetch_schemas():
    if (OUT / "check-jsonschema").exists():
        return
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=OUT) as folder:
        run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:",
            "--target", f"{folder}/made", SCHEMAS, cwd=folder)
        (Path(folder) / "made").rename(OUT / "check-jsonschema")


def fetch_objects():
    if (OUT / "kubernetes.json").exists():
        return
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
            "--only-binary=:all:", "--dest", folder, OBJECTS, cwd=folder)
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            (OUT / "kubernetes.json").write_bytes(wheel.read(OBJECTS_OF))


def main():
    problems = []
    for fetch in (fetch_promtool, fetch_client, fetch_schemas, fetch_objects):
        try:
            fetch()
        except Missing as e:
            problems.append(str(e))
    if problems:
        print(f"fetch_checkers: {'; '.join(problems)}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
