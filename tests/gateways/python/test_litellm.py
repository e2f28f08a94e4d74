"""LiteLLM's proxy and its guardrail `headroom`. It holds back what the model said, and the newest results, from us; those
become smaller one turn later."""

import re

import mock
import openai
import pytest
import story
from story import CLIENTS, OUTPUTS, calls, results, tell


def agent_of(client, litellm, *guardrails):
    """A client of the proxy; these guardrails are asked beside the one that all requests have."""
    agent = CLIENTS[client][0].Agent(litellm.url)
    agent.client = agent.client.with_options(api_key=litellm.key)
    if guardrails:
        create = agent.client.chat.completions.create
        agent.client.chat.completions.create = lambda **asked: create(**asked, extra_body={"guardrails": [*guardrails]})
    return agent


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("client", CLIENTS)
def test_results_become_smaller_and_stay_with_their_calls(litellm, client, streams):
    said, bodies = tell(agent_of(client, litellm), streams)
    assert said[-2:] == ["All tests passed.", "There are 120 services."]
    assert len(bodies) == 4
    rows, run = OUTPUTS.values()
    for body in bodies:
        assert [*results(body)] == calls(body)
    third, last = [*results(bodies[2]).values()], [*results(bodies[3]).values()]
    assert third[1] == run
    assert len(third[0]) < len(rows) / 2 and "119" in third[0]
    # Where the model cannot fetch, nothing is left out.
    assert len(last[1]) < (len(run) / 2 if litellm.fetches else len(run)) and "400 passed" in last[1]
    # What was made smaller once is the same in later requests: the provider has it in its cache.
    assert last[0] == third[0]
    saved = [sum(map(len, results(body).values())) for body in bodies]
    print(f"{client}: {sum(map(len, OUTPUTS.values()))} characters of results became {saved[3]} in the last request")


def test_the_model_can_fetch_what_was_left_out_and_nothing_is_where_it_cannot(litellm):
    _, bodies = tell(agent_of("chat", litellm), False)
    if not litellm.fetches:
        assert "hash=" not in str(bodies) and "headroom_retrieve" not in str(bodies)
        return
    [(_, left_out)] = [pair for pair in results(bodies[3]).items() if "hash=" in pair[1]]
    hash = re.search("hash=([0-9a-f]{24})", left_out).group(1)
    assert "headroom_retrieve" in [tool["function"]["name"] for tool in bodies[3]["tools"]]

    fetch = {"call": "headroom_retrieve", "arguments": {"hash": hash}}
    agent = agent_of("chat", litellm)
    said, bodies = tell(agent, False, [*story.REPLIES[:3], fetch, story.REPLIES[3]])
    assert said[-1] == "There are 120 services."
    assert OUTPUTS["cargo test"] in results(bodies[4]).values()
    assert "headroom" not in str(agent.messages)


@pytest.mark.parametrize("guardrail", ["gone-open", "wrong-key-open"])
def test_a_guardrail_that_fails_open_costs_no_request(litellm, guardrail):
    said, bodies = tell(agent_of("chat", litellm, guardrail), False)
    assert said[-1] == "There are 120 services." and len(bodies) == 4


def test_a_guardrail_that_fails_closed_stops_the_request(litellm):
    agent = agent_of("chat", litellm, "gone")
    mock.call("DELETE", "requests")
    mock.call("POST", "replies", [{"call": "Bash", "arguments": {"command": "cargo test"}}])
    agent.messages.append({"role": "assistant", "content": "Yes?"})
    agent.messages.append({"role": "user", "content": "Go on."})
    with pytest.raises(openai.APIStatusError) as refused:
        agent.ask(False)
    assert refused.value.status_code == 502
    assert story.sent() == []


def test_what_litellm_keeps_for_the_provider_s_cache_passes_as_it_came(litellm):
    """It holds back everything up to the last `cache_control`: that is all of what Claude Code sends."""
    agent = agent_of("messages", litellm)
    mock.call("DELETE", "requests")
    mock.call("DELETE", "replies")
    mock.call("POST", "replies", story.REPLIES)
    story.turn(agent, False)
    question = {"type": "text", "text": "How many?", "cache_control": {"type": "ephemeral"}}
    agent.messages.append({"role": "user", "content": [question]})
    assert story.turn(agent, False) == ["There are 120 services."]
    assert [*results(story.sent()[3]).values()] == [*OUTPUTS.values()]

