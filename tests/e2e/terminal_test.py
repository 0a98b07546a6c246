#!/usr/bin/env python3
"""terminal_test.py SCAFFOLD: `scaffold new-project` on a real terminal asks, explains a bad answer, asks again, and writes what was said;
Ctrl-D and Ctrl-C leave nothing behind."""

import json
import os
import pty
import sys
import tempfile
from pathlib import Path


class Terminal:
    """A program on a pseudo-terminal of its own."""

    def __init__(self, folder, *command):
        self.output = ""
        self.process, self.screen = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execv(command[0], command)

    def read_until(self, text):
        """Reads on until `text` comes, or, for None, until the program ends."""
        seen = ""
        while text is None or text not in seen:
            try:
                piece = os.read(self.screen, 4096).decode()
            except OSError:  # Linux's way to say that the other side is closed
                piece = ""
            if not piece:
                assert text is None, f"the program ended before it said {text!r}:\n{self.output}{seen}"
                break
            seen += piece
        self.output += seen

    def answer(self, question, text):
        self.read_until(question)
        os.write(self.screen, text.encode())

    def exit_code(self):
        self.read_until(None)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def test_asks_and_writes(scaffold, folder):
    terminal = Terminal(folder, scaffold, "new-project", "--cuda", "--no-git")
    terminal.answer("name [", "a/b\n")
    terminal.answer("name [", "asked\n")
    terminal.answer("task [", "2\n")  # by its number
    terminal.answer("data [", "\n")
    terminal.answer("with_example [", "perhaps\n")
    terminal.answer("with_example [", "n\n")
    terminal.answer("summary [", "Says \u00fc.\n")
    terminal.answer("tensorrt [", "\n")
    terminal.answer("cloud [", "slurm,skypilot\n")
    terminal.answer("namespace [", "x-y\n")
    terminal.answer("namespace [", "mine\n")
    terminal.answer("author [", "Ada\n")
    terminal.answer("licence [", "mti\n")
    terminal.answer("licence [", "MIT\n")
    assert terminal.exit_code() == 0, terminal.output
    answers = json.loads((folder / "asked/.scaffold.json").read_text())["answers"]
    expected = {"task": "regression", "data": "csv", "with_example": False, "summary": "Says \u00fc.", "cuda": True, "tensorrt": False,
                "cloud": ["slurm", "skypilot"], "namespace": "mine", "author": "Ada", "licence": "MIT"}
    assert answers == expected, answers
    assert "Train on NVIDIA" not in terminal.output, "what a flag has said is not asked"
    assert "To begin:" in terminal.output, terminal.output


def test_leaves_nothing_behind(scaffold, folder):
    for key, name in (("\x04", "Ctrl-D"), ("\x03", "Ctrl-C")):
        terminal = Terminal(folder, scaffold, "new-project", "given_up")
        terminal.answer("task [", "1\n")
        terminal.answer("data [", key)
        assert terminal.exit_code() != 0, f"{name}: {terminal.output}"
        assert not any(folder.iterdir()), f"{name}: {list(folder.iterdir())}"


def main():
    scaffold = str(Path(sys.argv[1]).resolve())
    for test in (test_asks_and_writes, test_leaves_nothing_behind):
        with tempfile.TemporaryDirectory() as folder:
            test(scaffold, Path(folder))
        print(f"{test.__name__} passes")


main()
