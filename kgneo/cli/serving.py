"""Serving: what `kgneo serve` answers with, made of its options, by each of its processes for itself.

`Plan` says what the options say, and holds nothing that is open: it goes to every worker. `Making` is one process's
own: it opens the graphs and makes the application.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kgneo.asking.question import open_context
from kgneo.cli.options import ModelSettings, say
from kgneo.cli.terminal import screened
from kgneo.cli.warned import warned
from kgneo.errors import DataError, GraphEmpty, UsageError
from kgneo.graph.apart import remove_left
from kgneo.llm.spending import Spending
from kgneo.serve.announce import runs
from kgneo.serve.application import create_application, create_empty_application
from kgneo.serve.keeping import Keeping
from kgneo.serve.kept_routes import Keeper
from kgneo.serve.loading import Loading, serve_loaded
from kgneo.serve.logins import WRONG_BY_NAME, DatabaseDoor, Logins
from kgneo.serve.settings import ServeSettings
from kgneo.serve.shared import Shared
from kgneo.serve.signed_in import signed_in_application
from kgneo.serve.team import create_team_application, quota_of
from kgneo.serve.team_file import Team, name_signed_in
from kgneo.settings import Settings, open_graph

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.applications import Starlette

    from kgneo.context import Context, Options
    from kgneo.encoders.encoder import Encoder
    from kgneo.graph import Graph
    from kgneo.llm import LanguageModel
    from kgneo.serve.service import Quota

Report = Callable[[str], None]


def log() -> None:
    """Have this process log as a server does, to standard error."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    logging.getLogger("kgneo.serve").setLevel(logging.INFO)


@dataclass(frozen=True)
class Plan:
    """How a server answers; a team's graphs take the place of that of `settings`."""

    own: ServeSettings
    settings: Settings
    options: Options
    model: ModelSettings
    further: tuple[str, ...] = ()
    mcp: bool = False
    team: Team | None = None
    team_file: Path | None = None
    loads: bool = False

    def begin(self) -> None:
        """What is done once for all workers: local servers are started, graphs tried, histories ended that are to be
        none. Raises UsageError for what several workers cannot share, and what `open_graph` raises."""
        if self.team is not None and self.team_file is not None:
            _check_logins(self.team, self.own.limits.workers)
            try:
                Keeping.of_team(self.team_file).end_histories(self.team.keeps_history)
            except DataError as error:  # no reason not to answer
                say(str(error))
        if self.own.limits.workers > 1:
            for settings in self._graphs():
                with open_graph(settings, report=say):
                    pass

    def _graphs(self) -> Iterator[Settings]:
        """The graphs that are asked with one login for all."""
        if self.team is None:
            yield self.settings
            return
        yield from (graph.settings(self.settings) for graph in self.team.graphs.values() if not graph.login)

    def __call__(self, shared: Shared, stack: ExitStack) -> Starlette:
        """The application of this process, by `kgneo.serve.supervisor.Make`."""
        if shared.worker:
            stack.enter_context(screened())
            stack.enter_context(warned())
            log()
        making = Making(self, shared, stack, self._models(ordered=not shared.worker))
        return making.application() if self.team is None else making.team_application(self.team)

    def _models(self, *, ordered: bool) -> dict[str, LanguageModel]:
        """The language models by the names that they were given, that of --llm first. An address and an adapter belong
        to those that can have one. Raises UsageError for one that answers in an order, unless that is kept (`ordered`).
        """
        names = [name for name in (self.model.llm, *self.further) if name]
        loaded = {name: self._model_settings(name).load() for name in dict.fromkeys(names)}
        if not ordered and (wrong := [name for name, model in loaded.items() if getattr(model, "in_order", False)]):
            raise UsageError(
                f"{wrong[0]} has replies that are given once, in their order, which several workers cannot share.",
                hint='Give each reply a "match", or leave out --workers.',
            )
        return {name: found for name, found in loaded.items() if found is not None}

    def _model_settings(self, name: str) -> ModelSettings:
        if not self.further:
            return self.model
        remote, model = name.startswith("openai:"), self.model
        url, adapter = (model.llm_url, None) if remote else (None, model.llm_adapter)
        return replace(model, llm=name, llm_url=url, llm_adapter=adapter)


def _check_logins(team: Team, workers: int) -> None:
    """Raises UsageError for so many workers that somebody who signs in at all of them at once looks like one who
    guesses."""
    named = [name for name, graph in team.graphs.items() if graph.login]
    if named and workers >= WRONG_BY_NAME:
        raise UsageError(
            f"The graph {named[0]!r} has users of its database, and {workers} workers were asked for.",
            hint=f"Expected fewer than {WRONG_BY_NAME}: each signs everybody in for itself.",
        )


