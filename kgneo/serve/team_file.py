"""The file of a team, `kgneo.team.toml`: which graphs a server has, who may ask which, and how much.

Comes in: TOML. Goes out: `Team`, frozen, or a DataError that names the place, what was found and what was expected. No
password and no token stands in it: passwords are named by their environment variables, tokens are kept as digests.
"""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from kgneo.errors import DataError, UsageError
from kgneo.options_file import read_toml
from kgneo.settings import Settings

HINT = "See docs/team.md."
ALL = "*"
"""What stands for all graphs, and for any user that the proxy names."""
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
DIGEST = re.compile(r"[0-9a-f]{64}")
Name = Annotated[str, Field(pattern=f"^{NAME.pattern}$")]


SIGNED_IN = "neo4j:"
"""How names of those begin who sign in with a login of a graph's database."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


OF_LOGINS = {"plain_http", "rate", "day_tokens", "day_cost"}
"""What is said of graphs alone whose users sign in."""


class GraphOfTeam(_Part):
    """A graph: a local store, or a server with a login of its own, whose rights decide what is seen."""

    title: str = Field("", description="What the page calls it.")
    store: str | None = Field(None, description="A local store.")
    uri: str | None = Field(None, description="A Neo4j server.")
    username: str = Field("neo4j", description="The login.")
    password_env: str = Field("", description="The environment variable that holds the password.")
    database: str | None = Field(None, description="The database, where it is not the login's own.")
    terms: Path | None = Field(None, description="The file of terms.")
    login: Literal["neo4j"] | None = Field(None, description="Whoever asks gives a login of the database.")
    plain_http: bool = Field(False, description="Whether passwords may come without encryption from elsewhere.")
    rate: int | None = Field(None, ge=1, description="Requests a minute of each who signs in.")
    day_tokens: int | None = Field(None, ge=0, description="Tokens of language models a day of each who signs in.")
    day_cost: float | None = Field(None, ge=0, description="The same in money.")

    @model_validator(mode="after")
    def _has_one_place(self) -> GraphOfTeam:
        if (self.store is None) == (self.uri is None):
            raise ValueError("expected a store or a uri, and not both")
        own = {"store", "username", "password_env"} if self.login else OF_LOGINS
        if wrong := sorted(own & self.model_fields_set):
            told = "each who asks gives a login" if self.login else 'only a graph with login = "neo4j" has this'
            raise ValueError(f"{wrong[0]} does not go with it: {told}")
        return self

    def settings(self, base: Settings) -> Settings:
        """How to reach it; what the file does not say is as in `base`. Raises UsageError for a password that is
        nowhere."""
        password = os.environ.get(self.password_env, "") if self.password_env else ""
        if self.password_env and not password:
            raise UsageError(
                f"The environment variable {self.password_env} holds no password.",
                hint="Set it, or take password_env out of the file of the team.",
            )
        return Settings(
            self.uri,
            self.username,
            password,
            database=self.database,
            store=self.store,
            timeout=base.timeout,
            read_only=base.read_only,
            retry=base.retry,
            terms=self.terms,
        )


class UserOfTeam(_Part):
    """Somebody who asks: by a token, or by the name that a proxy gives."""

    token_sha256: str = Field("", description="The SHA-256 digest of the token, in hexadecimal digits.")
    graphs: tuple[str, ...] = Field((), description='The names of the graphs that may be asked; "*" is all.')
    rate: int | None = Field(None, ge=1, description="Requests a minute.")
    day_tokens: int | None = Field(None, ge=0, description="Tokens of language models a day (UTC).")
    day_cost: float | None = Field(None, ge=0, description="The same in money, where there is a price.")
    history: bool = Field(True, description="Whether what they ask on the page is kept for them on the server.")

    @field_validator("token_sha256")
    @classmethod
    def _is_digest(cls, value: str) -> str:
        if value and not DIGEST.fullmatch(value.lower()):
            raise ValueError("expected 64 hexadecimal digits: `kgneo serve --new-token` prints them")
        return value.lower()

    def may_ask(self, graph: str) -> bool:
        """Whether a graph is one of theirs."""
        return ALL in self.graphs or graph in self.graphs


class Proxy(_Part):
    """A proxy that has found out who asks, and says it in a header."""

    header: str = Field(min_length=1, pattern="^[A-Za-z0-9-]+$", description="The header with the user's name.")
    addresses: tuple[str, ...] = Field(min_length=1, description="Addresses or networks that it comes from.")

    @field_validator("addresses")
    @classmethod
    def _are_networks(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            ipaddress.ip_network(value, strict=False)
        return values

    def is_from(self, address: str) -> bool:
        """Whether a request came from the proxy."""
        try:
            own = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(own in ipaddress.ip_network(item, strict=False) for item in self.addresses)


class Audit(_Part):
    """A log of who asked what."""

    file: Path = Field(description="A file of JSON lines, which is only ever added to.")
    questions: bool = Field(True, description="Whether questions and claims stand in it.")


class Team(_Part):
    """All of the file."""

    graphs: dict[Name, GraphOfTeam] = Field(min_length=1, description="Graphs by the name in their address.")
    users: dict[str, UserOfTeam] = Field({}, description="Users by name.")
    proxy: Proxy | None = Field(None)
    audit: Audit | None = Field(None)
    history: bool = Field(True, description="Whether the server keeps histories at all.")

    @model_validator(mode="after")
    def _has_users(self) -> Team:
        without = [name for name, graph in self.graphs.items() if not graph.login]
        if without and not self.users:
            raise ValueError(f"nobody may ask {without[0]!r}: expected users, or its login")
        for name, user in self.users.items():
            signing = [graph for graph in user.graphs if graph in self.graphs and self.graphs[graph].login]
            if signing:
                raise ValueError(f"the user {name!r} may ask {signing[0]!r}, whose users are those of its database")
        return self

    @model_validator(mode="after")
    def _hangs_together(self) -> Team:
        for name, user in self.users.items():
            unknown = [graph for graph in user.graphs if graph != ALL and graph not in self.graphs]
            if unknown:
                raise ValueError(f"the user {name!r} may ask {unknown[0]!r}, which is no graph of the file")
            if not user.token_sha256 and self.proxy is None:
                raise ValueError(f"the user {name!r} has no token_sha256, and there is no proxy that names users")
            if name == ALL and user.token_sha256:
                raise ValueError("any user that the proxy names ('*') has no token")
        digests = [user.token_sha256 for user in self.users.values() if user.token_sha256]
        if len({*digests}) < len(digests):
            raise ValueError("two users have the same token")
        return self

    def user_of_token(self, token: str) -> str | None:
        """Whose token it is."""
        digest = sha256(token.encode("utf-8", "replace")).hexdigest()
        return next((name for name, user in self.users.items() if user.token_sha256 == digest), None)

    def user_named(self, name: str) -> UserOfTeam | None:
        """What a user of that name may do, one that the proxy named."""
        return self.users.get(name) or self.users.get(ALL)

    def keeps_history(self, name: str) -> bool:
        """Whether what a user asks on the page is kept for them."""
        rights = None if name.startswith(SIGNED_IN) else self.user_named(name)
        return self.history and (rights is None or rights.history)


def read_team(file: Path) -> Team:
    """The team of a file; paths in it are from where it stands. Raises DataError for one that cannot be read, or says
    what no such file can."""
    try:
        team = Team.model_validate(read_toml(file, hint=HINT))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        told = first["msg"].removeprefix("Value error, ")
        raise DataError(f"{file}: {place}: {told}.", hint=HINT) from error
    folder = file.absolute().parent
    graphs = {
        name: item.model_copy(update={"terms": folder / item.terms}) if item.terms else item
        for name, item in team.graphs.items()
    }
    audit = team.audit and team.audit.model_copy(update={"file": folder / team.audit.file})
    return team.model_copy(update={"graphs": graphs, "audit": audit})


def name_signed_in(login: str, graph: str) -> str:
    """The name of somebody who asks a graph with a login of its database."""
    return f"{SIGNED_IN}{login}@{graph}"


def new_token() -> tuple[str, str]:
    """A token that nobody can guess, and its digest for the file."""
    token = secrets.token_urlsafe(32)
    return token, sha256(token.encode()).hexdigest()
