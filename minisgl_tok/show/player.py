"""The widgets around a picture: own text, choices, play, step and drag.

Every stepped picture sits in a `Player`. What it shows comes from `make`: a function of the
reader's choices that returns a `Picture`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

import ipywidgets as widgets

from .theme import STYLE
from .visible import sentence

# Texts that really split in Qwen3's vocabulary; common characters are one token each.
SURPRISES = (
    "鱻䨻🦩 is rare, 推理 naïve",
    "龘 and 🦩",
    "👩‍🔬 mixes",
    "one 推 after a space",
    "नमस्ते",
    "🏴‍☠️ 𝒜 ꧁",
    "ᚠᛇᚻ ⠓⠑⠇⠇⠕",
    "안녕 뷁",
    "𓀀 a\n\nb\t𐍈",
)


class Picture(Protocol):
    """What a player shows: some steps, each in two forms, and a page for where nothing runs."""

    def steps(self) -> int: ...

    def caption(self, step: int) -> str: ...

    def html(self, step: int) -> str: ...

    def text(self, step: int) -> str: ...

    def film(self, step: int) -> str: ...

    def plain(self) -> str: ...


@dataclass(frozen=True)
class Choices:
    """What the reader has set."""

    text: str
    tokenizer: str
    manager: str
    request: int | None  # None: all


class Player:
    """A picture to step through. Rich display is the live widget, a film strip, or plain text.

    `step` counts from 0. `tokenizers` and `managers` are names to choose from; a list of one
    has no menu. `fixed` leaves out the text field, where ids were given.
    """

    def __init__(
        self,
        make: Callable[[Choices], Picture],
        *,
        text: str = "",
        tokenizers: Sequence[str] = (),
        managers: Sequence[str] = (),
        requests: Sequence[int] = (),
        fixed: bool = False,
        at: int | None = None,
    ) -> None:
        self._make = make
        self._busy = False
        self.picture: Picture | None = None
        self.text = _text_field(text)
        self.surprise = _button("surprise me", "Another text that splits characters", "115px")
        self.tokenizer = _menu("tokenizer", tokenizers)
        self.manager = _menu("manager", managers)
        self.request = _menu("request", [("all", None), *((str(uid), uid) for uid in requests)])
        self.first = _button("⏮", "First message")
        self.previous = _button("◀", "Previous message")
        self.next = _button("▶", "Next message")
        self.play = widgets.Play(interval=900, min=1, max=1, tooltip="Play all messages")
        self.slider = widgets.IntSlider(
            min=1,
            max=1,
            value=1,
            readout=False,
            continuous_update=True,
            tooltip="Drag, or use the arrow keys",
        )
        self.slider.layout.flex = "1 1 200px"
        self.count = widgets.Label()
        self.as_text = widgets.ToggleButton(description="as text", tooltip="The same step in plain text")
        self.as_text.layout.width = "80px"
        self.view = widgets.HTML()
        self.view.add_class("mt-view")  # so that a wide picture scrolls inside the cell
        self.box = self._arrange(fixed, tokenizers, managers, requests)
        self._listen()
        self._safely(self._remake)
        if at is not None:
            self.step = at

    def _arrange(self, fixed: bool, tokenizers: Sequence, managers: Sequence, requests: Sequence) -> Any:
        menus = [
            menu
            for menu, names in (
                (self.tokenizer, tokenizers),
                (self.manager, managers),
                (self.request, requests),
            )
            if len(names) > 1
        ]
        top = [*([] if fixed else [self.text, self.surprise]), *menus]
        steps = [self.first, self.previous, self.play, self.next, self.slider, self.count, self.as_text]
        wrap = widgets.Layout(flex_flow="row wrap", align_items="center", width="100%")
        rows = [widgets.HBox(row, layout=wrap) for row in (top, steps) if row]
        return widgets.VBox([widgets.HTML(STYLE), *rows, self.view])

    def _listen(self) -> None:
        self.text.observe(lambda _: self._safely(self._restart), "value")
        for choice in (self.tokenizer, self.manager, self.request):
            choice.observe(lambda _: self._safely(self._remake), "value")
        self.slider.observe(lambda _: self._safely(self._draw), "value")
        self.as_text.observe(lambda _: self._safely(self._draw), "value")
        widgets.link((self.play, "value"), (self.slider, "value"))
        self.surprise.on_click(lambda _: self._safely(self._surprise))
        self.first.on_click(lambda _: self._safely(lambda: self._go(0)))
        self.previous.on_click(lambda _: self._safely(lambda: self._go(self.step - 1)))
        self.next.on_click(lambda _: self._safely(lambda: self._go(self.step + 1)))

    # -------------------------------------------------------------- state

    @property
    def step(self) -> int:
        """The message that is shown, from 0."""
        return min(self.slider.value, self.play.max) - 1

    @step.setter
    def step(self, step: int) -> None:
        self._go(step)

    def _go(self, step: int) -> None:
        self.slider.value = min(max(step + 1, 1), self.play.max)

    def _surprise(self) -> None:
        known = SURPRISES.index(self.text.value) if self.text.value in SURPRISES else -1
        self.text.value = SURPRISES[(known + 1) % len(SURPRISES)]

    def _restart(self) -> None:
        """Another text begins at its first message."""
        self.picture = None
        self.slider.value = 1
        self._remake()

    def _remake(self) -> None:
        choices = Choices(
            self.text.value, self.tokenizer.value or "", self.manager.value or "", self.request.value
        )
        self.picture = None
        self.picture = self._make(choices)
        steps = self.picture.steps()
        self._busy = True  # one drawing, however many numbers change
        try:
            self.play.playing = False
            self.slider.value = min(self.slider.value, max(1, steps))
            self.play.max = max(1, steps)
            self.slider.max = max(2, steps)  # its handle needs a way to go
        finally:
            self._busy = False
        self.slider.disabled = steps < 2
        self._draw()

    def _draw(self) -> None:
        if self.picture is None or self._busy:
            return
        self.count.value = self.picture.caption(self.step)
        if self.as_text.value:
            self.view.value = f'<div class="mt"><pre>{escape(self.picture.text(self.step))}</pre></div>'
        else:
            self.view.value = self.picture.html(self.step)

    def _safely(self, action: Callable[[], None]) -> None:
        """A callback's exception would vanish; show it where the reader looks."""
        try:
            action()
        except Exception as error:
            words = sentence(f"{type(error).__name__}: {error}")
            self.view.value = f'<div class="mt"><p class="say fault">✗ {escape(words)}</p></div>'

    # -------------------------------------------------------------- display

    def __repr__(self) -> str:
        return self.picture.plain() if self.picture else self.view.value

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        live = self.box._repr_mimebundle_() or {}
        film = self.picture.film(self.step) if self.picture else self.view.value
        return {**live, "text/plain": repr(self), "text/html": film}


def _text_field(text: str) -> widgets.Text:
    field = widgets.Text(value=text, placeholder="any text", tooltip="Any text; Enter or leave to stream it")
    field.continuous_update = False
    field.layout.flex = "1 1 260px"
    return field


def _button(label: str, tooltip: str, width: str = "44px") -> widgets.Button:
    button = widgets.Button(description=label, tooltip=tooltip)
    button.layout.width = width
    return button


def _menu(name: str, options: Sequence[Any]) -> widgets.Dropdown:
    menu = widgets.Dropdown(options=list(options) or [("", None)], description=name, tooltip=f"The {name}")
    menu.style.description_width = "initial"
    menu.layout.width = "auto"
    return menu
