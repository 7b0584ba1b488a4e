#!/usr/bin/env python3
"""Plays the golden exchanges of this folder against a referee: see README.md."""

import argparse
import glob
import importlib
import json
import os
import re
import sys
import uuid


def filled(value, kept):
    """A request with what was kept in its places."""
    if isinstance(value, dict):
        return {key: filled(inner, kept) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, kept) for inner in value]
    if not isinstance(value, str):
        return value

    def named(found):
        name = found.group(1)
        if name == "uuid":
            return str(uuid.uuid4())
        if name.startswith("uuid:"):
            return kept.setdefault(name, str(uuid.uuid4()))
        return kept[name]

    return re.sub(r"\$\{([^}]+)\}", named, value)


def part(value, path):
    for step in path.split("."):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def differs(expected, found, path=""):
    """Where an answer does not hold what it should; nothing if it does."""
    if isinstance(expected, dict):
        for key, inner in expected.items():
            if not isinstance(found, dict) or key not in found:
                return f"{path}.{key} is missing"
            if wrong := differs(inner, found[key], f"{path}.{key}"):
                return wrong
        return None
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) < len(expected):
            return f"{path} has too few elements: {found}"
        for i, inner in enumerate(expected):
            if wrong := differs(inner, found[i], f"{path}[{i}]"):
                return wrong
        return None
    return None if expected == found else f"{path} is {found!r}, not {expected!r}"


def failure(error):
    """Code, reason, fields and refusal of a failed call."""
    from google.protobuf import json_format
    from google.rpc import error_details_pb2, status_pb2
    from referee.v1 import error_pb2

    reason, fields, refused = "", [], {}
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            for detail in status_pb2.Status.FromString(value).details:
                info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
                refusal = error_pb2.Refusal()
                if detail.Unpack(info):
                    reason = info.reason
                elif detail.Unpack(bad):
                    fields = [violation.field for violation in bad.field_violations]
                elif detail.Unpack(refusal):
                    refused = json_format.MessageToDict(refusal)
    return {"code": error.code().name, "reason": reason, "fields": fields, "refusal": refused}


def play(channel, exchange, tokens):
    import grpc
    from google.protobuf import json_format

    kept = dict(tokens)
    for number, step in enumerate(exchange["steps"], 1):
        service, method = step["call"].split("/")
        file = re.sub(r"(?<!^)(?=[A-Z])", "_", service).lower()
        messages = importlib.import_module(f"referee.v1.{file}_pb2")
        stubs = importlib.import_module(f"referee.v1.{file}_pb2_grpc")
        request = json_format.ParseDict(filled(step["request"], kept), getattr(messages, f"{method}Request")())
        token = kept[step["as"]] if step["as"] else None
        metadata = [("authorization", f"Bearer {token}")] if token else []
        try:
            answer = getattr(getattr(stubs, f"{service}Stub")(channel), method)(request, metadata=metadata, timeout=20)
            if not hasattr(answer, "DESCRIPTOR"):
                answer = next(iter(answer))  # the first message of a stream
            found = {"response": json_format.MessageToDict(answer)}
        except grpc.RpcError as error:
            found = {"error": failure(error)}
        expected = {key: filled(step[key], kept) for key in ("response", "error") if key in step}
        if wrong := differs(expected, found):
            raise SystemExit(f"{exchange['what']}, step {number} ({step['call']}): {wrong}\n{json.dumps(found)[:2000]}")
        for name, path in step.get("keep", {}).items():
            kept[name] = part(found["response"], path)
    return len(exchange["steps"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--host", required=True, help="a host's token: rfh_…")
    parser.add_argument("--publisher", required=True, help="a publisher's token: rfp_…")
    parser.add_argument("--admin", required=True, help="an administrator's token: rfa_…")
    parser.add_argument("--code", required=True, help="a code that opens a host's token: rfo_…")
    parser.add_argument("--stubs", default=".", help="the folder of the generated stubs")
    asked = parser.parse_args()
    sys.path.insert(0, asked.stubs)
    import grpc

    tokens = {"host": asked.host, "publisher": asked.publisher, "admin": asked.admin, "hostCode": asked.code}
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "exchanges")
    with grpc.insecure_channel(asked.address) as channel:
        for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
            steps = play(channel, json.load(open(path)), tokens)
            print(f"{os.path.basename(path)}: {steps} steps as they should be")


if __name__ == "__main__":
    main()
