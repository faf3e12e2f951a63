from zencli.prose.diff import sentence_diff


def test_a_changed_sentence_stands_under_its_paragraph_with_one_around() -> None:
    old = "# 题\n\n他来了。\n\n他推门。雨停了。天亮了。他走了。\n"
    new = old.replace("雨停了。", "雨还在下。")
    assert sentence_diff(old, new, "zh") == (
        "@@ 第 3 段 @@\n  他推门。\n- 雨停了。\n+ 雨还在下。\n  天亮了。\n"
    )


def test_equal_texts_have_no_difference() -> None:
    assert sentence_diff("# One\n\nHe left.", "# One\n\nHe left.\n", "en") == ""


def test_rewrapped_english_lines_are_no_difference() -> None:
    assert sentence_diff("He left the\nhouse. Now.", "He left the house.\nNow.", "en") == ""


def test_a_merged_paragraph_shows_as_its_lost_end() -> None:
    got = sentence_diff("He left.\n\nShe came.", "He left. She came.", "en")
    assert got == "@@ paragraph 1 @@\n  He left.\n- ¶\n  She came.\n"


def test_an_old_text_that_was_empty() -> None:
    assert sentence_diff("", "他来了。", "zh") == "@@ 第 1 段 @@\n+ 他来了。\n+ ¶\n"


def test_a_changed_title_shows() -> None:
    assert "- # 旧\n+ # 新\n" in sentence_diff("# 旧\n\n他来了。", "# 新\n\n他来了。", "zh")
