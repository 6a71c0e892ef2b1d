"""The page in headless Chromium: a question is asked, understood and corrected, by keyboard alone; nothing in a text
becomes markup.

The screenshots in docs/ are made by these tests when KGNEO_SCREENSHOTS names a folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kgneo.context import Context
from kgneo.llm.scripted import ScriptedModel
from kgneo.serve.application import page_folder, page_paths
from tests.serving import client, listening

WAIT = 60
CSS = "css selector"
HOSTILE = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>'
ANSWER = """{answer: name, answers: [name + ': 3', 'b: 40'], answer_nodes: [], entities: [], steps: [],
  warnings: [name], evidence: [{subject: name, relation: name, object: name}], cypher: name, cypher_parameters: {},
  browser: 'javascript:1'}"""


@pytest.fixture(scope="module")
def address(sample_context: Context) -> Iterator[str]:
    with listening(sample_context) as found:
        yield found


@pytest.fixture
def page(chromium: Any, address: str) -> Any:
    """The page, ready to ask on."""
    chromium.set_window_size(1300, 1000)
    chromium.get(address)
    chromium.execute_script("localStorage.clear()")
    until(chromium, lambda: texts(chromium, "#examples button"))
    return chromium


def until(page: Any, ready: Callable[[], Any]) -> Any:
    """What `ready` gives once it is true."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(page, WAIT, poll_frequency=0.05).until(lambda _: ready())


def texts(page: Any, selector: str) -> list[str]:
    script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)"
    found: list[str] = page.execute_script(script, selector)
    return found


def ask(page: Any, question: str) -> None:
    """Ask and wait for the readings, which come last."""
    field = page.find_element(CSS, "#question")
    field.clear()
    field.send_keys(question + "\n")
    until(page, lambda: texts(page, "#readings li"))


def shoot(page: Any, name: str) -> None:
    if folder := os.environ.get("KGNEO_SCREENSHOTS"):
        assert page.save_screenshot(str(Path(folder) / name))


