"""The page in headless Chromium: a thread of questions that are asked, understood and corrected, by keyboard alone;
nothing in a text becomes markup.

The screenshots in docs/ are made by these tests when KGNEO_SCREENSHOTS names a folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.hand_made import GRAPHS, fill
from kgneo.asking.question import open_context
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph import Graph
from kgneo.llm.scripted import ScriptedModel
from kgneo.serve.application import page_folder, page_paths
from tests.conftest import load_orders, on_one_version
from tests.serving import client, listening, loading_application, running

WAIT = 60
CSS = "css selector"
SEAS = "which seas do the rivers of [Germany] flow into?"
CAPITAL = "what is the capital of [Ethiopia]?"
HOSTILE = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>'
EMPTY = """{answer_nodes: [], counted: [], entities: [], steps: [], warnings: [], cypher: null, cypher_parameters: {},
  unused: [], choices: [], how: [], more: 0, nearest: [], missing: [], grounded: true, outcome: 'answer'"""
COUNT = """window.acts = 0;
  const letter = (event) => event.target.id === 'question' && event.key?.length === 1;
  for (const kind of ['click', 'keydown']) {
    addEventListener(kind, (event) => { window.acts += Number(event.isTrusted && !letter(event)); }, true);
  }"""
"""Counts what a person does in `acts`, but for the letters of a question."""
LATER = ("vega.min.js", "vega-lite.min.js", "vega-interpreter.min.js", "load.js", "preview.js")


@pytest.fixture(scope="module")
def address(sample_context: Context) -> Iterator[str]:
    with listening(sample_context, name="sample") as found:
        yield found


@pytest.fixture
def page(chromium: Any, address: str) -> Any:
    """The page, ready to ask on."""
    chromium.set_window_size(1300, 1000)
    chromium.get(f"{address}/?new")
    chromium.execute_script("localStorage.clear(); sessionStorage.clear()")
    chromium.get(address)
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


def click(page: Any, selector: str, text: str = "") -> None:
    """Click the last element there, or the last that has that text."""
    script = """const found = [...document.querySelectorAll(arguments[0])];
      found.filter((one) => !arguments[1] || one.innerText === arguments[1]).at(-1).click()"""
    page.execute_script(script, selector, text)


def answers(page: Any) -> list[str]:
    """The answers of the thread, without the numbers of the triples that they cite."""
    script = """return [...document.querySelectorAll('p.answer')].map((one) => { const copy = one.cloneNode(true);
      copy.querySelectorAll('sup').forEach((cited) => cited.remove()); return copy.textContent; })"""
    found: list[str] = page.execute_script(script)
    return found


def ask(page: Any, question: str) -> None:
    """Ask and wait until the card has what came of it."""
    field = page.find_element(CSS, "#question")
    before = len(texts(page, ".card .readings"))
    field.clear()
    field.send_keys(question + "\n")
    until(page, lambda: len(texts(page, ".card .readings")) > before)


def drawn(page: Any) -> None:
    until(page, lambda: page.execute_script("return Boolean(document.querySelector('.card .picture')?.picture)"))


def open_readings(page: Any) -> list[str]:
    click(page, ".readings summary")
    return until(page, lambda: texts(page, ".readings li"))  # type: ignore[no-any-return]


def give(page: Any, answer: str, *values: object) -> None:
    """A card with an answer that no server gave: the fields of `answer`, in which a, b … are the values."""
    names = ", ".join("abc"[: len(values)])
    script = f"const [{names}{', ' if names else ''}done] = arguments; import('/card.js').then(({{ Card }}) => {{"
    script += "const thread = { changed() {}, open() {}, follow() {}, remove() {}, refused() {} };"
    script += f"const card = new Card({{ kind: 'ask', question: a }}, thread, {{ answer: {EMPTY}, {answer} }} }});"
    script += "document.querySelector('#thread').append(card.node); card.node.scrollIntoView(); done(); })"
    page.execute_async_script(script, *values)


def shoot(page: Any, name: str) -> None:
    if folder := os.environ.get("KGNEO_SCREENSHOTS"):
        assert page.save_screenshot(str(Path(folder) / name))


# A question and its answer -------------------------------------------------------------------------------------------


def test_a_question_is_completed_asked_and_answered_by_keyboard_alone(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    field = page.find_element(CSS, "#question")
    field.send_keys("which seas do the rivers of germa")
    until(page, lambda: texts(page, "#names li[id='name-0']") == ["Germany · Country"])
    field.send_keys(Keys.ARROW_DOWN, Keys.ENTER, " flow into?")
    assert field.get_attribute("value") == SEAS
    field.send_keys(Keys.ENTER)
    until(page, lambda: answers(page))
    assert sorted(answers(page)[0].split(", ")) == ["Baltic Sea", "Black Sea", "North Sea"]
    assert "river that flows through Germany" in " ".join(texts(page, ".card .quiet"))
    drawn(page)
    assert page.execute_script("return document.querySelector('.card .picture').picture.drawing.edges().length") == 8
    until(page, lambda: texts(page, ".next button"))
    page.set_window_size(1300, 1250)
    page.execute_script("scrollTo(0, 0)")
    shoot(page, "serve-answer.png")


def test_examples_of_several_forms_were_asked_beforehand(page: Any) -> None:
    until(page, lambda: any(text.startswith("number of") for text in texts(page, "#examples button")))
    assert any(text.startswith("the ") for text in texts(page, "#examples button"))
    click(page, "#examples button")
    until(page, lambda: answers(page))
    assert answers(page)[0] != "not found"


def test_labels_and_relationship_types_are_completed_too(page: Any) -> None:
    page.find_element(CSS, "#question").send_keys("which riv")
    until(page, lambda: "river · label" in texts(page, "#names li"))


def test_an_answer_cites_the_triples_that_name_it(page: Any) -> None:
    ask(page, CAPITAL)
    assert "Addis Ababa" in page.find_element(CSS, ".answer .cite").get_attribute("aria-label")
    click(page, ".answer .cite")
    assert "Addis Ababa" in texts(page, "tr.cited")[0]


def test_what_the_answer_does_not_use_is_marked_in_the_question(page: Any) -> None:
    give(
        page,
        "answer: 'x', answers: ['x'], evidence: [], confidence: 0.6, unused: [b]",
        "who sings it loudly?",
        "loudly",
    )
    assert texts(page, ".card:last-child .word.unused") == ["loudly"]
    assert "medium confidence “loudly” was not used" in " ".join(texts(page, ".card:last-child .quiet"))


def test_a_long_answer_is_told_once_and_stands_in_the_table(page: Any) -> None:
    names = [f"thing {number}" for number in range(40)]
    give(page, "answer: b.join(', '), answers: b, evidence: []", "which things are there?", names)
    assert answers(page) == ["thing 0, thing 1, thing 2, thing 3, thing 4 and 35 more"]
    until(page, lambda: len(texts(page, "[aria-label=Table] tbody tr")) == 25)
    click(page, "[aria-label=Table] .row button", "Next")
    assert texts(page, "[aria-label=Table] tbody tr")[0] == "thing 25"


def test_a_table_is_sorted_and_filtered(page: Any) -> None:
    rows = [[f"thing {number}", number % 7] for number in range(30)]
    give(
        page, "answer: '', answers: ['x', 'y'], evidence: [], table: { columns: ['name', 'size'], rows: b }", "x", rows
    )
    until(page, lambda: texts(page, "[aria-label=Table] tbody tr"))
    click(page, "[aria-label=Table] th button", "size")
    assert texts(page, "[aria-label=Table] tbody tr")[0].endswith("6")
    assert page.find_element(CSS, "th[aria-sort=descending]").text.startswith("size")
    page.find_element(CSS, "[aria-label='Filter the answers']").send_keys("thing 29")
    assert texts(page, "[aria-label=Table] tbody td") == ["thing 29", "1"]


@on_one_version
def test_answers_have_the_properties_of_their_nodes_beside_them(chromium: Any, graph: Graph) -> None:
    load_orders(graph)
    with listening(open_context(graph)) as address:
        chromium.get(address)
        until(chromium, lambda: texts(chromium, "#examples button"))
        ask(chromium, "which customers are in Austria?")
        click(chromium, ".tabs button", "Table")
        heads = until(chromium, lambda: texts(chromium, "[aria-label=Table] th"))
        assert ("name" in heads, "city" in heads) == (True, True)


def test_groups_are_drawn_as_a_chart(page: Any) -> None:
    page.get_log("browser")  # what tests before had it say is read, and gone
    give(page, "answer: 'a: 3, b: 40', answers: ['a: 3', 'b: 40'], evidence: []", "how many each?")
    click(page, ".tabs button", "Chart")
    until(page, lambda: texts(page, ".chart canvas"))
    assert page.execute_script("return document.querySelector('.chart').view.data('source_0').length") == 2
    assert [entry["message"] for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []


@on_one_version
def test_questions_about_a_graph_of_services_make_a_thread(chromium: Any, graph: Graph) -> None:
    fill(graph, GRAPHS[1] / "software")
    with listening(open_context(graph), name="services") as address:
        chromium.get(address)
        ask(chromium, "How many incidents did each service have?")
        click(chromium, ".tabs button", "Chart")
        until(chromium, lambda: texts(chromium, ".chart canvas"))
        ask(chromium, "Which engineers who are members of Payments resolved INC-101?")
        assert answers(chromium)[0].startswith("checkout: 2, billing: 2")
        assert sorted(answers(chromium)[1].split(", ")) == ["Bartosz Wójcik", "Fionn Murphy"]
        drawn(chromium)
        chromium.set_window_size(1300, 1760)
        chromium.execute_script("scrollTo(0, 0)")
        shoot(chromium, "serve-thread.png")


@on_one_version
def test_the_words_of_a_question_show_what_they_were_taken_for_and_its_query_graph_is_drawn(
    chromium: Any, graph: Graph
) -> None:
    fill(graph, GRAPHS[1] / "software")
    with listening(open_context(graph), name="services") as address:
        chromium.get(address)
        until(chromium, lambda: texts(chromium, "#examples button"))
        ask(chromium, "Which services created after 2017 depend on checkout?")
        assert texts(chromium, ".asked .name") == ["checkout"]
        assert texts(chromium, ".asked .condition") == ["after 2017"]
        assert {"created", "depend"} <= set(texts(chromium, ".asked .relation"))
        click(chromium, ".tabs button", "Query")
        sketch = "return document.querySelector('.sketch')?.picture?.drawing.nodes().map((node) => node.data('name'))"
        drawn_nodes = until(chromium, lambda: chromium.execute_script(sketch))
        assert len(drawn_nodes) == 2
        assert any("name = checkout" in name for name in drawn_nodes)
        assert broken(chromium) == []
        shoot(chromium, "query-graph.png")


@on_one_version
def test_an_answer_is_understood_and_corrected_in_eight_clicks_and_keys(chromium: Any, graph: Graph) -> None:
    fill(graph, GRAPHS[1] / "software")
    with listening(open_context(graph), name="services") as address:
        chromium.get(address)
        until(chromium, lambda: texts(chromium, "#examples button"))
        chromium.execute_script(COUNT)
        ask(chromium, "Which services depend on checkout?")
        assert answers(chromium) == ["mobile-gateway"]
        assert "services that depend on services with name checkout" in " ".join(texts(chromium, ".card .quiet"))
        act(chromium, ".readings summary")
        act(chromium, ".readings li:first-child button[aria-label^='Change']")
        act(chromium, ".editor button[aria-label^='Turn around']")
        act(chromium, ".editor .run-changed")
        until(chromium, lambda: answers(chromium) not in ([], ["mobile-gateway"]))
        assert set(answers(chromium)[0].split(", ")) == {"feature-flags", "identity", "ledger-api", "mail"}
        assert chromium.execute_script("return window.acts") <= 8


def act(page: Any, selector: str) -> None:
    """Scroll to the first element there that can be seen, and click it as a person does."""
    found = until(page, lambda: [one for one in page.find_elements(CSS, selector) if one.is_displayed()])[0]
    page.execute_script("arguments[0].scrollIntoView({ block: 'center' })", found)
    found.click()


def test_the_library_of_charts_comes_when_a_chart_is_opened(page: Any) -> None:
    ask(page, CAPITAL)
    loaded = page.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert not [name for name in loaded if "vega" in name]


def test_a_spreadsheet_takes_nothing_for_a_formula(page: Any) -> None:
    script = "const done = arguments[0]; import('/dom.js').then((module) => done(module.csv([['=1+1', '-2', 'a\"b']])))"
    assert page.execute_async_script(script) == '"\'=1+1","-2","a""b"\r\n'


# The thread ----------------------------------------------------------------------------------------------------------


def test_a_card_is_there_again_when_the_page_is_loaded_again(page: Any) -> None:
    ask(page, CAPITAL)
    page.refresh()
    until(page, lambda: answers(page) == ["Addis Ababa"])
    assert page.title.startswith(CAPITAL)


def test_back_goes_to_the_card_before(page: Any) -> None:
    ask(page, CAPITAL)
    ask(page, SEAS)
    page.back()
    until(page, lambda: page.title.startswith(CAPITAL))
    assert page.switch_to.active_element.get_attribute("class") == "card"


def test_an_address_asks_its_question_and_runs_its_reading(page: Any) -> None:
    ask(page, SEAS)
    readings = open_readings(page)
    click(page, ".readings li button[aria-label^='Take it']")
    until(page, lambda: "👍 This is what I meant" in texts(page, ".feedback button"))
    link, found = page.current_url, answers(page)
    assert len(readings) > 1
    page.execute_script("sessionStorage.clear()")
    page.get("about:blank")
    page.get(link)
    until(page, lambda: answers(page) == found)
    assert texts(page, ".asked") == [SEAS]


def test_a_follow_up_is_told_the_question_before_it(page: Any) -> None:
    ask(page, "which rivers flow through [Germany]?")
    number = len(answers(page)[0].split(", "))
    ask(page, "how many?")
    assert answers(page)[-1] == str(number)


def test_a_next_question_opens_a_card_with_what_it_promised(page: Any) -> None:
    ask(page, "which rivers flow through [Germany]?")
    promised = until(page, lambda: texts(page, ".next button"))[-1]
    click(page, ".next button")
    until(page, lambda: len(answers(page)) == 2)
    first = promised.rpartition(": ")[2].split(", ")[0]
    assert first in answers(page)[-1]


def test_a_saved_question_is_asked_with_another_name_in_its_slot(page: Any) -> None:
    ask(page, CAPITAL)
    click(page, ".card header button[aria-label='Save the question']")
    page.refresh()
    until(page, lambda: texts(page, "#examples button") is not None)
    click(page, "#view-saved")
    slot = until(page, lambda: page.find_elements(CSS, ".board .sentence input"))[0]
    until(page, lambda: "Addis Ababa" in texts(page, ".board .card")[0])
    slot.clear()
    slot.send_keys("Germany\n")
    until(page, lambda: "Berlin" in texts(page, ".board .card")[0])


def test_the_history_stays_in_the_browser(page: Any) -> None:
    ask(page, CAPITAL)
    page.execute_script("sessionStorage.clear()")
    page.get(page.current_url.partition("#")[0] + "?later")
    until(page, lambda: texts(page, "#examples button"))
    click(page, "#view-saved")
    assert until(page, lambda: texts(page, "#asked button")) == [CAPITAL]
    click(page, "#clear-history")
    assert texts(page, "#asked li") == []


def test_what_was_asked_of_one_graph_is_not_shown_beside_another(page: Any) -> None:
    ask(page, CAPITAL)
    script = "const done = arguments[0]; import('/state.js').then(({ state, askedHere, cardsKept }) => {"
    script += "state.schema = { ...state.schema, identity: 'another' }; "
    script += "done([askedHere().length, cardsKept().length]); })"
    assert page.execute_async_script(script) == [0, 0]


# What was not understood, and what is corrected ----------------------------------------------------------------------


def test_a_name_that_is_not_found_offers_the_nearest(page: Any) -> None:
    page.find_element(CSS, "#question").send_keys("what is the capital of [Ethopia]?\n")
    until(page, lambda: "Ethiopia" in texts(page, ".card .error button"))
    click(page, ".card .error button", "Ethiopia")
    until(page, lambda: answers(page) == ["Addis Ababa"])
    assert texts(page, ".asked")[-1] == CAPITAL


def test_what_a_question_may_mean_is_chosen(page: Any) -> None:
    found = f"{EMPTY}, answer: 'x, y', answers: ['x', 'y'], evidence: [] }}"
    chosen = f"{{ text: b, number: 2, first: ['x', 'y'], answer: {found} }}"
    asked = f"outcome: 'choice', message: 'Which?', answer: 'not found', answers: [], evidence: [], choices: [{chosen}]"
    give(page, asked, "q", "reading one")
    assert texts(page, ".choices button") == ["reading one 2: x, y"]
    click(page, ".choices button")
    assert answers(page) == ["x, y"]


def test_a_reading_is_changed_and_run_again(page: Any) -> None:
    from selenium.webdriver.support.ui import Select

    ask(page, SEAS)
    open_readings(page)
    click(page, ".readings li:first-child button[aria-label^='Change']")
    Select(page.find_element(CSS, ".editor select[aria-label='Asked for']")).select_by_value("x1")
    click(page, ".editor button[aria-label='Drop: flows_into']")
    until(page, lambda: "what flows through Germany" in texts(page, ".editor > p")[0])
    page.execute_script("document.querySelector('.readings').scrollIntoView()")
    shoot(page, "serve-reading.png")
    click(page, ".run-changed")
    until(page, lambda: "what flows through Germany" in " ".join(texts(page, ".card > div > .quiet")))
    assert "Rhine" in answers(page)[0]
    assert texts(page, ".asked") == [SEAS]


def test_a_step_is_added_to_a_query_graph(page: Any) -> None:
    from selenium.webdriver.support.ui import Select

    ask(page, "which rivers flow through [Germany]?")
    open_readings(page)
    click(page, ".readings li:first-child button[aria-label^='Change']")
    menu = Select(page.find_element(CSS, ".editor select[aria-label='+ step']"))
    menu.select_by_visible_text(next(one.text for one in menu.options if "flows into sea" in one.text))
    assert len(texts(page, ".editor select[aria-label='Relationship type']")) == 2


def test_the_query_graph_is_changed_by_keyboard_alone(page: Any) -> None:
    from selenium.webdriver.support.ui import Select

    ask(page, SEAS)
    open_readings(page)
    click(page, ".readings li:first-child button[aria-label^='Change']")
    chosen = page.find_element(CSS, ".editor select[aria-label='Relationship type']")
    chosen.send_keys("")
    Select(chosen).select_by_value("rises_in")
    focused = page.switch_to.active_element
    assert (focused.get_attribute("aria-label"), focused.get_attribute("value")) == ("Relationship type", "rises_in")


def test_a_claim_has_a_verdict_for_each_part_and_its_evidence(page: Any) -> None:
    page.find_element(CSS, "#question").send_keys("The capital of [Ethiopia] is [Addis Ababa].")
    click(page, "#verify")
    until(page, lambda: texts(page, ".answer .badge") == ["Supported"])
    assert texts(page, ".card td .badge") == ["Supported"]
    drawn(page)


def test_an_error_is_told_in_its_card_and_asked_again(page: Any) -> None:
    page.execute_script("window.real = window.fetch; window.fetch = () => Promise.reject(new TypeError('gone'))")
    page.find_element(CSS, "#question").send_keys(CAPITAL + "\n")
    until(page, lambda: "cannot be reached" in " ".join(texts(page, ".card .error")))
    page.execute_script("window.fetch = window.real")
    click(page, ".card .error button", "Retry")
    until(page, lambda: answers(page) == ["Addis Ababa"])


# The picture ---------------------------------------------------------------------------------------------------------


def test_a_node_shows_what_is_around_it(page: Any) -> None:
    ask(page, CAPITAL)
    drawn(page)
    click(page, "button[aria-label^='Ethiopia: show']")
    until(page, lambda: texts(page, ".card h3") == ["Ethiopia : Country"])
    click(page, ".details button", "Expand")
    assert page.execute_script("return document.querySelector('.picture').picture.drawing.nodes().length") > 2


def draw(page: Any, triples: int) -> None:
    """A card whose evidence has so many triples, three to a branch."""
    evidence = """Array.from({ length: b }, (_, number) => ({ relation: 'leads_to',
      subject: number % 3 ? `branch ${(number - (number % 3)) / 3}` : 'root',
      object: number % 3 ? `thing ${number}` : `branch ${number / 3}` }))"""
    entities = "entities: [{ name: 'root', labels: [] }]"
    give(page, f"answer: 'thing 1', answers: ['thing 1'], {entities}, evidence: {evidence}", "q", triples)
    drawn(page)


@pytest.mark.parametrize("triples", [3, 30, 300, 3000])
def test_names_have_their_size_and_none_lies_over_another(page: Any, triples: int) -> None:
    draw(page, triples)
    script = """const { drawing } = document.querySelector('.card .picture').picture;
      const shown = drawing.nodes(':visible').filter((node) => !node.hasClass('mute')).toArray();
      const size = shown.map((node) => parseFloat(node.style('font-size')) * drawing.zoom());
      const labels = { includeNodes: false, includeEdges: false, includeOverlays: false, includeUnderlays: false };
      const boxes = shown.map((node) => node.renderedBoundingBox({ ...labels, includeLabels: true }));
      const over = boxes.some((one, at) => boxes.some((other, number) => number > at && one.x1 < other.x2 - 4
        && other.x1 < one.x2 - 4 && one.y1 < other.y2 - 4 && other.y1 < one.y2 - 4));
      return [shown.length, Math.min(...size), Math.max(...size), over]"""
    shown, least, most, over = page.execute_script(script)
    if triples == 300:
        shoot(page, "serve-300.png")
    assert (shown >= (3 if triples == 3000 else min(triples, 20)), over) == (True, False)
    assert 11.5 < least <= most < 13.5


def test_many_leaves_of_one_node_are_one_group_until_it_is_opened(page: Any) -> None:
    evidence = (
        "Array.from({ length: 50 }, (_, number) => ({ relation: 'has', subject: 'hub', object: `leaf ${number}` }))"
    )
    give(page, f"answer: 'x', answers: ['x'], evidence: {evidence}", "q")
    drawn(page)
    script = "return document.querySelector('.card .picture').picture.drawing.nodes().map((node) => node.data('label'))"
    assert sorted(page.execute_script(script)) == ["50 things", "hub"]
    page.execute_script("document.querySelector('.card .picture').picture.drawing.nodes('.group').emit('tap')")
    assert len(page.execute_script(script)) == 51


def test_thousands_of_triples_are_drawn_by_how_their_nodes_are_come_to(page: Any) -> None:
    draw(page, 3000)
    script = "return document.querySelector('.card .picture').picture.drawing.nodes().map((node) => node.data('label'))"
    assert sorted(page.execute_script(script)) == ["1,000 things", "1,999 things", "root", "thing 1"]


def test_the_wheel_scrolls_the_page_and_zooms_with_the_control_key(page: Any) -> None:
    draw(page, 30)
    script = """const place = document.querySelector('.card .picture');
      const { drawing } = place.picture;
      const before = drawing.zoom();
      const turn = (ctrlKey) => {
        const event = new WheelEvent('wheel', { deltaY: -100, ctrlKey, bubbles: true, cancelable: true });
        place.querySelector('canvas').dispatchEvent(event);
        return [event.defaultPrevented, drawing.zoom() > before];
      };
      return [turn(false), turn(true)]"""
    assert page.execute_script(script) == [[False, False], [True, True]]


def test_a_picture_is_kept_as_svg(page: Any) -> None:
    draw(page, 3)
    svg = page.execute_script("return document.querySelector('.card .picture').picture.svg()")
    assert svg.count("<circle") == 4
    assert ">root<" in svg


def test_the_graph_is_shown_with_its_labels_and_counts(page: Any) -> None:
    click(page, "#view-graph")
    until(page, lambda: texts(page, "#graph-view canvas"))
    assert "231 nodes, 327 relationships" in texts(page, "#graph-view p")[0]
    assert {"Country", "River", "Sea"} <= set(texts(page, "#graph-view .board h3"))
    shoot(page, "serve-graph.png")


def choose_property(page: Any, label: str, key: str) -> None:
    """Open the values of a property in the card of its label."""
    script = """const card = [...document.querySelectorAll('#graph-view .card.small')]
        .find((one) => one.querySelector('h3').innerText === arguments[0]);
      [...card.querySelectorAll('td button')].find((one) => one.innerText === arguments[1]).click()"""
    page.execute_script(script, label, key)


@pytest.fixture
def home(chromium: Any, graph: Graph) -> Iterator[Any]:
    """The page about a graph of orders, of which some are amiss."""
    load_orders(graph)
    graph.write("CREATE (:Shipper {phone: '1'}), (:Product {productName: 'Tea'})")
    with listening(open_context(graph)) as address:
        chromium.get(address)
        until(chromium, lambda: texts(chromium, "#examples button"))
        click(chromium, "#view-graph")
        until(chromium, lambda: texts(chromium, ".amiss li"))
        yield chromium


@on_one_version
def test_a_property_shows_its_values_and_a_value_asks_for_its_nodes(home: Any) -> None:
    choose_property(home, "Customer", "country")
    until(home, lambda: texts(home, ".spread h4") == ["country"])
    assert [text.split() for text in texts(home, ".bars tbody tr")][:2] == [["Austria", "2"], ["France", "2"]]
    wide = "return [...document.querySelectorAll('.bar')].map((one) => one.getBoundingClientRect().width)"
    assert home.execute_script(wide)[0] == 2 * home.execute_script(wide)[-1]
    click(home, ".bars button", "Austria")
    until(home, lambda: answers(home) == ["Alpine Kitchen, Bäckerei Sonne"])
    assert texts(home, ".asked") == ["customers with country Austria"]


@on_one_version
def test_a_property_that_is_chosen_again_is_closed(home: Any) -> None:
    for opened in ("true", "false"):
        choose_property(home, "Supplier", "rating")
        until(home, lambda: bool(texts(home, ".spread h4")) == (opened == "true"))  # noqa: B023
        found = home.execute_script("return document.querySelectorAll('td button[aria-expanded=true]').length")
        assert found == (opened == "true")


@on_one_version
def test_dates_and_numbers_show_how_many_lie_between(home: Any) -> None:
    choose_property(home, "Order", "orderedOn")
    until(home, lambda: "from 2023-01-09 to 2024-03-11" in " ".join(texts(home, ".spread p")))
    assert texts(home, ".bars tbody tr")[0].split() == ["2023-01", "–", "2023-02", "4"]
    click(home, ".bars button", "2023-01 – 2023-02")
    until(home, lambda: answers(home))
    assert answers(home)[0].count("SO-") == 4


@on_one_version
def test_the_quality_of_the_graph_leads_to_what_is_amiss(home: Any) -> None:
    told = {text.split()[0]: text for text in texts(home, ".amiss li")}
    assert "1 without a name" in told["Shipper"]
    assert "1 name is that of several, 2 nodes together" in told["Product"]
    assert "1 without a relationship" in told["Product"]
    click(home, ".amiss button", "Tea (2)")
    until(home, lambda: texts(home, "#graph-view .chips button").count("Tea · Product") == 2)
    click(home, ".amiss button", "shippedOn 14 %")
    until(home, lambda: answers(home) == ["SO-1019, SO-1020, SO-1021"])


@on_one_version
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_graph_s_page_breaks_no_rule_of_accessibility_and_fits_a_phone(home: Any, theme: str) -> None:
    from axe_core_python.selenium import Axe

    home.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
    for label, key in (("Customer", "country"), ("Order", "orderedOn")):
        choose_property(home, label, key)
    until(home, lambda: len(texts(home, ".spread")) == 2)
    found = [f"{item['id']}: {node['html']}" for item in Axe().run(home)["violations"] for node in item["nodes"]]
    assert found == []
    home.execute_script("document.body.style.width = '390px'")
    wide = "return [...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > 391"
    wide += " && !one.closest('.scroll, pre, .picture')).map((one) => one.outerHTML.slice(0, 80))"
    assert home.execute_script(wide) == []


@on_one_version
def test_the_menus_of_the_editor_say_how_many_there_are(chromium: Any, graph: Graph) -> None:
    load_orders(graph)
    with listening(open_context(graph)) as address:
        chromium.get(address)
        until(chromium, lambda: texts(chromium, "#examples button"))
        ask(chromium, "which customers are in Austria?")
        open_readings(chromium)
        click(chromium, ".readings li:first-child button[aria-label^='Change']")
        menus = "return [...document.querySelectorAll('.editor select option')].map((one) => one.text)"
        assert {"customer placed order (21)", "customer’s city (13)"} <= {*chromium.execute_script(menus)}
        values = "return [...document.querySelectorAll('.editor datalist option')].map((one) => [one.value, one.label])"
        until(chromium, lambda: ["France", "France (2)"] in chromium.execute_script(values))


def test_a_node_has_a_page_that_leads_to_others(page: Any) -> None:
    click(page, "#view-graph")
    page.find_element(CSS, "#node-search").send_keys("ethio")
    until(page, lambda: texts(page, "#graph-view .chips button"))
    click(page, "#graph-view .chips button", "Ethiopia · Country")
    until(page, lambda: texts(page, "#node-page h3") == ["Ethiopia : Country"])
    click(page, "#node-page td button", "Addis Ababa")
    until(page, lambda: texts(page, "#node-page h3")[0].startswith("Addis Ababa"))


# Safe, accessible, anywhere ------------------------------------------------------------------------------------------


def test_no_text_becomes_markup(page: Any) -> None:
    hostile = """answer: a, answers: [a + ': 3', 'b: 40'], entities: [{ name: a, labels: [a] }], warnings: [a],
      evidence: [{ subject: a, relation: a, object: a }], cypher: a, browser: 'javascript:1', unused: [a]"""
    give(page, hostile, HOSTILE)
    for tab in ("Table", "Query", "Graph"):
        click(page, ".tabs button", tab)
    drawn(page)
    page.find_element(CSS, "#question").send_keys(f"[{HOSTILE}]?\n")
    until(page, lambda: HOSTILE in "".join(texts(page, ".card .error")))
    found = page.execute_script(
        "return [document.images.length, document.querySelectorAll('main script').length, window.broken]"
    )
    assert found == [0, 0, None]
    assert page.execute_script("return document.querySelectorAll('a[href^=javascript]').length") == 0


def test_everything_comes_from_the_server_and_its_policy_is_kept(page: Any, address: str) -> None:
    page.get_log("browser")
    page.refresh()
    until(page, lambda: texts(page, "#examples button"))
    ask(page, CAPITAL)
    loaded = page.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert [name for name in loaded if not name.startswith(address)] == []
    assert [entry["message"] for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []


def broken(page: Any) -> list[str]:
    """The rules of accessibility that a page breaks."""
    from axe_core_python.selenium import Axe

    found = Axe().run(page)["violations"]
    return [f"{item['id']}: {node['html']}" for item in found for node in item["nodes"]]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_rule_of_accessibility_is_broken(page: Any, theme: str) -> None:
    in_colours(page, theme)
    until(page, lambda: texts(page, "#examples button"))
    assert broken(page) == []
    ask(page, SEAS)
    drawn(page)
    for tab in ("Table", "Chart", "Query", "Graph"):
        click(page, ".tabs button", tab)
        assert broken(page) == []
    open_readings(page)
    click(page, ".readings li:first-child button[aria-label^='Change']")
    assert broken(page) == []
    for view in ("#view-saved", "#view-graph"):
        page.find_element(CSS, view).click()
        assert broken(page) == []


def test_a_phone_needs_no_scrolling_sideways(page: Any) -> None:
    page.set_window_size(500, 900)  # the narrowest that this browser has
    page.execute_script("document.body.style.width = '390px'")
    ask(page, SEAS)
    drawn(page)
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
    ask(page, SEAS)
    drawn(page)
    until(page, lambda: texts(page, ".next button"))
    shoot(page, "serve-dark.png")


def test_right_to_left_text_keeps_its_direction(page: Any) -> None:
    field = page.find_element(CSS, "#question")
    field.send_keys("ما هي عاصمة [إثيوبيا]؟")
    assert page.execute_script("return getComputedStyle(arguments[0]).direction", field) == "rtl"


def test_a_language_model_is_chosen_for_the_strategies_that_have_one(chromium: Any, sample_context: Context) -> None:
    from selenium.webdriver.support.ui import Select

    models = {name: ScriptedModel(lambda *_, said=name: said, name=name) for name in ("one", "two")}
    with listening(replace(sample_context, model=models["one"]), models=models) as address:
        chromium.get(address)
        until(chromium, lambda: texts(chromium, "#examples button"))
        click(chromium, "#options summary")
        model = chromium.find_element(CSS, "#model")
        Select(chromium.find_element(CSS, "#strategy")).select_by_value("paths")
        assert not model.is_displayed()
        Select(chromium.find_element(CSS, "#strategy")).select_by_value("llm")
        Select(model).select_by_value("two")
        chromium.find_element(CSS, "#question").send_keys("who directed it?\n")
        until(chromium, lambda: texts(chromium, ".answer") == ["two"])


def in_colours(page: Any, theme: str) -> None:
    """The same page in light or dark colours."""
    page.execute_script("localStorage.setItem('kgneo-theme', arguments[0])", theme)
    page.refresh()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_asks_for_the_token_and_uses_it(chromium: Any, sample_context: Context, theme: str) -> None:
    with listening(sample_context, token="sesame") as address:  # noqa: S106
        chromium.get(address)
        in_colours(chromium, theme)
        field = until(chromium, lambda: chromium.find_element(CSS, "#token"))
        until(chromium, field.is_displayed)
        assert broken(chromium) == []
        shoot(chromium, f"token-{theme}.png")
        field.send_keys("sesame\n")
        until(chromium, lambda: texts(chromium, "#examples button"))
        chromium.execute_script("sessionStorage.clear()")
        chromium.get(f"{address}/?again#token=sesame")
        until(chromium, lambda: texts(chromium, "#examples button"))
        assert "sesame" not in chromium.current_url


def test_the_page_has_less_than_600_kilobytes_before_a_chart_or_loading_is_opened(sample_context: Context) -> None:
    with client(sample_context) as talking:
        paths = [path for path in page_paths() if path != "/index.html" and path[1:] not in LATER]
        responses = [talking.get(path) for path in paths]
    assert sum(len(response.content) for response in responses) <= 600_000
    assert {response.status_code for response in responses} == {200}


def test_the_page_names_no_other_server() -> None:
    ours = [file for file in page_folder().iterdir() if not file.name.startswith(("cytoscape", "vega"))]
    for file in ours:
        text = file.read_text(encoding="utf-8")
        assert "innerHTML" not in text
        assert [line for line in text.splitlines() if "//" in line and "http" in line and "www.w3.org" not in line] == [
            line for line in text.splitlines() if "https?:" in line
        ]


# Loading files -------------------------------------------------------------------------------------------------------

TABLE = (
    "id,who,did,what\n"
    "1,Ada Lovelace,wrote about,Analytical Engine\n"
    "2,Charles Babbage,designed,Analytical Engine\n"
    "3,cut off\n"
)


def choose(page: Any, *files: Path) -> None:
    """Choose files, and wait for what is told of them."""
    page.find_element(CSS, "#load-files").send_keys("\n".join(map(str, files)))
    until(page, lambda: texts(page, "#load .message") or texts(page, "#load .error"))


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.fixture
def empty_page(chromium: Any, own_stores: None, encoder: OnnxEncoder) -> Iterator[Any]:
    """The page of a server where nothing was loaded yet."""
    assert own_stores is None
    with running(loading_application(encoder=encoder)) as (address, _):
        chromium.set_window_size(1300, 1150)
        chromium.get(address)
        until(chromium, lambda: texts(chromium, "#load"))
        yield chromium
        chromium.get("about:blank")


def test_a_file_is_previewed_read_otherwise_loaded_and_asked(empty_page: Any, tmp_path: Path) -> None:
    from selenium.webdriver.support.ui import Select

    page = empty_page
    assert not page.find_element(CSS, "#ask-view").is_displayed()
    shoot(page, "load-empty.png")
    choose(page, written(tmp_path, "people.csv", TABLE))
    assert texts(page, "#load .message") == ["Nothing of this can be loaded as it is read now."]
    assert not page.find_element(CSS, "#load .primary").is_enabled()
    assert page.execute_script("return document.activeElement.innerText") == "What will be made of it"
    shoot(page, "load-nothing.png")

    for number, column in enumerate(("2: who", "3: did", "4: what")):
        label = f"//label[contains(., 'Column of the {('subject', 'relation', 'object')[number]}')]/select"
        Select(page.find_element("xpath", label)).select_by_visible_text(column)
    until(page, lambda: texts(page, "#load .message") == ["2 triples make 3 nodes and 2 relationships."])
    assert "1 line cannot be used:" in texts(page, "#load .warning")
    assert not page.find_element(CSS, "#load .primary").is_enabled(), "lines are left out only where that is chosen"
    page.find_element(CSS, "#load input[type=checkbox]").click()
    assert broken(page) == []
    shoot(page, "serve-load.png")

    name = page.find_element(CSS, "#load-name")
    assert name.get_attribute("value") == "people"
    name.send_keys("\n")
    until(page, lambda: "starting" not in "".join(texts(page, "#load [role=status]")) and texts(page, "progress"))
    shoot(page, "load-progress.png")
    link = until(page, lambda: next(iter(page.find_elements(CSS, "#load a.primary")), None))
    until(page, lambda: not texts(page, "progress"))
    shoot(page, "load-done.png")
    assert texts(page, "#load code")[0] == "kgneo serve --store people"
    link.click()
    until(page, lambda: texts(page, "#examples button"))
    assert (texts(page, "#graph-name"), page.current_url.rsplit("/", 3)[1:]) == (["people"], ["g", "people", ""])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_told_of_a_file_breaks_no_rule_of_accessibility(empty_page: Any, tmp_path: Path, theme: str) -> None:
    in_colours(empty_page, theme)
    until(empty_page, lambda: texts(empty_page, "#load"))
    assert broken(empty_page) == []
    choose(empty_page, written(tmp_path, "people.csv", TABLE))
    assert broken(empty_page) == []
    choose(empty_page, written(tmp_path, "notes.txt", "nothing that is a triple"))
    assert broken(empty_page) == []
    shoot(empty_page, f"load-{theme}.png")


def test_loading_is_cancelled_by_keyboard_and_can_be_begun_again(empty_page: Any, tmp_path: Path) -> None:
    page = empty_page
    choose(page, written(tmp_path, "rivers.csv", "Tiber,flows through,Rome\n"))
    page.find_element(CSS, "#load-name").send_keys("\n")
    until(page, lambda: texts(page, "progress"))
    page.switch_to.active_element.send_keys("\n")
    until(page, lambda: texts(page, "#load .error"))
    assert "Loading was cancelled." in texts(page, "#load .error")[0]
    assert page.find_element(CSS, "#load .primary").is_enabled()
    shoot(page, "load-cancelled.png")
    click(page, "#load button", "Cancel")
    assert texts(page, "#load .card") == []


def test_what_is_wrong_with_a_file_is_told_with_what_to_do(empty_page: Any, tmp_path: Path) -> None:
    page = empty_page
    choose(page, written(tmp_path, "notes.txt", "nothing that is a triple"))
    (told,) = texts(page, "#load .error")
    assert "notes.txt" in told
    assert "Name its format, one of: " in told
    assert page.find_element(CSS, "#load details").get_attribute("open")
    assert str(tmp_path) not in told
    shoot(page, "load-wrong.png")
    page.execute_script("document.body.style.width = '390px'")
    wide = "return [...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > 391"
    wide += " && !one.closest('.scroll, pre')).map((one) => one.outerHTML.slice(0, 80))"
    choose(page, written(tmp_path, "people.csv", TABLE))
    assert page.execute_script(wide) == []
    page.execute_script("document.body.style.width = ''")


def test_a_name_that_is_markup_stays_text_in_a_preview(empty_page: Any, tmp_path: Path) -> None:
    choose(empty_page, written(tmp_path, "hostile.tsv", f"{HOSTILE}\tr\t{HOSTILE}\n"))
    assert HOSTILE in texts(empty_page, "#load td")
    assert empty_page.execute_script("return window.broken") is None


def test_a_page_of_a_graph_offers_to_load_a_file_where_the_server_does(page: Any, sample_context: Context) -> None:
    click(page, "#view-graph")
    until(page, lambda: texts(page, "#graph-view h2"))
    assert not page.find_element(CSS, "#load-details").is_displayed()
    with running(loading_application(sample_context)) as (address, _):
        page.get(address)
        until(page, lambda: texts(page, "#examples button"))
        click(page, "#view-graph")
        until(page, lambda: page.find_element(CSS, "#load-details").is_displayed())
        click(page, "#load-details summary")
        until(page, lambda: texts(page, "#load-files"))
        shoot(page, "load-graph.png")
        page.get("about:blank")
