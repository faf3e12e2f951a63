"""What the author is told of a call, in the language of the reply and without names of tools."""

from zencli.agent.turn import Turn
from zencli.story.book import Language

_WORDS: dict[str, dict[Language, str]] = {
    "waits": {"zh": "准备写 {path}", "en": "About to write {path}"},
    "one_at_a_time": {"zh": "先写完 {path}", "en": "{path} is written first"},
    "created": {"zh": "新建 {path}（{words}）", "en": "Created {path} ({words} words)"},
    "written": {"zh": "写入 {path}（{words}）", "en": "Wrote {path} ({words} words)"},
    "draft": {
        "zh": "草稿留在 {path}（{words}）",
        "en": "A draft is kept in {path} ({words} words)",
    },
    "folder": {"zh": "文件夹 {path}", "en": "Folder {path}"},
    "read": {"zh": "读了 {path}", "en": "Read {path}"},
    "listed": {"zh": "查看文件：{count} 个", "en": "Looked at the files: {count}"},
    "searched": {
        "zh": "查找“{query}”：{count} 处",
        "en": "Searched for “{query}”: {count} passages",
    },
    "edited": {"zh": "修改 {path}：{count} 处", "en": "Edited {path}: {places}"},
    "edited_yours": {
        "zh": "修改 {path}：{count} 处，其中 {yours} 段是你写的，可以撤销",
        "en": "Edited {path}: {places}; lines of yours among them: {yours}. It can be undone",
    },
    "not_found": {"zh": "{path} 里没找到要改的地方", "en": "The place to edit isn't in {path}"},
    "stale": {
        "zh": "{path} 你刚改过，先看了你的改动再说",
        "en": "You changed {path} meanwhile: it was left until your changes are read",
    },
    "deleted": {"zh": "删除 {path}（在回收站里）", "en": "Deleted {path} (it is in the trash)"},
    "protected": {
        "zh": "{path} 是你写过或定过稿的，原样保留",
        "en": "{path} is yours, by your hand or approval: kept as you left it",
    },
    "exists": {"zh": "{path} 已有内容，没有覆盖", "en": "{path} has text and wasn't replaced"},
    "read_only": {"zh": "这一轮只看不改", "en": "Nothing is changed in this turn"},
    "clarify": {"zh": "先问清楚再改", "en": "Asked first"},
    "asks": {"zh": "向你提问", "en": "Asks you"},
    "hands_on": {"zh": "交给 {agent}", "en": "Hands on to {agent}"},
    "sub_architect": {"zh": "建好了《{book}》", "en": "Made the book {book}"},
    "sub_writer": {"zh": "写好了下一章", "en": "Wrote what comes next"},
    "sub_auditor": {"zh": "审过了", "en": "Judged the chapter"},
    "sub_reviser": {"zh": "修订过了", "en": "Went over the chapter"},
    "sub_exporter": {"zh": "导出好了", "en": "Made the file"},
    "skill": {"zh": "参考技能 {name}", "en": "Read the skill {name}"},
    "project": {"zh": "更新：{fields}", "en": "Updated: {fields}"},
    "parallel": {"zh": "{done} 件完成，{failed} 件没成", "en": "{done} done, {failed} not"},
}


def tell(turn: Turn, key: str, **values: object) -> str:
    """The sentence ``key`` with its values, in the language that the author writes."""
    return _WORDS[key][turn.reply_language].format(**values)
