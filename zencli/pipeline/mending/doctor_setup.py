"""What ``doctor`` looks at besides one book: every book, the configuration, the embedded model."""

from collections.abc import Mapping

from zencli.errors import ModelError, UsageError, ZencliError
from zencli.llm.place import masked_url
from zencli.pipeline.configuration.settings import Overrides, Settings, load_settings
from zencli.pipeline.mending.doctor import diagnose
from zencli.pipeline.mending.online_results import OnlineModel
from zencli.pipeline.mending.repair_params import Doctor
from zencli.pipeline.results import DoctorResult, ModelLine, Problem, Setup
from zencli.store.layout import BookDir
from zencli.store.workspace import Workspace


def doctor(
    workspace: Workspace, params: Doctor, environ: Mapping[str, str], overrides: Overrides
) -> DoctorResult:
    """Look at one book, or at all of them and the configuration. Writes nothing."""

    def book_problems(book: BookDir) -> list[Problem]:
        return [*diagnose(book), *_own_settings(workspace, book, environ, overrides)]

    if params.write and not params.online:
        raise UsageError("usage.options", "--write needs --online.", "Give both.")
    problems: list[Problem] = []
    setup = None
    if params.book_id is not None:
        books = [workspace.find(params.book_id)]
    else:
        books = [workspace.find(book_id) for book_id in workspace.folders()]
        problems, setup = _setup(workspace, environ, overrides)
    for book in books:
        problems += book_problems(book)
    return DoctorResult(
        book_id=books[0].id if params.book_id is not None else None,
        books=[book.id for book in books],
        problems=problems,
        setup=setup,
        online=_online(workspace, params, environ, overrides) if params.online else [],
    )


def _online(
    workspace: Workspace, params: Doctor, environ: Mapping[str, str], overrides: Overrides
) -> list[OnlineModel]:
    from zencli.pipeline.mending.doctor_online import doctor_online

    book = None if params.book_id is None else workspace.find(params.book_id)
    table = book.settings() if book else None
    settings = load_settings(workspace.root, table, environ, overrides)
    return doctor_online(workspace, settings, write=params.write)


def _own_settings(
    workspace: Workspace, book: BookDir, environ: Mapping[str, str], overrides: Overrides
) -> list[Problem]:
    """What is wrong with the tables of ``book.toml`` that concern models."""
    try:
        table = book.settings()
    except ZencliError:
        return []
    try:
        load_settings(workspace.root, None, environ, overrides, need_keys=False)
    except UsageError:
        return []  # the workspace's own fault, told without the book
    try:
        load_settings(workspace.root, table, environ, overrides, need_keys=False)
    except UsageError as error:
        return [_told(error, book.id, "book.toml")]
    return []


def _setup(
    workspace: Workspace, environ: Mapping[str, str], overrides: Overrides
) -> tuple[list[Problem], Setup | None]:
    try:
        settings = load_settings(workspace.root, None, environ, overrides, need_keys=False)
    except UsageError as error:
        return [_told(error, None, "")], None
    problems = []
    try:
        load_settings(workspace.root, None, environ, overrides)
    except UsageError as error:
        problems.append(_told(error, None, ""))
    embedded, trouble = _embedded()
    models = _models(settings)
    if trouble is not None and any(model.name is None for model in models):
        problems.append(trouble)
    return problems, Setup(models=models, embedded_model=embedded)


def _told(error: ZencliError, book_id: str | None, path: str) -> Problem:
    message = f"{error.message} {error.hint}".strip()
    return Problem(
        book_id=book_id, code=error.code, path=path, message=message, command=None, repair=True
    )


def _models(settings: Settings) -> list[ModelLine]:
    roles: dict[tuple[str | None, str | None, bool], list[str]] = {}
    for role, choice in settings.models.items():
        line = (choice.name, choice.base_url and masked_url(choice.base_url), bool(choice.api_key))
        roles.setdefault(line, []).append(role)
    return [
        ModelLine(roles=names, name=name, base_url=url, key=key)
        for (name, url, key), names in roles.items()
    ]


def _embedded() -> tuple[str | None, Problem | None]:
    """Where the embedded model is, and what is wrong with it."""
    from zencli.llm.embedded import installed, verify

    path = installed()
    code, message = "model.missing", "No model is configured, and the embedded one isn't installed."
    if path is not None:
        try:
            verify(path)
        except ModelError as error:
            code, message = "model.damaged", error.message
        else:
            return str(path), None
    trouble = Problem(
        book_id=None,
        code=code,
        path="",
        message=message,
        command="zencli model install",
        repair=False,
    )
    return (None if path is None else str(path)), trouble
