"""The parameters of ``import``."""

from pydantic import field_validator

from zencli.pipeline.params import Params, param
from zencli.story.book import Language


class Import(Params):
    """Make a book of an existing novel, or add its new chapters to one."""

    source: str = param("", "txt, md or epub file, or a folder of them", metavar="SOURCE")
    book_id: str | None = param(
        None, "id of the book; derived from the title for a new one", "--book", metavar="ID"
    )
    split: str | None = param(
        None, "regular expression found in every line that is a heading", "--split", metavar="REGEX"
    )
    language: Language | None = param(
        None, "language of a new book; told from the text when absent", "--language"
    )
    title: str = param("", "title of a new book; the source's own when absent", "--title")
    genre: str = param("", "genre of a new book", "--genre")
    settle: bool = param(
        False, "then read each chapter with the model, for what it changes in the story", "--settle"
    )

    @field_validator("title")
    @classmethod
    def _one_line(cls, title: str) -> str:
        return " ".join(title.split())
