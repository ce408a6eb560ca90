#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""completion.py --ken KEN: what bash, zsh and fish complete when somebody presses TAB; a shell that is not there is
passed over."""
import argparse
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

# What is typed, and what the line must become; in the folder that make_tree makes.
CASES = [
    ("ken sear", "ken search"),
    ("ken task sh", "ken task show"),
    ("ken help checkp", "ken help checkpoint"),
    ("ken search --explai", "ken search --explain"),
    ("ken search --mode lex", "ken search --mode lexical"),
    ("ken search --mode=lex", "ken search --mode=lexical"),
    ("ken search -m lex", "ken search -m lexical"),
    ("ken refs x --project otter", "ken refs x --project otter-lake"),
    ("ken outline src/mai", "ken outline src/main.c"),
    ("ken search word sr", "ken search word src/"),
    ("ken completion fi", "ken completion fish"),
]
SECONDS = 20


def make_tree(ken, folder, env):
    project = folder / "otter-lake"
    (project / "src").mkdir(parents=True)
    (project / "src" / "main.c").write_text("int main(void) { return 0; }\n")
    subprocess.run([ken, "index", project], env=env, check=True, capture_output=True)
    return project


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, argv, cwd, env):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execvpe(argv[0], argv, env)
        self.seen = ""

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait_for(self, pattern):
        """True when what the shell prints from now on fits `pattern` in time."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if re.search(pattern, self.seen):
                self.seen = ""
                return True
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 65536).decode(errors="replace")
                except OSError:
                    break
        return False

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def completes(shell, typed, wanted):
    """Types, presses TAB, and has the shell show the line as it is now."""
    shell.type(typed + "\t")
    shell.type("\x01echo '<\x05>'\n")  # to the start of the line, and to its end
    wanted = re.escape(wanted.rstrip("/")) + ("/?" if wanted.endswith("/") else "")  # zsh takes a last "/" away
    ok = shell.wait_for(rf"\n<{wanted}\\? ?>")
    if not ok:
        print(f"  '{typed}' became:\n{shell.seen}")
    return ok


def run_interactive(argv, setup, cwd, env):
    shell = Shell(argv, cwd, env)
    shell.type(setup + "; echo re''ady\n")
    failed = [] if shell.wait_for("ready") else ["start"]
    for typed, wanted in [] if failed else CASES:
        if not completes(shell, typed, wanted):
            failed.append(typed)
            break
    shell.type("\x03exit\n")
    shell.close()
    return failed


def bash(cwd, env):
    setup = "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; source <(ken completion bash)"
    return run_interactive(["bash", "--norc", "--noprofile", "-i"], setup, cwd, env)


def zsh(cwd, env):
    setup = "unsetopt zle_bracketed_paste; bindkey -e; autoload -Uz compinit; compinit -u -D; source <(ken completion zsh)"
    return run_interactive(["zsh", "-f", "-i"], setup, cwd, env)


def fish(cwd, env):
    failed = []
    for typed, wanted in CASES:
        script = f"ken completion fish | source; complete -C '{typed}'"
        r = subprocess.run(["fish", "--no-config", "-c", script], cwd=cwd, env=env, text=True, capture_output=True,
                           check=False)
        words = [line.split("\t")[0] for line in r.stdout.splitlines()]
        if wanted.split(" ")[-1] not in words:
            print(f"  '{typed}': {r.stdout}{r.stderr}")
            failed.append(typed)
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ken", required=True, type=pathlib.Path)
    ken = parser.parse_args().ken.resolve()
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "bin").mkdir()
        (folder / "bin" / "ken").symlink_to(ken)
        env = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": scratch, "TERM": "xterm",
               "KEN_DATA_DIR": f"{scratch}/data", "XDG_CONFIG_HOME": f"{scratch}/config", "LC_ALL": "C.UTF-8",
               "COLUMNS": "200"}
        project = make_tree(ken, folder, env)
        for name, run in (("bash", bash), ("zsh", zsh), ("fish", fish)):
            if not shutil.which(name):
                print(f"{name}: not here, passed over")
                continue
            failed = run(project, env)
            print(f"{name}: {'failed at ' + ', '.join(failed) if failed else str(len(CASES)) + ' lines completed'}")
            bad += bool(failed)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
