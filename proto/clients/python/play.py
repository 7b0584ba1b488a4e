#!/usr/bin/env python3
"""Hosts a match against bots of the referee, has bot.py play its first seat to the end, and fetches the record.

Set-up, in this folder:

    python3 -m venv .venv && .venv/bin/pip install -r requirements.txt
    .venv/bin/python -m grpc_tools.protoc -I ../.. --python_out=. --grpc_python_out=. ../../referee/v1/*.proto

Then, with a host's token:

    .venv/bin/python play.py 127.0.0.1:7435 --host rfh_…

bot.py alone plays a seat that somebody gave you a claim code for:

    .venv/bin/python bot.py 127.0.0.1:7435 matches/…/seats/1 rfc_… ../../service_config.json
"""

import argparse
import os
import subprocess
import sys
import uuid

import grpc

from referee.v1 import match_service_pb2, record_service_pb2, ruleset_service_pb2, table_event_pb2
from referee.v1.match_service_pb2_grpc import MatchServiceStub
from referee.v1.record_service_pb2_grpc import RecordServiceStub

HERE = os.path.dirname(os.path.abspath(__file__))


def request_id():
    return str(uuid.uuid4())


def begin(matches, metadata, ruleset, players, seed):
    """Starts a match with bots on all seats but the first; gives its name and the first seat's token."""
    create = match_service_pb2.CreateMatchRequest(
        ruleset=ruleset,
        configuration=ruleset_service_pb2.Configuration(players=players),
        test_seed=bytes.fromhex(seed),
        request_id=request_id(),
    )
    created = matches.CreateMatch(create, metadata=metadata)
    mine, *others = created.claim_codes
    for other in others:
        bot = match_service_pb2.SeatBotRequest(
            name=other.name, bot=table_event_pb2.BOT_KIND_RANDOM, request_id=request_id()
        )
        matches.SeatBot(bot, metadata=metadata)
    claim = match_service_pb2.ClaimSeatRequest(
        name=mine.name, claim_code=mine.code, display_name="Python", request_id=request_id()
    )
    token = matches.ClaimSeat(claim).seat_token
    start = match_service_pb2.StartMatchRequest(name=created.match.name, request_id=request_id())
    matches.StartMatch(start, metadata=metadata)
    return created.match.name, token


def main():
    parser = argparse.ArgumentParser(
        description="Hosts a match and has bot.py play its first seat to the end."
    )
    parser.add_argument("address", help="where the referee listens: 127.0.0.1:7435")
    parser.add_argument("--host", required=True, help="a host's token: rfh_…")
    parser.add_argument("--ruleset", default="rulesets/puerto-rico", help="what to play")
    parser.add_argument("--players", type=int, default=3, help="how many")
    parser.add_argument("--seed", default="", help="a chosen seed, for a referee that runs with --testing")
    parser.add_argument(
        "--service-config",
        default=os.path.join(HERE, "../../service_config.json"),
        help="which calls are repeated, and how",
    )
    parser.add_argument("--record", help="write the record of the match to this file")
    asked = parser.parse_args()

    with open(asked.service_config) as file:
        options = [("grpc.service_config", file.read())]
    metadata = [("authorization", f"Bearer {asked.host}")]
    with grpc.insecure_channel(asked.address, options) as channel:
        matches, records = MatchServiceStub(channel), RecordServiceStub(channel)
        name, token = begin(matches, metadata, asked.ruleset, asked.players, asked.seed)
        bot = [os.path.join(HERE, "bot.py"), asked.address, f"{name}/seats/1", token, asked.service_config]
        played = subprocess.run([sys.executable, *bot])
        if played.returncode != 0:
            sys.exit(f"bot.py failed in {name}: what it said stands above")
        if asked.record:
            export = record_service_pb2.ExportRecordRequest(name=name)
            with open(asked.record, "wb") as file:
                for piece in records.ExportRecord(export, metadata=metadata):
                    file.write(piece.data)


if __name__ == "__main__":
    main()
