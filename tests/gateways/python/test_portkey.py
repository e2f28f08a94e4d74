"""Portkey's gateway and its guardrail `default.webhook`, which sends us the whole request. The package has no guardrail for
compression: that one is part of the hosted product."""

import json
import os

import pytest
from story import CLIENTS, OUTPUTS, calls, results, tell

PROVIDERS = {"chat": "openai", "messages": "anthropic", "responses": "openai"}


def agent_of(client, portkey, address, key=os.environ["GATEWAY_KEY"], **check):
    """A client whose requests have our guardrail."""
    webhook = {"webhookURL": f"{address}/v1/compress", "headers": {"x-forge-key": key}, "timeout": 10_000, **check}
    config = {
        "provider": PROVIDERS[client],
        "api_key": "test",
        "custom_host": f"{os.environ['MOCK_URL']}/v1",
        "input_guardrails": [{"default.webhook": webhook, "deny": True}],
    }
    agent = CLIENTS[client][0].Agent(portkey)
    agent.client = agent.client.with_options(default_headers={"x-portkey-config": json.dumps(config)})
    return agent


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("client", ["chat", "messages"])
def test_results_become_smaller_and_stay_with_their_calls(portkey, client, streams):
    said, bodies = tell(agent_of(client, portkey, os.environ["GATEWAY_URL"]), streams)
    assert said[-2:] == ["All tests passed.", "There are 120 services."]
    assert len(bodies) == 4
    for body in bodies:
        assert [*results(body)] == calls(body)
    # At first sight, and the same in every request: the provider has it in its cache.
    first, last = [*results(bodies[1]).values()], [*results(bodies[3]).values()]
    assert last[0] == first[0] and last[:1] == [*results(bodies[2]).values()][:1]
    for shown, came in zip(last, OUTPUTS.values()):
        assert len(shown) < len(came)
        assert "hash=" not in shown and "SHADOW" not in shown
    assert len(last[0]) < len(OUTPUTS["./list-services"]) / 2
    print(f"{client}: {sum(map(len, OUTPUTS.values()))} characters of results became {sum(map(len, last))}")


def test_responses_pass_without_guardrails(portkey):
    """Portkey runs none on that path."""
    said, bodies = tell(agent_of("responses", portkey, os.environ["GATEWAY_URL"]), False)
    assert said[-1] == "There are 120 services."
    assert [*results(bodies[3]).values()] == [*OUTPUTS.values()]


@pytest.mark.parametrize("wrong", [{"address": "http://127.0.0.1:9"}, {"key": "no-key-of-ours"}], ids=["gone", "key"])
def test_where_we_do_not_answer_requests_pass_as_they_came(portkey, wrong):
    settings = {"address": os.environ["GATEWAY_URL"], **wrong}
    said, bodies = tell(agent_of("chat", portkey, **settings), False)
    assert said[-1] == "There are 120 services."
    assert [*results(bodies[3]).values()] == [*OUTPUTS.values()]


SECRET = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize("client", ["chat", "messages"])
def test_no_secret_of_the_whole_request_reaches_the_provider(portkey, client):
    agent = agent_of(client, portkey, os.environ["STRICT_URL"], failOnError=True)
    agent.messages[0]["content"] = f"My token is {SECRET}. Do the tests pass?"
    said, bodies = tell(agent, False)
    assert said[-1] == "There are 120 services."
    assert SECRET not in json.dumps(bodies) and "[REDACTED:github-token]" in json.dumps(bodies[3])


def test_what_cannot_be_checked_for_secrets_is_not_sent(portkey):
    agent = agent_of("chat", portkey, "http://127.0.0.1:9", failOnError=True)
    with pytest.raises(Exception) as refused:
        tell(agent, False)
    assert refused.value.status_code == 446
