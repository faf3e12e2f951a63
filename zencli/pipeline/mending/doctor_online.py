"""``doctor --online``: every configured model is tried out, and its profile written if asked."""

from zencli.errors import ModelError
from zencli.llm.attempts import Patience
from zencli.llm.client import OpenAIModel
from zencli.llm.embedded import EmbeddedModel
from zencli.llm.learned import Memory
from zencli.llm.lessons import LEARNED
from zencli.llm.model_file import cache_dir
from zencli.llm.place import masked_url
from zencli.llm.probe import Probe, probe
from zencli.llm.profiles import PROFILES, Profile, profile_for
from zencli.pipeline.configuration.settings import ModelChoice, Settings
from zencli.pipeline.mending.online_results import OnlineCheck, OnlineModel
from zencli.store.endpoint_file import write_profile
from zencli.store.workspace import Workspace

LISTED = 50
"""Names of models that are shown."""


def doctor_online(workspace: Workspace, settings: Settings, *, write: bool) -> list[OnlineModel]:
    """Try out every model that is configured, those of fallbacks included.

    With ``write``, what was found goes into the workspace's zencli.toml.
    """
    found = []
    for choice, roles in _distinct(settings):
        result, start = _try(choice)
        fitting = _differences(start, result.profile, choice)
        works = _works(result)
        written = _written(workspace, settings, choice, roles, fitting) if write and works else None
        found.append(_told(choice, roles, result, fitting, works=works, written=written))
    return found


def first_error(models: list[OnlineModel]) -> ModelError | None:
    """The error of the first model that doesn't work."""
    for model in models:
        for check in model.checks:
            if not model.works and not check.works:
                return ModelError(
                    check.code or "llm.endpoint",
                    check.message,
                    check.hint,
                )
    return None


def _distinct(settings: Settings) -> list[tuple[ModelChoice, list[str]]]:
    """The different models, each with the roles that use it or fall back on it."""
    found: dict[str, tuple[ModelChoice, list[str]]] = {}
    for role, choice in settings.models.items():
        for one, name in ((choice, role), *((c, f"{role} (fallback)") for c in choice.fallbacks)):
            key = repr((one.name, one.base_url, one.api_key, one.thinking, one.profile))
            found.setdefault(key, (one, []))[1].append(name)
    return list(found.values())


def _try(choice: ModelChoice) -> tuple[Probe, Profile]:
    """What was found, and the profile that it began with; nothing learned earlier counts."""
    if choice.name is None or choice.base_url is None:
        embedded = EmbeddedModel(deadlines=choice.deadlines())
        try:
            return probe(embedded), embedded.profile
        finally:
            embedded.close()
    start = profile_for(choice.base_url, choice.name, choice.overrides)
    memory = Memory(cache_dir() / "endpoints", choice.base_url, choice.name)
    memory.forget()
    model = OpenAIModel(
        choice.base_url,
        choice.name,
        choice.api_key or "",
        start,
        choice.deadlines(),
        patience=Patience(retries=1),
        memory=memory,
    )
    try:
        return probe(model), start
    finally:
        model.close()


def _works(found: Probe) -> bool:
    needed = {check.name for check in found.checks if check.works}
    return {"plain", "streamed", "structured"} <= needed


def _differences(start: Profile, found: Profile, choice: ModelChoice) -> dict[str, object]:
    """What the profile in the configuration should say."""
    if choice.embedded:
        return {}
    base = PROFILES[start.name]
    said = dict(choice.profile)
    for name in LEARNED:
        value = getattr(found, name)
        if value is not None and (value != getattr(base, name) or name in said):
            said[name] = value
    return {"name": start.name, **said}


def _written(
    workspace: Workspace,
    settings: Settings,
    choice: ModelChoice,
    roles: list[str],
    profile: dict[str, object],
) -> str | None:
    """Put a profile into zencli.toml, for all roles or for those that have a model of their own."""
    if choice.embedded or choice.base_url is None:
        return None
    place: dict[str, object] = {"name": choice.name}
    if masked_url(choice.base_url) == choice.base_url:
        place["base_url"] = choice.base_url
    path = workspace.root / "zencli.toml"
    shared = choice.same_model(settings.shared)
    own = [("models", role) for role in roles if role in settings.models]
    tables: list[tuple[str, ...]] = [("model",)] if shared else [*own]
    for table in tables:
        write_profile(path, table, place, profile)
    return str(path) if tables else None


def _told(
    choice: ModelChoice,
    roles: list[str],
    found: Probe,
    fitting: dict[str, object],
    *,
    works: bool,
    written: str | None,
) -> OnlineModel:
    return OnlineModel(
        roles=roles,
        name=choice.name,
        base_url=None if choice.base_url is None else masked_url(choice.base_url),
        works=works,
        models=found.models[:LISTED],
        checks=[
            OnlineCheck(
                name=check.name,
                works=check.works,
                message=check.message,
                seconds=round(check.seconds, 2),
                code=check.code or None,
                hint=check.hint,
            )
            for check in found.checks
        ],
        first_token_seconds=None if found.first_token is None else round(found.first_token, 2),
        window=found.profile.window,
        window_from=found.window_from,
        profile=fitting,
        written=written,
    )
