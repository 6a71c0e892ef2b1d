"""`kgneo completion`: tab completion for the shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes kgneo's commands and options with Tab.

    \b
    Examples:
      eval "$(kgneo completion bash)"          in ~/.bashrc
      eval "$(kgneo completion zsh)"           in ~/.zshrc
      kgneo completion fish | source           in ~/.config/fish/config.fish
    """
    from kgneo.cli.main import kgneo

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(kgneo, {}, "kgneo", "_KGNEO_COMPLETE").source())
