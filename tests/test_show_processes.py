"""The four processes: each message goes between neighbours, and every form tells it."""

from minisgl_tok import messages
from minisgl_tok.show.processes import BOXES, HOPS, Processes, processes


def test_each_message_goes_between_neighbours_and_is_one_of_the_wire():
    names = list(BOXES)
    for hop in HOPS:
        assert abs(names.index(hop.sender) - names.index(hop.receiver)) == 1
        assert hop.message.startswith("a") or hasattr(messages, hop.message)


def test_every_form_names_the_message():
    picture = Processes()
    for step, hop in enumerate(HOPS):
        assert hop.message in picture.html(step) and hop.message in picture.text(step)
    assert picture.film(0).count("<tr>") == len(HOPS) + 1
    assert len(picture.plain().splitlines()) == len(HOPS)


def test_stepping_lights_up_the_next_message():
    player = processes()
    player.next.click()
    assert player.step == 1 and HOPS[1].words in player.view.value
    assert player._repr_mimebundle_()["text/html"] == processes()._repr_mimebundle_()["text/html"]
