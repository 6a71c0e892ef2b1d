"""How to install what an extra of kgneo brings, from where this kgneo was installed: a clone, a wheel or an index."""

from __future__ import annotations

import json
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from urllib.parse import urlsplit
from urllib.request import url2pathname


def how_to_install(extra: str) -> str:
    """A sentence with a command that can be pasted."""
    return f"Install it with: {_installer()} {_requirement(extra)}"


def _installer() -> str:
    return "pip install" if find_spec("pip") else f"uv pip install --python {sys.executable}"


def _requirement(extra: str) -> str:
    """What to ask an installer for. An installation from elsewhere than an index keeps its address (PEP 610)."""
    origin = _origin()
    address = str(origin.get("url", ""))
    if "vcs_info" in origin:
        return f"'kgneo[{extra}] @ {origin['vcs_info']['vcs']}+{address}'"
    if not address.startswith("file:"):
        return f"'kgneo[{extra}]'"
    path = url2pathname(urlsplit(address).path)
    editable = origin.get("dir_info", {}).get("editable", False)
    return f"{'--editable ' if editable else ''}'{path}[{extra}]'"


def _origin() -> dict[str, dict[str, str]]:
    try:
        text = distribution("kgneo").read_text("direct_url.json")
    except PackageNotFoundError:
        return {}
    found = json.loads(text) if text else {}
    return found if isinstance(found, dict) else {}
