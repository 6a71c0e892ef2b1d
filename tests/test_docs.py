"""The documentation as a site: every page has a place, and pages grow neither longer nor harder to read.

`python -m tests.test_docs` lowers the bounds of `docs_bounds.json` to what the pages have now; with --raise they become
that in any case, which is to be a decision, and is seen in the difference.
"""

from __future__ import annotations

import json
import re
import sys
from math import ceil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BOUNDS = Path(__file__).with_name("docs_bounds.json")
GENERATED = {"commands.md", "kg-rag-transcript.md"}
"""Pages that nobody writes."""
WORDS, GRADES = 100, 0.5
"""Steps of the bounds: a corrected sentence is no change of them."""
PAGES = [ROOT / "README.md", *sorted(path for path in ROOT.glob("docs/*.md") if path.name not in GENERATED)]


def prose(text: str) -> str:
    """The sentences of a page: without code, tables, headings, and addresses of links."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    lines = (line for line in text.splitlines() if not re.match(r"\s*(?:\||#|:::|    |!\[)", line))
    text = re.sub(r"\]\([^)]*\)", "]", "\n".join(lines))
    text = re.sub(r"`[^`]*`", "it", text)
    return re.sub(r"^\s*(?:[-*]|\d+\.)\s+", ". ", text, flags=re.MULTILINE)


def syllables(word: str) -> int:
    """About how many a word has: groups of vowels, without a silent e."""
    return max(1, len(re.findall(r"[aeiouy]+", re.sub(r"(?<=[^l])e$", "", word.lower()))))


def grade(text: str) -> float:
    """The years of school that a text asks for (Kincaid et al. 1975)."""
    sentences = [words for part in re.split(r"[.:;!?]\s", prose(text)) if (words := re.findall(r"[A-Za-z']+", part))]
    words = [word for sentence in sentences for word in sentence]
    if not words:
        return 0.0
    return 0.39 * len(words) / len(sentences) + 11.8 * sum(map(syllables, words)) / len(words) - 15.59


def measured(path: Path) -> dict[str, float]:
    """Words and grade of a page."""
    text = path.read_text(encoding="utf-8")
    return {"words": len(text.split()), "grade": round(grade(text), 1)}


def bounds() -> dict[str, dict[str, float]]:
    """What each page may have."""
    found: dict[str, dict[str, float]] = json.loads(BOUNDS.read_text(encoding="utf-8"))
    return found


def bounded(path: Path) -> dict[str, float]:
    """The bounds of a page as it is now."""
    now = measured(path)
    return {"words": ceil(now["words"] / WORDS) * WORDS, "grade": ceil(now["grade"] / GRADES) * GRADES}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_grows_neither_longer_nor_harder(path: Path) -> None:
    most, now = bounds()[path.name], measured(path)
    assert now["words"] <= most["words"], "Cut words, or: python -m tests.test_docs --raise"
    assert now["grade"] <= most["grade"], "Shorten sentences, or: python -m tests.test_docs --raise"


def test_hard_sentences_have_a_higher_grade_than_easy_ones() -> None:
    easy = "The dog runs. The cat sits. I see it."
    hard = (
        "Notwithstanding considerable institutional opposition, administrators subsequently authorised experimentation."
    )
    assert grade(easy) < 3 < 12 < grade(hard)
    assert grade(easy + "\n```sh\nincomprehensibilities\n```\n| multitudinous | cell |\n") == grade(easy)


def test_every_page_has_a_place_in_the_site() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    listed = re.findall(r"([\w-]+\.md)$", navigation, flags=re.MULTILINE)
    assert sorted(listed) == sorted(path.name for path in ROOT.glob("docs/*.md"))


def test_the_site_needs_nothing_from_elsewhere() -> None:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "font: false" in settings
    assert not re.search(r"extra_(?:javascript|css):|https?://", settings)


if __name__ == "__main__":
    before = bounds() if BOUNDS.exists() and "--raise" not in sys.argv else {}
    new = {path.name: bounded(path) for path in PAGES}
    for name, most in before.items():
        if name in new:
            new[name] = {key: min(value, most[key]) for key, value in new[name].items()}
    BOUNDS.write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")
