"""Bedrock Converse with `boto3` and an access key: botocore signs each request (SigV4) for the gateway's address."""

import os

import boto3
from botocore.config import Config

from . import bedrock


class Agent(bedrock.Agent):
    def connect(self, gateway):
        key, secret = os.environ["SIGNED_WITH"].split(":")
        return client(gateway, key, secret)


def client(url, key, secret):
    return boto3.client(
        "bedrock-runtime",
        region_name="eu-west-1",
        endpoint_url=url,
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        # With AWS_BEARER_TOKEN_BEDROCK set, boto3 would show that.
        config=Config(retries={"total_max_attempts": 1}, signature_version="v4"),
    )
