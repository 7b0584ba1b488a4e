#!/usr/bin/env python3
"""Plays one seat of a match to its end, by any legal moves.

Set-up, in this folder:

    python3 -m venv .venv && .venv/bin/pip install -r requirements.txt
    .venv/bin/python -m grpc_tools.protoc -I ../.. --python_out=. --grpc_python_out=. ../../referee/v1/*.proto

Then take a seat that somebody gave you a claim code for, or host a match of your own against two bots:

    .venv/bin/python play.py 127.0.0.1:7435 --match matches/… --seat 1 --code rfc_…
    .venv/bin/python play.py 127.0.0.1:7435 --host rfh_…
"""

import argparse
import os
import random
import sys
import time
import uuid

import grpc
from google.rpc import error_details_pb2, status_pb2

from referee.v1 import (
    common_pb2,
    error_pb2,
    match_service_pb2,
    play_service_pb2,
    record_service_pb2,
    ruleset_service_pb2,
    table_event_pb2,
)
from referee.v1.match_service_pb2_grpc import MatchServiceStub
from referee.v1.play_service_pb2_grpc import PlayServiceStub
from referee.v1.record_service_pb2_grpc import RecordServiceStub


SERVICE_CONFIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../service_config.json")


def bearer(token):
    return [("authorization", f"Bearer {token}"), ("accept-language", "en")]


def request_id():
    return str(uuid.uuid4())


def detail(error, kind):
    """The detail of this kind that a failure carries, or an empty one."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            for packed in status_pb2.Status.FromString(value).details:
                found = kind()
                if packed.Unpack(found):
                    return found
    return kind()


def host(matches, token, ruleset, players, seed):
    """Creates a match with bots on all seats but the first; gives its name and the first seat's code."""
    create = match_service_pb2.CreateMatchRequest(
        ruleset=ruleset,
        configuration=ruleset_service_pb2.Configuration(players=players),
        test_seed=bytes.fromhex(seed),
        request_id=request_id(),
    )
    created = matches.CreateMatch(create, metadata=bearer(token))
    name = created.match.name
    for seat in range(2, players + 1):
        bot = match_service_pb2.SeatBotRequest(
            name=f"{name}/seats/{seat}", bot=table_event_pb2.BOT_KIND_RANDOM, request_id=request_id()
        )
        matches.SeatBot(bot, metadata=bearer(token))
    return name, created.claim_codes[0].code


def choose_bag(domain):
    """As many pieces as may be: the fullest kinds whole, then single pieces."""
    left, kinds = domain.most, domain.kinds if domain.HasField("kinds") else sys.maxsize
    whole, loose = (domain.loose.kinds, domain.loose.pieces) if domain.HasField("loose") else (sys.maxsize, 0)
    bag = common_pb2.Bag(table=domain.table)
    for row in sorted(domain.available, key=lambda row: -row.count):
        count = min(row.count, left)
        if whole > 0:
            whole -= 1
        else:
            count = min(count, loose)
            loose -= count
        if count > 0 and kinds > 0:
            kinds, left = kinds - 1, left - count
            bag.counts.add(row=row.row, count=count)
    return common_pb2.Value(bag=bag)


def choose_spread(domain):
    """Every piece where there is room; what does not fit goes to the overflow by itself."""
    free = [room.room for room in domain.rooms]
    spread = common_pb2.Spread()
    for pieces in domain.pieces:
        left = pieces.count
        for i, room in enumerate(domain.rooms):
            count = min(left, free[i])
            if count > 0:
                free[i], left = free[i] - count, left - count
                spread.shares.add(place=room.place, row=pieces.row, count=count)
    return common_pb2.Value(spread=spread)


def choose_amount(domain):
    """One step above the least: an offer of nothing at all is often refused."""
    more = domain.least + domain.step
    return common_pb2.Value(integer=more if more <= domain.most else domain.least)


# How to choose within each kind of domain.
CHOOSE = {
    "bag": choose_bag,
    "spread": choose_spread,
    "amount": choose_amount,
    "values": lambda domain: domain.values[0],
}


def complete(offer):
    """A complete move: the fixed arguments of an offer, and a choice for each open parameter."""
    move = common_pb2.Move(name=offer.name, arguments=offer.fixed)
    for parameter in offer.open:
        kind = parameter.WhichOneof("domain")
        move.arguments.add(name=parameter.name, value=CHOOSE[kind](getattr(parameter, kind)))
    return move


