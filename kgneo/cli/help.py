"""Help: the options that matter first, the rest in groups under --help-all.

Click's own formatter writes it. A library for coloured help would double the time that help takes, and help is what a
user asks for first.
"""

from __future__ import annotations

from typing import Any

import click

from kgneo.cli.terminal import print_help

ALL = "kgneo.help.all"
"""Where a context keeps that all options are to be shown."""


class Option(click.Option):
    """An option of a `group`; without one, it is among those that help shows first."""

    def __init__(self, *arguments: Any, group: str = "", **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.group = group


class Command(click.Command):
    """A command whose help shows the options without a group, and with --help-all all of them, group by group."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters; --help-all stands before --help where an option is in a group."""
        found = super().get_params(ctx)
        return [*found[:-1], _HELP_ALL, found[-1]] if any(map(_group, self.params)) else found

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Click's own, whose text is shown as this module does."""
        found = super().get_help_option(ctx)
        if found is not None:
            found.callback = _show
        return found

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The first options, then the groups, or their names."""
        groups: dict[str, list[tuple[str, str]]] = {"": []}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option) and (record := parameter.get_help_record(ctx)):
                groups.setdefault(_group(parameter), []).append(record)
        with formatter.section("Options"):
            formatter.write_dl(groups.pop(""))
        if not groups:
            return
        if ctx.meta.get(ALL):
            for name, records in groups.items():
                with formatter.section(name):
                    formatter.write_dl(records)
        else:
            more = ", ".join(f"{name} ({len(records)})" for name, records in groups.items())
            formatter.write_paragraph()
            formatter.write_text(f"More options with --help-all: {more}.")


def shows_all(context: click.Context) -> bool:
    """Whether all options are to be shown."""
    return bool(context.meta.get(ALL))


def _group(parameter: click.Parameter) -> str:
    return getattr(parameter, "group", "")


def _show(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    context.meta[ALL] = parameter is _HELP_ALL
    print_help(context.get_help())
    context.exit()


_HELP_ALL = click.Option(
    ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show, help="Show all options, in groups."
)
