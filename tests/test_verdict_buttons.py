"""The buttons of a verdict in a notebook: the name, a hint, the solution, the replay."""

from __future__ import annotations

from collections.abc import Callable

from kernel import Kernel

from practice.engine import answers
from practice.exercise import load

WRONG_A0 = "def ends_in_half(text):\n    return chr(0xFFFD) in text\n"


def view_of(kernel: Kernel, answer: str, id_: str = "a0") -> None:
    """Leaves the last verdict's display as `view` in the kernel."""
    kernel.run(
        "from practice.lesson import notebook\n"
        "seen = []\n"
        "class Seen(notebook.VerdictView):\n"
        "    def __init__(self, *a, **k):\n"
        "        super().__init__(*a, **k); seen.append(self)\n"
        "original = notebook.VerdictView; notebook.VerdictView = Seen"
    )
    kernel.run(f"%%answer {id_}\n{answer}")
    kernel.run(
        "notebook.VerdictView = original; view = seen[-1]\n"
        "def press(word):\n"
        "    [b] = [b for b in view.buttons.children if word in b.description]; b.click()"
    )


def test_a_verdict_is_a_widget_with_its_page_and_text_beside_it(kernel: Kernel) -> None:
    shown = kernel.run(f"%%answer a0\n{WRONG_A0}")
    assert len(shown.widgets) == 1
    assert shown.html.count("✗ wrong") == shown.text.count("✗ wrong") == 1


def test_the_button_names_the_mistake(kernel: Kernel) -> None:
    view_of(kernel, WRONG_A0)
    kernel.run("press('what is it?')")
    assert load("a0").wrong[0].sentence in kernel.run("print(view.page.value)").text
    assert "what is it" not in kernel.run("print([b.description for b in view.buttons.children])").text


def test_the_hint_button_gives_one_more_each_time(kernel: Kernel) -> None:
    view_of(kernel, WRONG_A0)
    for number in (1, 2, 3):
        assert (
            f"hint {number} of 3" in kernel.run("print([b.description for b in view.buttons.children])").text
        )
        kernel.run("press('hint')")
        assert f"a0: hint {number} of 3" in kernel.run("print(view.note.value)").text
    assert answers.load_state().hints == {"a0": 3}


def test_the_solution_asks_first_and_then_shows(kernel: Kernel) -> None:
    view_of(kernel, WRONG_A0)
    kernel.run("press('solution')")
    assert "endswith" not in kernel.run("print(view.note.value)").text
    kernel.run("press('yes')")
    assert "endswith" in kernel.run("print(view.note.value)").text
    assert answers.load_state().revealed == ["a0"]


def test_a_failing_button_shows_why(kernel: Kernel) -> None:
    view_of(kernel, WRONG_A0)
    kernel.run("view.session.judge.name = lambda verdict: 1 / 0\npress('what is it?')")
    assert "ZeroDivisionError" in kernel.run("print(view.note.value)").text
    kernel.run("del view.session.judge.name")


def test_replay_opens_the_stepper_at_the_message_that_differs(
    kernel: Kernel, source_of: Callable[..., str]
) -> None:
    kernel.run("judge.start('03')")
    view_of(kernel, source_of("d3", "moves_on_half"), "d3")
    kernel.run("press('replay at message 1')")
    assert kernel.run("print(view.note.value)").text == "\n"
    assert kernel.run("print(view.player.step, len(view.below.children))").text == "0 1\n"
    assert "U+FFFD was sent" in kernel.run("print(view.player.view.value)").text
    kernel.run('view.player.manager.value = "the package\'s own"')
    assert "U+FFFD was sent" not in kernel.run("print(view.player.view.value)").text