def _silent(_: str) -> None:
    """Say nothing: another process does."""


@dataclass(frozen=True)
class Making:
    """What the applications of one process are made of; `stack` closes it."""

    plan: Plan
    shared: Shared
    stack: ExitStack
    models: Mapping[str, LanguageModel]

    def application(self) -> FastAPI:
        """The application of one graph. Where it has nothing in it yet and files may be loaded, one that loads them;
        raises GraphEmpty where they may not."""
        plan = self.plan
        loading = self._loading() if plan.loads else None
        try:
            context = self._opened(plan.settings)
        except GraphEmpty as error:
            if loading is None:
                raise
            say(f"{error.message} The page loads files.")
            app = create_empty_application(plan.own, loading)
        else:
            user = plan.settings.username
            app = create_application(context, plan.own, models=self.models, browser_user=user, mcp=plan.mcp,
                                     loading=loading, shared=self.shared)  # fmt: skip
        if loading is not None:
            serve_loaded(app, loading)
        return app

    def _loading(self) -> Loading:
        """What loads files, each graph with an application of its own; this process is alone then."""
        plan = self.plan

        def of_loaded(name: str, context: Context) -> FastAPI:
            own = replace(plan.own, name=name)
            return create_application(context, own, models=self.models, warm=False, loading=loading)

        loading = Loading(plan.settings, plan.own.limits, self._context, of_loaded)
        return loading

    def team_application(self, team: Team) -> Starlette:
        """The graphs of a team behind one address."""
        plan = self.plan
        assert plan.team_file is not None
        keeping = Keeping.of_team(plan.team_file)
        logins = {name: self._logins(team, name, keeping) for name, item in team.graphs.items() if item.login}
        apps: dict[str, Starlette] = {name: signed_in_application(each, plan.own) for name, each in logins.items()}
        for name, item in team.graphs.items():
            if name not in logins:
                context = self._opened(item.settings(plan.settings))
                keeper = Keeper(keeping, name, team.keeps_history)
                apps[name] = self._of_team(team, name, context, item.username, quota_of(team), keeper)
        return create_team_application(team, apps, plan.own, keeping, logins, self.shared)

    def _context(self, graph: Graph, encoder: Encoder | None = None, report: Report = _silent) -> Context:
        """What questions about a graph are answered with."""
        first, prompts = next(iter(self.models.values()), None), self.plan.model.load_prompts()
        options = self.plan.options
        context = open_context(graph, encoder=encoder, options=options, model=first, prompts=prompts, report=report)
        return replace(context, spending=Spending.of_this_machine() if self.models else None)

    def _opened(self, settings: Settings) -> Context:
        """The graph of these settings. What is to be told, the first worker tells, and of the database, whoever began
        it."""
        worker = self.shared.worker
        graph = self.stack.enter_context(open_graph(settings, report=_silent if worker else say))
        return self._context(graph, report=_silent if worker > 1 else say)

    def _of_team(
        self, team: Team, name: str, context: Context, user: str, quota: Quota, keeper: Keeper, place: str = ""
    ) -> FastAPI:
        """The application of a graph, which Neo4j Browser is to know `user` of. It is made ready with the server, or,
        where it is one user's alone, by their first question."""
        own, graph = self.plan.own, team.graphs[name]
        return create_application(
            context,
            replace(own, token="", limits=replace(own.limits, rate=0), name=graph.title or name),
            models=self.models,
            browser_user=user,
            warm=not graph.login,
            quota=quota,
            mcp=self.plan.mcp,
            keeper=keeper,
            shared=self.shared,
            place=place or name,
        )

    def _logins(self, team: Team, name: str, keeping: Keeping) -> Logins:
        """The sessions of a graph whose users are those of its database. Raises DataError for a file of terms that
        cannot be used: nobody could sign in."""
        graph, own = team.graphs[name], self.plan.own
        if graph.terms is not None:
            from kgneo.terms.file import read_terms

            read_terms(graph.terms)
        remove_left(runs)
        keeper = Keeper(keeping, name, team.keeps_history)

        def application(context: Context, user: str) -> FastAPI:
            quota: Quota = lambda _: (graph.day_tokens, graph.day_cost)  # noqa: E731
            return self._of_team(team, name, context, user, quota, keeper, name_signed_in(user, name))

        door = DatabaseDoor(graph.settings(self.plan.settings), self._context)
        wait = own.limits.seconds
        return Logins(door, application, wait=wait, shared=self.shared, place=name, key=own.key)
