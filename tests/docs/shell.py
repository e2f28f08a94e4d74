"""A shell in which the commands of a page are run one after the other, and the servers that they start."""

import os
import pty
import signal
import subprocess
import termios
import time
from pathlib import Path

PATIENCE = 90  # seconds; nothing on a page takes nearly as long


class Shell:
    """One bash, so that variables, folders and background jobs stay from one command to the next."""

    def __init__(self, folder, environment):
        self.folder = Path(folder)
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"], cwd=self.folder / "work", env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )
        self.person, self.terminal = pty.openpty()
        self.count = 0

    def run(self, command, answer=None):
        """The exit code, and the files that both outputs go to. A command that goes to the background is given time to listen."""
        self.count += 1
        out, err = self.folder / f"{self.count}.out", self.folder / f"{self.count}.err"
        before = listening()
        stdin = "/dev/null"
        if answer is not None:
            termios.tcflush(self.terminal, termios.TCIFLUSH)
            os.write(self.person, f"{answer}\n".encode())
            stdin = os.ttyname(self.terminal)
        self.process.stdin.write(f"{{\n{command}\n}} < {stdin} > {out} 2> {err}\nprintf '%d\\n' $?\n")
        self.process.stdin.flush()
        line = self.answer()
        if is_background(command):
            wait_until(lambda: listening() - before, f"{command}: does not listen")
        return int(line), out, err

    def answer(self):
        """The line that says how a command ended; a command that does not end is ended."""
        alarm = signal.signal(signal.SIGALRM, too_long)
        signal.alarm(PATIENCE)
        try:
            line = self.process.stdout.readline()
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, alarm)
        if not line:
            raise RuntimeError("the shell ended")
        return line

    def stop_jobs(self):
        """Ends what runs in the background."""
        self.run("kill $(jobs -p) 2> /dev/null; wait; true")

    def close(self):
        """Ends the shell and all that it started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.person)
        os.close(self.terminal)


def is_background(command):
    return command.split("#")[0].rstrip().endswith("&")


def listening():
    """The ports on which a process listens."""
    ports = set()
    for table in ["/proc/net/tcp", "/proc/net/tcp6"]:
        rows = Path(table).read_text().splitlines()[1:] if Path(table).exists() else []
        fields = [row.split() for row in rows]
        ports |= {field[1] for field in fields if field[3] == "0A"}
    return ports


def wait_until(is_so, otherwise):
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            raise RuntimeError(otherwise)
        time.sleep(0.02)


def too_long(*_):
    raise RuntimeError(f"it takes longer than {PATIENCE} seconds")
