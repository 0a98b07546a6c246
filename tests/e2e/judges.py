"""Python packages that judge the runtime's work, in a virtual environment of their own under build/."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def enter_environment(name: str):
    """Goes on in build/judges_<name>, which holds what requirements-<name>.txt lists. Tests that share it wait for each
    other while it is made; a stamp, written last, tells a whole one."""
    requirements = REPOSITORY / f"tests/e2e/requirements-{name}.txt"
    folder = REPOSITORY / f"build/judges_{name}"
    python = folder / "bin/python"
    stamp = folder / "stamp"
    wanted = f"{folder}\n{requirements.read_text()}"
    folder.parent.mkdir(exist_ok=True)
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements],
                           check=True, env={key: value for key, value in os.environ.items() if key != "PIP_FIND_LINKS"})
            stamp.write_text(wanted)
    if Path(sys.prefix) != folder:
        os.execv(python, [python, *sys.argv])
