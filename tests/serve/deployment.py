#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""packaging/compose.yaml and the manifests: their schemas hold, and what they start are commands and settings of ken.

Needs tools/fetch_checkers.py once; without what it fetches the tests are skipped.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import lab

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKER = ROOT / "build/tools/check-jsonschema"
OBJECTS = ROOT / "build/tools/kubernetes.json"
PACKAGING = ROOT / "packaging"


def close(schema):
    """Names that a schema does not have are mistakes, as the server of Kubernetes takes them, too."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema and "type" in schema:
            schema["additionalProperties"] = False
        for value in schema.values():
            close(value)
    elif isinstance(schema, list):
        for value in schema:
            close(value)


@unittest.skipUnless(CHECKER.is_dir() and OBJECTS.exists(), "not under build/tools/; tools/fetch_checkers.py says why")
class Deployment(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(CHECKER))
        from ruamel.yaml import YAML
        cls.yaml = YAML(typ="safe")
        cls.compose = cls.yaml.load((PACKAGING / "compose.yaml").read_text())
        cls.objects = [o for path in sorted((PACKAGING / "kubernetes").glob("*.yaml"))
                       for o in cls.yaml.load_all(path.read_text())]

    def test_compose_is_what_its_schema_says(self):
        done = subprocess.run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec",
                               str(PACKAGING / "compose.yaml")], env=dict(os.environ, PYTHONPATH=str(CHECKER)), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_manifests_are_what_kubernetes_takes(self):
        import jsonschema
        whole = json.loads(OBJECTS.read_text())
        close(whole["$defs"])
        kinds = {}
        for name, schema in whole["$defs"].items():
            of = schema.get("properties", {})
            for version in of.get("apiVersion", {}).get("enum", []):
                kinds.update({(version, kind): name for kind in of.get("kind", {}).get("enum", [])})
        self.assertGreater(len(self.objects), 3)
        for o in self.objects:
            name = kinds[o["apiVersion"], o["kind"]]
            check = jsonschema.Draft202012Validator({"$defs": whole["$defs"], "$ref": f"#/$defs/{name}"})
            check.validate(o)
            with self.assertRaises(jsonschema.ValidationError):
                check.validate({**o, "specc": {}})

    def ken_words(self):
        services = [s for s in self.compose["services"].values() if "ken" in s["image"] and "pgvector" not in s["image"]]
        words = [s["command"] for s in services]
        for o in self.objects:
            if o["kind"] == "Deployment":
                words += [c["args"] for c in o["spec"]["template"]["spec"]["containers"]]
        return words

    def test_what_is_started_is_a_command_with_its_options(self):
        words = self.ken_words()
        self.assertEqual(len([w for w in words if w[0] == "serve"]), 3)
        self.assertEqual(len([w for w in words if w[0] == "worker"]), 3)
        for command in words:
            done = subprocess.run([lab.options.ken, command[0], "--help"], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)
            for word in command[1:]:
                if word.startswith("--"):
                    self.assertIn(word, done.stdout)

    def test_what_is_set_is_a_setting(self):
        shown = subprocess.run([lab.options.ken, "config", "show", "--json"], text=True, stdout=subprocess.PIPE,
                               check=True, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"}).stdout
        page = (ROOT / "docs/configuration.md").read_text()
        self.assertIn("database.url", shown)
        names = set(self.compose["x-ken"]["environment"])
        for o in self.objects:
            if o["kind"] == "Deployment":
                names |= {e["name"] for c in o["spec"]["template"]["spec"]["containers"] for e in c["env"]}
        names |= set(re.findall(r"\b(KEN_[A-Z_]+|LOG_FORMAT)=", (PACKAGING / "Containerfile").read_text()))
        for name in names:
            self.assertIn(f"`{name}`", page)

    def test_selectors_find_their_pods(self):
        pods = [o["spec"]["template"]["metadata"]["labels"] for o in self.objects if o["kind"] == "Deployment"]
        for o in self.objects:
            selector = o.get("spec", {}).get("selector", {})
            selector = selector.get("matchLabels", selector)
            if selector:
                self.assertTrue(any(selector.items() <= labels.items() for labels in pods), o["metadata"]["name"])

    def test_no_secret_stands_in_them(self):
        for path in [PACKAGING / "compose.yaml", *(PACKAGING / "kubernetes").glob("*.yaml")]:
            for url in re.findall(r"postgres://[^\s'\"]+", path.read_text()):
                self.assertRegex(url, r"://([^:@]+@|[^:]+:(\$\{|…)|…)", path)

    @unittest.skipUnless(shutil.which("nginx"), "nginx is not there")
    def test_the_proxy_reads_its_file(self):
        text = (PACKAGING / "nginx.conf").read_text().replace("server1", "127.0.0.1").replace("server2", "127.0.0.2")
        path = pathlib.Path("/tmp") / f"ken_nginx_{os.getpid()}.conf"
        path.write_text(f"events {{}}\nhttp {{ {text} }}\n")
        try:
            done = subprocess.run(["nginx", "-t", "-c", str(path)], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        finally:
            path.unlink()


if __name__ == "__main__":
    lab.main("deployment")