def answer(play, name, metadata, rng):
    """Answers until nothing more is asked; gives how many moves that took."""
    made = 0
    while True:
        asked = play_service_pb2.ListDecisionsRequest(name=name, page_size=1000)
        decisions = play.ListDecisions(asked, metadata=metadata).decisions
        if not decisions:
            return made
        decision = decisions[0]
        # Passing seldom makes games end; any other offer is as good as the next.
        offers = [offer for offer in decision.offers if offer.name != "pass"] or list(decision.offers)
        submit = play_service_pb2.SubmitMoveRequest(
            name=name,
            decision_id=decision.decision_id,
            move=complete(rng.choice(offers)),
            request_id=request_id(),
        )
        while True:
            try:
                # Repeated by the service config if the referee cannot be reached: it is made once.
                play.SubmitMove(submit, metadata=metadata)
                made += 1
                break
            except grpc.RpcError as error:
                reason = detail(error, error_details_pb2.ErrorInfo).reason
                refusal = detail(error, error_pb2.Refusal)
                if reason == "MOVE_REFUSED" and refusal.alternatives:
                    # Open parameters of a move may limit each other: the refusal names moves that are legal.
                    submit.move.CopyFrom(refusal.alternatives[0])
                    submit.request_id = request_id()
                elif reason in ("DECISION_SUPERSEDED", "MATCH_OVER"):
                    break  # look again
                else:
                    raise


def play_out(play, name, token, rng):
    """Plays a seat until the match is over; gives how it ended and how many moves were made."""
    metadata, resume_token, made = bearer(token), "", 0
    while True:
        start = {"resume_token": resume_token} if resume_token else {"from_now": play_service_pb2.FromNow()}
        watch = play_service_pb2.WatchMatchRequest(name=name, **start)
        try:
            for message in play.WatchMatch(watch, metadata=metadata):
                resume_token = message.resume_token
                if message.HasField("closed"):
                    return message.closed, made
                if message.asked.questions:
                    made += answer(play, name, metadata, rng)
        except grpc.RpcError as error:
            reason = detail(error, error_details_pb2.ErrorInfo).reason
            # What the referee says itself has a reason, a connection that breaks has none.
            broken = not reason and error.code() in (
                grpc.StatusCode.CANCELLED,
                grpc.StatusCode.INTERNAL,
                grpc.StatusCode.UNKNOWN,
            )
            if reason == "RESUME_TOKEN_INVALID" and resume_token:
                resume_token = ""  # of another version of the referee: everything is looked at anew
            elif not broken and error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED):
                raise
            time.sleep(0.5)  # the stream goes on where it stopped


def main():
    parser = argparse.ArgumentParser(description="Plays one seat of a match to its end, by any legal moves.")
    parser.add_argument("address", help="where the referee listens: 127.0.0.1:7435")
    parser.add_argument("--match", help="the match: matches/…")
    parser.add_argument("--seat", type=int, default=1, help="the seat, from 1")
    parser.add_argument("--code", help="the seat's claim code: rfc_…")
    parser.add_argument("--host", help="a host's token: creates a match against bots")
    parser.add_argument("--ruleset", default="rulesets/puerto-rico", help="what to play, with --host")
    parser.add_argument("--players", type=int, default=3, help="how many, with --host")
    parser.add_argument("--seed", default="", help="a chosen seed, for a referee that runs with --testing")
    parser.add_argument("--service-config", default=SERVICE_CONFIG, help="which calls are repeated, and how")
    parser.add_argument("--record", help="write the record of the match to this file, with --host")
    asked = parser.parse_args()

    with open(asked.service_config) as file:
        options = [("grpc.service_config", file.read())]
    with grpc.insecure_channel(asked.address, options) as channel:
        matches, play = MatchServiceStub(channel), PlayServiceStub(channel)
        name, code = asked.match, asked.code
        if asked.host:
            name, code = host(matches, asked.host, asked.ruleset, asked.players, asked.seed)
        claim = match_service_pb2.ClaimSeatRequest(
            name=f"{name}/seats/{asked.seat}", claim_code=code, display_name="Python", request_id=request_id()
        )
        token = matches.ClaimSeat(claim).seat_token
        if asked.host:
            start = match_service_pb2.StartMatchRequest(name=name, request_id=request_id())
            matches.StartMatch(start, metadata=bearer(asked.host))
        closed, made = play_out(play, name, token, random.Random(7))
        ending = closed.outcome.ending or table_event_pb2.Conclusion.Name(closed.conclusion)
        scores = ", ".join(f"seat {sheet.seat}: {sheet.total}" for sheet in closed.outcome.scores)
        print(f"{name} ended by {ending} after {made} moves of mine; {scores}")
        if asked.record and asked.host:
            records = RecordServiceStub(channel)
            export = record_service_pb2.ExportRecordRequest(name=name)
            with open(asked.record, "wb") as file:
                for piece in records.ExportRecord(export, metadata=bearer(asked.host)):
                    file.write(piece.data)


if __name__ == "__main__":
    main()
