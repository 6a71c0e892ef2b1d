"""Neo4j Browser in headless Chromium: log in through a link of ours, run the query of an answer, see its graph.

The screenshot in docs/ is made by this test when KGNEO_SCREENSHOTS names a folder.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph import Graph
from kgneo.graph.browser import browser_link
from kgneo.graph.cypher import inline
from kgneo.server import RunningServer

WAIT = 120


def test_the_graph_of_an_answer_is_seen_in_browser(
    graph: Graph, server: RunningServer, encoder: OnnxEncoder, chromium: Any, tmp_path: Path
) -> None:
    from selenium.common import exceptions
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    if not server.http_url:
        pytest.skip("the server is no local one, whose Neo4j Browser is known")
    graph.write(
        "CREATE (q:Company {title: 'Quill'}) "
        "FOREACH (name IN ['Elif Aydın', 'Florence Adeyemi', 'Lucía Fernández'] | "
        "CREATE (:Person {fullName: name})-[:WORKED_AT {since: 2019}]->(q))"
    )
    answer = ask(open_context(graph, encoder=encoder), "who works at [Quill]?")
    assert len(answer.answers) == 3
    link = browser_link(graph, inline(answer.picture or "", dict(answer.cypher_parameters)))
    assert server.password not in link
    # Browser draws its log-in form several times while it starts: what was typed in one may be gone in the next.
    redrawn = (
        exceptions.NoSuchElementException,
        exceptions.StaleElementReferenceException,
        exceptions.ElementNotInteractableException,
        exceptions.ElementClickInterceptedException,
        exceptions.TimeoutException,
    )
    wait = WebDriverWait(chromium, WAIT, ignored_exceptions=redrawn)

    def click(page: Any, selector: str) -> bool:
        page.find_element(By.CSS_SELECTOR, selector).click()
        return True

    def log_in(page: Any) -> bool:
        field = page.find_element(By.CSS_SELECTOR, "input[type='password']")
        field.clear()
        field.send_keys(server.password)
        click(page, "[data-testid='connect']")
        waiting = "[data-testid='disconnectedBanner'], [data-testid='password']"
        WebDriverWait(page, WAIT / 4).until(lambda page: not page.find_elements(By.CSS_SELECTOR, waiting))
        return True

    chromium.get(link)
    wait.until(log_in)
    wait.until(lambda page: "MATCH" in page.find_element(By.CSS_SELECTOR, "[data-testid='activeEditor']").text)
    wait.until(lambda page: click(page, "[data-testid='editor-Run']"))
    wait.until(lambda page: len(page.find_elements(By.CSS_SELECTOR, "svg g.node")) == 4)
    wait.until(lambda page: "WORKED_AT" in page.find_element(By.TAG_NAME, "body").text)
    folder = Path(os.environ.get("KGNEO_SCREENSHOTS") or tmp_path)
    assert chromium.save_screenshot(str(folder / "neo4j-browser.png"))
