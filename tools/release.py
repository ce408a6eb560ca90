#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the files of a release: tools/release.py OUT [--tree INSTALLED]

  OUT/ken-<version>.tar.gz                  the source of HEAD, as `git archive` gives it
  OUT/ken-<version>-linux-<machine>.tar.gz  INSTALLED, a tree that `cmake --install --strip` made
  OUT/ken-<version>.spdx.json               bill of materials, SPDX 2.3
  OUT/SHA256SUMS

The same commit and the same installed tree give the same bytes: entries are sorted, times are the commit's, owners
are root, and the compressed streams hold no time. Versions of Debian packages are those installed here.
`./dev release` is the usual caller.
"""

import argparse
import base64
import gzip
import hashlib
import io
import itertools
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tarfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RELATIONS = {  # the column "linked" of docs/dependencies.md
    "shared": "DYNAMIC_LINK",
    "archive": "STATIC_LINK",
    "inline": "STATIC_LINK",
    "at run time": "OPTIONAL_DEPENDENCY_OF",
}


def git(*args):
    return subprocess.run(["git", *args], cwd=ROOT, capture_output=True, check=True).stdout


def version_of_source():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"^project\(ken VERSION (\d+\.\d+\.\d+)", text, re.M)[1]


def compressed(data):
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=out, compresslevel=9, mtime=0) as z:
        z.write(data)
    return out.getvalue()


def source_tar(prefix):
    return git("-c", "core.autocrlf=false", "archive", "--format=tar", f"--prefix={prefix}/", "HEAD")


def installed_tar(tree, prefix, when):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(p for p in tree.rglob("*") if p.is_file()):
            name = path.relative_to(tree).as_posix()
            info = tar.gettarinfo(path, f"{prefix}/{name}")
            info.mtime, info.uid, info.gid, info.uname, info.gname = when, 0, 0, "root", "root"
            info.mode = 0o755 if info.mode & 0o100 else 0o644
            with open(path, "rb") as f:
                tar.addfile(info, f)
    return out.getvalue()


def tables(heading):
    """Rows of the first table below a heading of docs/dependencies.md, as dictionaries."""
    text = (ROOT / "docs/dependencies.md").read_text()
    section = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = itertools.takewhile(lambda line: line.startswith("|"), section[section.index("\n|") + 1:].splitlines())
    rows = [[c.strip() for c in line.strip("| ").split(" | ")] for line in lines]
    return [dict(zip(rows[0], row)) for row in rows[2:]]


def debian_version(package):
    try:
        r = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Version}", package],
                           capture_output=True, text=True, check=False)
    except OSError:
        return None
    words = r.stdout.split()
    return words[1] if r.returncode == 0 and words and words[0] == "ii" else None


def package(name, version, licence, **more):
    ident = re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-")
    return {"SPDXID": f"SPDXRef-{ident}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
            "copyrightText": "NOASSERTION", **more}


def purl(locator):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]


def libraries():
    """(package, relation) of each library in the program."""
    for row in tables("Libraries in the program"):
        deb = row["Debian package"]
        found = debian_version(deb) if deb != "–" else None
        more = {"externalRefs": purl(f"pkg:deb/debian/{deb}@{found.replace('+', '%2B').replace(':', '%3A')}")} \
            if found else {}
        yield package(row["name"], found or row["version"], row["licence"], **more), RELATIONS[row["linked"]]


def npm_packages(folder, section):
    """What a folder's package-lock.json pins and goes into the program; their licences are the table's."""
    lock = json.loads((folder / "package-lock.json").read_text())["packages"]
    licences = {row["npm package"].split(" ")[0]: row["licence"] for row in tables(section)}
    for name in sorted(lock[""]["dependencies"]):
        entry = lock[f"node_modules/{name}"]
        algorithm, _, digest = entry["integrity"].partition("-")
        yield package(name, entry["version"], licences[name],
                      checksums=[{"algorithm": algorithm.upper(), "checksumValue": base64.b64decode(digest).hex()}],
                      externalRefs=purl(f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}"))


def bill(version, source_name, source, when):
    digest = hashlib.sha256(source).hexdigest()
    ken = package("ken", version, "MIT", packageFileName=source_name,
                  checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    packages = [ken]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", ken["SPDXID"])]
    for found, relation in libraries():
        packages.append(found)
        pair = (ken["SPDXID"], relation, found["SPDXID"])
        relations.append(tuple(reversed(pair)) if relation.endswith("_OF") else pair)
    for found in (*npm_packages(ROOT, "tree-sitter and grammars"), *npm_packages(ROOT / "web", "The page")):
        packages.append(found)
        relations.append((ken["SPDXID"], "STATIC_LINK", found["SPDXID"]))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"ken-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/ken-{version}-{digest}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when)),
                         "creators": [f"Tool: ken-release-{version}"]},
        "packages": packages,
        "relationships": [{"spdxElementId": a, "relationshipType": r, "relatedSpdxElement": b}
                          for a, r, b in relations],
    }


def unlisted_libraries(program):
    """Shared libraries that the program needs and no package of the table brings."""
    try:
        needed = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=False).stdout
    except OSError:
        return []
    names = re.findall(r"\(NEEDED\).*\[(.+?)\.so", needed)
    # libsqlite3 -> sqlite3; the stems of Debian's names: libsqlite3-dev -> sqlite3
    listed = " ".join(row["name"] + " " + row["Debian package"] for row in tables("Libraries in the program")).lower()
    own = {"libc", "libm", "libpthread", "libdl", "librt", "ld-linux-x86-64", "ld-linux-aarch64"}  # glibc
    return [n for n in names if n not in own and re.sub(r"^lib|-[0-9.]*$", "", n) not in listed]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--tree", type=pathlib.Path, help="what cmake --install made")
    args = parser.parse_args()

    version = version_of_source()
    when = int(git("log", "-1", "--format=%ct"))
    files = {}
    source_name = f"ken-{version}.tar.gz"
    files[source_name] = compressed(source_tar(f"ken-{version}"))
    if args.tree:
        strange = unlisted_libraries(args.tree / "bin/ken")
        if strange:
            sys.exit(f"release: {', '.join(strange)}: linked, but without a row in docs/dependencies.md")
        name = f"ken-{version}-linux-{platform.machine()}"
        files[f"{name}.tar.gz"] = compressed(installed_tar(args.tree, name, when))
    files[f"ken-{version}.spdx.json"] = (json.dumps(bill(version, source_name, files[source_name], when), indent=2)
                                         + "\n").encode()
    files["SHA256SUMS"] = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n"
                                  for name, data in sorted(files.items())).encode()
    args.out.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (args.out / name).write_bytes(data)
        print(args.out / name)


if __name__ == "__main__":
    main()
