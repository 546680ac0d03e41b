"""A real S3-compatible server on loopback, in a process of its own, and files put into it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyarrow import fs

KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "us-east-1"}
"""What the server takes for credentials; it takes any."""

_SERVE = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
server.stop()
"""


@contextmanager
def served() -> Iterator[str]:
    """Gives the server's ``host:port``."""
    environment = {**os.environ, **KEYS}
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", _SERVE],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True,
    ) as server:  # fmt: skip
        try:
            assert server.stdout is not None
            port = server.stdout.readline().strip()
            assert port, "the server did not start"
            yield f"127.0.0.1:{port}"
        finally:
            assert server.stdin is not None
            server.stdin.close()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                os.kill(server.pid, signal.SIGKILL)


def put(address: str, folder: Path, bucket: str) -> str:
    """Uploads all files of ``folder`` to ``bucket`` under its name. Returns what the address's query must be."""
    store = fs.S3FileSystem(
        access_key=KEYS["AWS_ACCESS_KEY_ID"], secret_key=KEYS["AWS_SECRET_ACCESS_KEY"],
        endpoint_override=address, scheme="http", region="us-east-1",
        allow_bucket_creation=True,
    )  # fmt: skip
    store.create_dir(bucket)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            key = f"{bucket}/{folder.name}/{path.relative_to(folder).as_posix()}"
            with store.open_output_stream(key) as out:
                out.write(path.read_bytes())
    return f"?endpoint_override={address}&scheme=http&region=us-east-1"
