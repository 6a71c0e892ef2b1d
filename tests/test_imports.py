"""The map of the package: which module imports which, and what no module may import.

Imports that only type checkers see and imports inside functions count like any other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

KGNEO = Path(__file__).resolve().parent.parent / "kgneo"
Imports = Mapping[str, frozenset[str]]


@cache
def files() -> dict[str, Path]:
    """The files of the package by their modules' names."""
    found = {}
    for file in KGNEO.rglob("*.py"):
        parts = ("kgneo", *file.relative_to(KGNEO).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


@cache
def imports() -> Imports:
    """For each module of the package those that it imports."""
    return {
        module: frozenset(imported(ast.parse(file.read_text(encoding="utf-8")))) - {module}
        for module, file in files().items()
    }


def imported(tree: ast.Module) -> Iterator[str]:
    """The package's modules that a module names: `from kgneo.graph import walks` is about `kgneo.graph.walks`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files())
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield from (name for name in (inner, node.module or "") if name in files())


def circle(graph: Imports) -> list[str]:
    """Modules that import each other in a circle, from one round to the same again; none, where there is none."""
    done: set[str] = set()

    def search(module: str, way: list[str]) -> list[str]:
        if module in way:
            return [*way[way.index(module) :], module]
        if module in done:
            return []
        found = next((found for name in sorted(graph[module]) if (found := search(name, [*way, module]))), [])
        done.add(module)
        return found

    return next((found for module in sorted(graph) if (found := search(module, []))), [])


def importers(of: str, *, inside: str = "kgneo", outside: tuple[str, ...] = ()) -> list[str]:
    """The modules of `inside`, but not of `outside`, that import something of the package `of`."""
    return sorted(
        module
        for module, names in imports().items()
        if belongs(module, inside)
        and not any(belongs(module, other) for other in (of, *outside))
        and any(belongs(name, of) for name in names)
    )


def belongs(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def test_a_circle_is_found() -> None:
    graph = {"a": frozenset({"b"}), "b": frozenset({"c", "d"}), "c": frozenset({"b"}), "d": frozenset[str]()}
    assert circle(graph) == ["b", "c", "b"]
    assert circle({**graph, "c": frozenset({"d"})}) == []


def test_imports_that_only_type_checkers_see_count() -> None:
    text = "if TYPE_CHECKING:\n    from kgneo.graph import cypher\ndef f():\n    import kgneo.model\n"
    assert {"kgneo.graph.cypher", "kgneo.model"} <= set(imported(ast.parse(text)))


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(imports()) == []


@pytest.mark.parametrize("package", ["kgneo.english", "kgneo.query", "kgneo.ranking", "kgneo.reading"])
@pytest.mark.parametrize("outside", ["kgneo.graph", "kgneo.llm", "kgneo.encoders"])
def test_reading_a_question_needs_neither_graph_nor_model(package: str, outside: str) -> None:
    assert importers(outside, inside=package) == []


def test_the_product_does_not_import_the_evaluation() -> None:
    assert importers("kgneo.evaluation", outside=("kgneo.cli.eval",)) == []
