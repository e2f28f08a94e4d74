"""Requests that botocore signed: the provider checks signatures as botocore makes them, and strangers are not signed for."""

import os

import mock
import pytest
from agents.bedrock_signed import client
from botocore.exceptions import ClientError

KEY, SECRET = os.environ["SIGNED_WITH"].split(":")
MODELS = [
    "anthropic.claude-sonnet-4-5-20250929-v1:0",
    "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
]


def converse(client, model=MODELS[0]):
    answer = client.converse(modelId=model, messages=[{"role": "user", "content": [{"text": "Hello."}]}])
    return answer["output"]["message"]["content"][0]["text"]


@pytest.fixture(autouse=True)
def forgotten():
    mock.call("DELETE", "requests")
    mock.call("DELETE", "replies")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("url", ["MOCK_URL", "GATEWAY_URL"])
def test_the_provider_accepts_what_botocore_signs_and_what_the_gateway_signs_again(url, model):
    assert converse(client(os.environ[url], KEY, SECRET), model) == "ok"


def test_the_provider_refuses_a_request_that_was_changed_after_botocore_signed_it():
    changing = client(os.environ["MOCK_URL"], KEY, SECRET)

    def change(request, **_):
        request.body = request.body.replace(b"Hello.", b"Hullo.")

    changing.meta.events.register("before-send.bedrock-runtime", change)
    with pytest.raises(ClientError, match="InvalidSignatureException"):
        converse(changing)


@pytest.mark.parametrize("key, secret", [(KEY, "guessed"), ("AKIASTRANGER", SECRET)])
def test_who_has_not_the_key_of_the_gateway_is_not_signed_for(key, secret):
    with pytest.raises(ClientError, match="InvalidSignatureException|UnrecognizedClientException"):
        converse(client(os.environ["GATEWAY_URL"], key, secret))
    assert f"Credential={key}/" in mock.requests()[-1]["headers"]["authorization"]


def test_what_is_meant_for_the_gateway_is_no_part_of_what_the_provider_gets():
    keyed = client(os.environ["GATEWAY_URL"], KEY, SECRET)
    # Before it is signed, as a program of a team does it.
    keyed.meta.events.register("before-sign.bedrock-runtime", lambda request, **_: request.headers.add_header("X-Forge-Session", "s"))
    assert converse(keyed) == "ok"
    assert "x-forge-session" not in mock.requests()[-1]["headers"]
