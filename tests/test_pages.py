"""What other pages say of the exercises is what their files say."""

from pathlib import Path

import pytest

from practice.desk import pages
from practice.exercise import exercise_ids, load


def copied(tmp_path: Path) -> Path:
    for name, _ in pages.PAGES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((pages.ROOT / name).read_text("utf-8"), "utf-8")
    return tmp_path


def test_the_pages_are_up_to_date():
    assert pages.sync(write=False) == []


def test_a_stale_page_is_named_and_written(tmp_path):
    root = copied(tmp_path)
    readme = root / "README.md"
    readme.write_text(readme.read_text("utf-8").replace("**d3**", "d33"), "utf-8")
    assert pages.sync(write=False, root=root) == ["README.md: the chapters are stale"]
    assert pages.sync(write=True, root=root) == ["README.md: the chapters are stale: written"]
    assert pages.sync(write=False, root=root) == []


def test_a_page_without_markers_says_which(tmp_path):
    root = copied(tmp_path)
    (root / "README.md").write_text("nothing")
    with pytest.raises(ValueError, match=r"README\.md needs <!-- chapters:begin -->"):
        pages.sync(write=True, root=root)


def test_the_teachers_page_has_every_exercise_and_every_misconception():
    page = (pages.ROOT / "docs" / "teaching.md").read_text("utf-8")
    for exercise in map(load, exercise_ids()):
        assert f"#### {exercise.id} · {exercise.title}" in page
        assert all(f"- `{wrong.name}`: {wrong.sentence}" in page for wrong in exercise.wrong)
