"""Stands in for `kgneo.llm.try_model`: ends as KGNEO_TEST_CRASH says, a signal's name for each way of loading.

"SIGSEGV" crashes with repacked weights only, "SIGSEGV SIGABRT" with them and without.
"""

from __future__ import annotations

import json
import os
import signal
import sys

if __name__ == "__main__":
    crashes = os.environ["KGNEO_TEST_CRASH"].split()
    repacked = json.loads(sys.argv[1])["repacked"]
    if repacked or len(crashes) > 1:
        print("ggml.c:1: what went wrong", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.Signals[crashes[0 if repacked else 1]])
    print("null")
