"""What kind of project a book is: its own ``project_type`` in ``book.toml``."""

from typing import Literal, TypeAlias, get_args

from zencli.store.layout import BookDir

ProjectType: TypeAlias = Literal["novel", "short_story", "screenplay"]


def project_type(book: BookDir) -> ProjectType:
    """The type that the author set; a novel when he set none."""
    wanted = str(book.settings().get("project_type", "")).strip().lower().replace("-", "_")
    return next((kind for kind in get_args(ProjectType) if kind == wanted), "novel")
