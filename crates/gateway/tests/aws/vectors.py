"""Signatures as botocore makes them. Writes vectors.json: run it with the Python of tests/sdk."""

import datetime
import json
from pathlib import Path

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
BEDROCK = "https://bedrock-runtime.us-east-1.amazonaws.com"
JSON = {"Content-Type": "application/json"}
PROFILE = "arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fus.anthropic.claude"
HASH = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"

# name, method, URL, headers, body, and what differs from the usual
VECTORS = [
    ("a colon in a model, encoded", "POST", f"{BEDROCK}/model/anthropic.claude-v1%3A0/converse", JSON, '{"messages":[]}', {}),
    ("a colon in a model, as it is", "POST", f"{BEDROCK}/model/m:0/invoke", JSON, "{}", {}),
    ("an ARN with a slash", "POST", f"{BEDROCK}/model/{PROFILE}/invoke", JSON | {"Accept": "application/json"}, '{"a":"\u00e9"}', {}),
    ("temporary credentials", "POST", f"{BEDROCK}/model/m/converse-stream", JSON, "{}", {"token": "IQoJb3JpZ2luX2VjE//t+=="}),
    ("a query", "GET", f"{BEDROCK}/async-invoke?statusEquals=Done&maxResults=5&nextToken=a%2Fb%3D&flag", {}, "", {}),
    ("a port, without TLS", "POST", "http://127.0.0.1:8787/model/m/converse", JSON | {"amz-sdk-request": "attempt=1"}, '{"x":1}', {}),
    ("the usual port", "POST", "https://h.example:443/model/m/converse", JSON, "{}", {}),
    ("white space in headers", "POST", f"{BEDROCK}/model/m/converse", JSON | {"X-Amz-Trace": "  a   b  ", "My-Header": "x\t y"}, "{}", {}),
    ("dots, empty segments and odd bytes", "POST", f"{BEDROCK}/p//a/./b/../model/(m)!*'/converse/", JSON, "{}", {"region": "eu-west-1"}),
    ("the hash as a header", "POST", f"{BEDROCK}/model/m/converse", JSON | {"X-Amz-Content-SHA256": HASH}, "{}", {}),
]

# From AWS's own suite (aws-sig-v4-test-suite), which has its own date and service.
SUITE = {"service": "service", "time": datetime.datetime(2015, 8, 30, 12, 36)}
EXAMPLE = "https://example.amazonaws.com"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
VECTORS += [
    ("get-vanilla", "GET", f"{EXAMPLE}/", {}, "", SUITE),
    ("post-x-www-form-urlencoded", "POST", f"{EXAMPLE}/", FORM, "Param1=value1", SUITE),
    ("get-vanilla-query-order-value", "GET", f"{EXAMPLE}/?Param1=value2&Param1=value1", {}, "", SUITE),
]


def vector(name, method, url, headers, body, other):
    request = AWSRequest(method=method, url=url, headers=headers, data=body.encode())
    time = other.get("time", datetime.datetime(2026, 11, 19, 3, 52, 20))
    botocore.auth.get_current_datetime = lambda: time
    credentials = Credentials(KEY, SECRET, other.get("token"))
    service, region = other.get("service", "bedrock"), other.get("region", "us-east-1")
    botocore.auth.SigV4Auth(credentials, service, region).add_auth(request)
    signed = {header.lower(): value for header, value in request.headers.items()}
    return {"name": name, "method": method, "url": url, "body": body, "token": other.get("token"), "headers": signed}


if __name__ == "__main__":
    vectors = [vector(*given) for given in VECTORS]
    document = {"botocore": botocore.__version__, "key_id": KEY, "secret": SECRET, "vectors": vectors}
    Path(__file__).with_name("vectors.json").write_text(json.dumps(document, indent=1) + "\n")