def test_a_question_is_completed_asked_and_answered_by_keyboard_alone(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    field = page.find_element(CSS, "#question")
    field.send_keys("which seas do the rivers of germa")
    until(page, lambda: texts(page, "#names li[id='name-0']") == ["Germany · Country"])
    field.send_keys(Keys.ARROW_DOWN, Keys.ENTER, " flow into?", Keys.ENTER)
    assert field.get_attribute("value") == "which seas do the rivers of [Germany] flow into?"
    until(page, lambda: texts(page, "#readings li"))
    assert sorted(texts(page, ".answer")[0].split(", ")) == ["Baltic Sea", "Black Sea", "North Sea"]
    assert "river that flows through Germany" in texts(page, "#result .quiet")[0]
    assert texts(page, "#stages li")[-1] == "Answering"
    assert page.execute_script("return document.querySelector('.picture').picture.drawing.edges().length") == 8
    page.set_window_size(1300, 1350)
    page.execute_script("scrollTo(0, 0)")
    shoot(page, "serve-answer.png")


def test_a_reading_is_changed_and_run_again(page: Any) -> None:
    from selenium.webdriver.support.ui import Select

    ask(page, "which seas do the rivers of [Germany] flow into?")
    page.find_element(CSS, "#readings li button[aria-label^='Change']").click()
    Select(page.find_element(CSS, "#readings select[aria-label='Asked for']")).select_by_value("x1")
    page.find_element(CSS, "#readings button[aria-label='Drop: flows_into']").click()
    page.execute_script("document.querySelector('#readings').scrollIntoView()")
    shoot(page, "serve-reading.png")
    page.find_element(CSS, ".run-changed").click()
    until(page, lambda: "Understood as: what flows through Germany" in " ".join(texts(page, "#result .quiet")))
    assert "Rhine" in texts(page, ".answer")[0]


def test_a_claim_is_verified_and_its_evidence_drawn(page: Any) -> None:
    page.find_element(CSS, "#question").send_keys("The capital of [Ethiopia] is [Addis Ababa].")
    page.find_element(CSS, "#verify").click()
    until(page, lambda: texts(page, ".answer"))
    assert texts(page, ".answer")[0].startswith("supported")
    assert page.execute_script("return document.querySelector('.picture').picture.drawing.edges().length") >= 1


def test_a_name_that_is_not_found_offers_the_nearest(page: Any) -> None:
    page.find_element(CSS, "#question").send_keys("what is the capital of [Ethopia]?\n")
    until(page, lambda: "Ethiopia" in texts(page, "#error button"))
    page.find_element(CSS, "#error button").click()
    assert page.find_element(CSS, "#question").get_attribute("value").endswith("[Ethiopia]")


def test_a_node_shows_what_is_around_it(page: Any) -> None:
    ask(page, "what is the capital of [Ethiopia]?")
    page.find_element(CSS, "button[aria-label^='Ethiopia: show']").click()
    until(page, lambda: texts(page, "h3") == ["Ethiopia : Country"])
    assert page.execute_script("return document.querySelector('.picture').picture.drawing.nodes().length") > 2


def test_the_history_stays_in_the_browser(page: Any) -> None:
    ask(page, "what is the capital of [Ethiopia]?")
    page.refresh()
    until(page, lambda: texts(page, "#examples button"))
    page.find_element(CSS, "#history summary").click()
    assert texts(page, "#asked button") == ["what is the capital of [Ethiopia]?"]
    page.find_element(CSS, "#clear-history").click()
    assert texts(page, "#asked li") == []


def test_the_graph_is_shown_with_its_counts(page: Any) -> None:
    page.find_element(CSS, "#view-graph").click()
    until(page, lambda: texts(page, "#graph-view canvas"))
    assert "231 nodes, 327 relationships" in texts(page, "#graph-view p")[0]
    shoot(page, "serve-graph.png")


def test_no_text_becomes_markup(page: Any) -> None:
    script = "const [name, done] = arguments; import('/result.js').then((module) => {"
    script += (
        f"const parts = module.show({ANSWER}, () => {{}}); document.querySelector('#result').replaceChildren(...parts);"
    )
    script += "for (const part of parts) part.drawn?.(); document.querySelector('#result').hidden = false; done(); })"
    page.execute_async_script(script, HOSTILE)
    page.find_element(CSS, "#question").send_keys(f"[{HOSTILE}]?\n")
    until(page, lambda: HOSTILE in "".join(texts(page, "#error")))
    found = page.execute_script(
        "return [document.images.length, document.querySelectorAll('main script').length, window.broken]"
    )
    assert found == [0, 0, None]
    assert page.execute_script("return document.querySelectorAll('a[href^=javascript]').length") == 0


def draw(page: Any, triples: int) -> None:
    """The evidence of an answer that has so many triples, three to a branch."""
    script = """const [count, done] = arguments; import('/result.js').then((module) => {
      const name = (number) => (number % 3 ? `thing ${number}` : `branch ${number / 3}`);
      const evidence = Array.from({ length: count }, (_, number) => ({ relation: 'leads_to', object: name(number),
        subject: number % 3 ? name(number - (number % 3)) : 'root' }));
      const answer = { answer: 'thing 1', answers: ['thing 1'], answer_nodes: [], entities: [{ name: 'root' }],
        steps: [], warnings: [], evidence, cypher: null, cypher_parameters: {}, more: 0 };
      const parts = module.show(answer, console.error);
      document.querySelector('#result').replaceChildren(...parts);
      document.querySelector('#result').hidden = false;
      for (const part of parts) part.drawn?.();
      done(); })"""
    page.execute_async_script(script, triples)


def test_no_name_lies_over_another_in_a_picture_of_300_triples(page: Any) -> None:
    draw(page, 300)
    page.find_element(CSS, ".columns ~ .row button").click()
    page.execute_script("document.querySelector('.picture').scrollIntoView()")
    shoot(page, "serve-300.png")
    # Names are turned like the spokes of a wheel: what one may be high is how far two of a ring stand apart.
    script = """const nodes = document.querySelector('.picture').picture.drawing.nodes().toArray();
      const places = nodes.map((node) => ({ ...node.position(), size: parseFloat(node.style('font-size')),
        turned: node.style('text-rotation') !== 'none' })).filter(({ x, y }) => Math.hypot(x, y) > 1);
      const radius = ({ x, y }) => Math.round(Math.hypot(x, y));
      return places.every((one) => one.turned && places.every((other) => one === other || radius(one) !== radius(other)
        || Math.hypot(one.x - other.x, one.y - other.y) > one.size));"""
    assert page.execute_script(script) is True


def test_the_query_graph_is_changed_by_keyboard_alone(page: Any) -> None:
    from selenium.webdriver.support.ui import Select

    ask(page, "which seas do the rivers of [Germany] flow into?")
    page.find_element(CSS, "#readings li button[aria-label^='Change']").click()
    chosen = page.find_element(CSS, "#readings select[aria-label='Relationship type']")
    chosen.send_keys("")
    Select(chosen).select_by_value("rises_in")
    focused = page.switch_to.active_element
    assert (focused.get_attribute("aria-label"), focused.get_attribute("value")) == ("Relationship type", "rises_in")


def test_a_language_model_is_chosen_for_the_strategies_that_have_one(chromium: Any, sample_context: Context) -> None:
    from selenium.webdriver.support.ui import Select

    models = {name: ScriptedModel(lambda *_, said=name: said, name=name) for name in ("one", "two")}
    with listening(replace(sample_context, model=models["one"]), models=models) as address:
        chromium.get(address)
        until(chromium, lambda: texts(chromium, "#examples button"))
        model = chromium.find_element(CSS, "#model")
        Select(chromium.find_element(CSS, "#strategy")).select_by_value("paths")
        assert not model.is_displayed()
        Select(chromium.find_element(CSS, "#strategy")).select_by_value("llm")
        Select(model).select_by_value("two")
        chromium.find_element(CSS, "#question").send_keys("who directed it?\n")
        until(chromium, lambda: texts(chromium, ".answer") == ["two"])


def test_groups_have_bars_and_a_spreadsheet_no_formulas(page: Any) -> None:
    script = "const [name, done] = arguments; import('/result.js').then((module) => done("
    script += f"module.show({ANSWER}, () => {{}}).map((part) => part.querySelectorAll('.bar').length)))"
    assert sum(page.execute_async_script(script, "a")) == 2
    script = "const done = arguments[0]; import('/dom.js').then((module) => done(module.csv([['=1+1', '-2', 'a\"b']])))"
    assert page.execute_async_script(script) == '"\'=1+1","-2","a""b"\r\n'


def test_everything_comes_from_the_server_and_its_policy_is_kept(page: Any, address: str) -> None:
    page.get_log("browser")
    page.refresh()
    until(page, lambda: texts(page, "#examples button"))
    ask(page, "what is the capital of [Ethiopia]?")
    loaded = page.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert [name for name in loaded if not name.startswith(address)] == []
    assert [entry["message"] for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_every_control_has_a_name_and_headings_have_order(page: Any) -> None:
    ask(page, "what is the capital of [Ethiopia]?")
    page.find_element(CSS, "#readings li button[aria-label^='Change']").click()
    script = """return [...document.querySelectorAll('button, input, select, textarea, a, [role=img], [role=region]')]
      .filter((one) => !(one.getAttribute('aria-label') || one.labels?.length || one.textContent.trim()))
      .map((one) => one.outerHTML)"""
    assert page.execute_script(script) == []
    assert page.execute_script("return [document.title, document.documentElement.lang]") == ["kgneo", "en"]


def test_a_phone_needs_no_scrolling_sideways(page: Any) -> None:
    page.set_window_size(500, 900)  # the narrowest that this browser has
    page.execute_script("document.body.style.width = '390px'")
    ask(page, "which seas do the rivers of [Germany] flow into?")
    wide = "return [...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > 391"
    wide += " && !one.closest('.scroll, pre, .picture')).map((one) => one.outerHTML.slice(0, 80))"
    assert page.execute_script(wide) == []
    shoot(page, "serve-phone.png")


def test_colours_follow_the_choice(page: Any) -> None:
    def paper() -> str:
        return str(page.execute_script("return getComputedStyle(document.body).backgroundColor"))

    switch = page.find_element(CSS, "#theme")
    switch.click()
    assert paper() == "rgb(255, 255, 255)"
    switch.click()
    assert paper() == "rgb(20, 24, 29)"
    assert switch.get_attribute("aria-label") == "Colours: dark"
    ask(page, "which seas do the rivers of [Germany] flow into?")
    page.set_window_size(1300, 1350)
    shoot(page, "serve-dark.png")


def test_right_to_left_text_keeps_its_direction(page: Any) -> None:
    field = page.find_element(CSS, "#question")
    field.send_keys("ما هي عاصمة [إثيوبيا]؟")
    assert page.execute_script("return getComputedStyle(arguments[0]).direction", field) == "rtl"


def test_the_page_asks_for_the_token_and_uses_it(chromium: Any, sample_context: Context) -> None:
    with listening(sample_context, token="sesame") as address:  # noqa: S106
        chromium.get(address)
        field = until(chromium, lambda: chromium.find_element(CSS, "#token"))
        until(chromium, field.is_displayed)
        field.send_keys("sesame\n")
        until(chromium, lambda: texts(chromium, "#examples button"))
        chromium.execute_script("sessionStorage.clear()")
        chromium.get(f"{address}/?again#token=sesame")
        until(chromium, lambda: texts(chromium, "#examples button"))
        assert "sesame" not in chromium.current_url


def test_the_page_has_less_than_600_kilobytes(sample_context: Context) -> None:
    with client(sample_context) as talking:
        responses = [talking.get(path) for path in page_paths() if path != "/index.html"]
    assert sum(len(response.content) for response in responses) <= 600_000
    assert {response.status_code for response in responses} == {200}


def test_the_page_names_no_other_server() -> None:
    ours = [file for file in page_folder().iterdir() if not file.name.startswith("cytoscape")]
    for file in ours:
        text = file.read_text(encoding="utf-8")
        assert "innerHTML" not in text
        assert [line for line in text.splitlines() if "//" in line and "http" in line and "www.w3.org" not in line] == [
            line for line in text.splitlines() if "https?:" in line
        ]
