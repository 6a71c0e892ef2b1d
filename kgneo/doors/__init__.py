"""Doors: ways into kgneo for other programs. Each is a thin file; what it needs besides kgneo is an extra."""
