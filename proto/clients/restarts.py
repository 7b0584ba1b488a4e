#!/usr/bin/env python3
"""Kills a referee again and again while clients play, and sees that they play on as if nothing had happened.

    restarts.py during  REFEREE ADDRESS -- CLIENT…    while a client hosts and plays a match
    restarts.py titles  REFEREE ADDRESS -- CLIENT…    while a client plays a seat, in a match of every ruleset
    restarts.py between REFEREE ADDRESS -- CLIENT…    between a question and its answer, so many --times

REFEREE is the program; it keeps a store of its own, and listens on ADDRESS. In the words of CLIENT are put in: @address, @host
(a host's token), @seat (matches/…/seats/1) and @code (its claim code). Needs the stubs of the contract (python/play.py says how).

What `between` asks of a client, line by line on its output: "asked D C M N" before it answers the decision D, over the
connection number C of its own, M messages after the first of that connection, and N is 1 if that message itself said that D waits.
Then it reads a line. "answer": it answers, repeats that with the same request_id, and says "answered D moves_made replayed".
"again": it has not answered, the referee was killed meanwhile, and it must be told what it is asked once more.
`python/held.py` and `typescript/test/referee/held.ts` are such clients; --deaf gives them a fault that must be noticed: they
ignore `asked` in the first message of a new connection.
"""

import argparse
import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid

import grpc
from referee.v1 import (
    event_pb2,
    match_service_pb2,
    record_service_pb2,
    ruleset_service_pb2,
    spectator_service_pb2,
    table_event_pb2,
)
from referee.v1.match_service_pb2_grpc import MatchServiceStub
from referee.v1.record_service_pb2_grpc import RecordServiceStub
from referee.v1.ruleset_service_pb2_grpc import RulesetServiceStub
from referee.v1.spectator_service_pb2_grpc import SpectatorServiceStub

CONFIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../service_config.json")


def request_id():
    return str(uuid.uuid4())


class Referee:
    """A referee on a store of its own, and a host of it."""

    def __init__(self, program, address, folder, rulesets):
        self.address, self.deaths = address, 0
        self.tokens = os.path.join(folder, "tokens")
        self.words = [program, "serve", "--listen", address, "--store", os.path.join(folder, "store.sqlite")]
        self.words += [
            "--token-file",
            self.tokens,
            *(word for one in rulesets for word in ("--rulesets", one)),
        ]
        began = time.monotonic()
        self.serve()
        self.start_time = time.monotonic() - began
        with open(self.tokens) as file:
            self.host = re.search(r"host: (\S+)", file.read())[1]
        self.metadata = [("authorization", f"Bearer {self.host}")]
        with open(CONFIG) as file:
            channel = grpc.insecure_channel(address, [("grpc.service_config", file.read())])
        self.matches, self.rulesets = MatchServiceStub(channel), RulesetServiceStub(channel)
        self.records, self.spectators = RecordServiceStub(channel), SpectatorServiceStub(channel)

    def serve(self):
        self.process = subprocess.Popen(self.words, stderr=subprocess.PIPE, text=True)
        said = []
        for line in self.process.stderr:
            said.append(line)
            if "interrupt to stop" in line:
                # What it says later must not fill its pipe.
                threading.Thread(target=self.process.stderr.read, daemon=True).start()
                return
        sys.exit(f"the referee did not start:\n{''.join(said)}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        """Kills it without warning, and starts it again on the same store."""
        self.kill()
        self.deaths += 1
        self.serve()

    def host_match(self, ruleset, players):
        """A match with bots on all seats but the first; gives its name, that seat and its code."""
        configuration = ruleset_service_pb2.Configuration(players=players)
        create = match_service_pb2.CreateMatchRequest(
            ruleset=ruleset, configuration=configuration, request_id=request_id()
        )
        created = self.matches.CreateMatch(create, metadata=self.metadata)
        for code in created.claim_codes[1:]:
            bot = match_service_pb2.SeatBotRequest(
                name=code.name, bot=table_event_pb2.BOT_KIND_RANDOM, request_id=request_id()
            )
            self.matches.SeatBot(bot, metadata=self.metadata)
        return created.match.name, created.claim_codes[0].name, created.claim_codes[0].code

    def start_match(self, name, client):
        """Starts a match as soon as the client has claimed its seat."""
        start = match_service_pb2.StartMatchRequest(name=name, request_id=request_id())
        while True:
            try:
                return self.matches.StartMatch(start, metadata=self.metadata)
            except grpc.RpcError as error:
                # SEATS_OPEN
                if error.code() != grpc.StatusCode.FAILED_PRECONDITION or client.poll() is not None:
                    raise
                time.sleep(0.05)

    def stream(self, call, request, patience=None):
        """The messages of a stream, which is begun again where its connection was of a referee that died."""
        while True:
            told = False
            try:
                for message in call(request, metadata=self.metadata, timeout=patience):
                    told = True
                    yield message
                return
            except grpc.RpcError as error:
                if told or error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
                time.sleep(0.05)

    def wait_for_moves(self, name, number, patience):
        """Waits until the first seat's player has made so many moves; gives whether the match goes on then."""
        made = 0
        watch = spectator_service_pb2.WatchPublicMatchRequest(name=name)
        for message in self.stream(self.spectators.WatchPublicMatch, watch, patience):
            for event in message.events.events:
                move = event.move_made
                made += move.seat == 1 and move.origin == event_pb2.MOVE_ORIGIN_PLAYER
                if made >= number:
                    return True
            if message.HasField("closed"):
                return False
        return False

    def moves_of_record(self, name):
        """How many moves the first seat's player has made, by the record of a match that is over."""
        export = record_service_pb2.ExportRecordRequest(name=name)
        record = b"".join(piece.data for piece in self.stream(self.records.ExportRecord, export))
        moves = (json.loads(line).get("event", {}).get("moveMade") for line in record.splitlines())
        return sum(
            1 for move in moves if move and move["seat"] == 1 and move["origin"] == "MOVE_ORIGIN_PLAYER"
        )


def end(client):
    """Ends a client with all that it started, such as the program behind `npx`."""
    try:
        os.killpg(client.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    client.wait()


def words_of(client, **known):
    return [re.sub(r"@(\w+)", lambda found: known.get(found[1], found[0]), word) for word in client]


def during(referee, asked):
    """A client hosts and plays a match to its end, while the referee lives for no longer than it takes to start."""
    # On a busy machine it lives as long as it takes to start, or calls would never be answered.
    life = max(0.3, referee.start_time)
    client = subprocess.Popen(
        words_of(asked.client, address=referee.address, host=referee.host), start_new_session=True
    )
    deadline = time.monotonic() + asked.patience
    try:
        while client.poll() is None:
            if time.monotonic() > deadline:
                sys.exit(f"the client waits for ever after {referee.deaths} deaths of its referee")
            time.sleep(life)
            if referee.deaths < asked.times:
                referee.restart()
    finally:
        end(client)
    if client.returncode != 0:
        sys.exit(f"the client failed after {referee.deaths} deaths of its referee")
    print(f"the referee died {referee.deaths} times")


def titles(referee, asked):
    """A client plays a seat of every ruleset that is offered, and the referee dies after some of its moves."""
    listed = referee.rulesets.ListRulesets(ruleset_service_pb2.ListRulesetsRequest(page_size=1000)).rulesets
    short = []
    for ruleset in listed:
        # A match of one has nobody else to wait for.
        players = max(ruleset.min_players, min(2, ruleset.max_players))
        name, seat, code = referee.host_match(ruleset.name, players)
        client = subprocess.Popen(
            words_of(asked.client, address=referee.address, seat=seat, code=code), start_new_session=True
        )
        try:
            referee.start_match(name, client)
            deaths = 0
            for number in range(asked.times):
                if referee.wait_for_moves(name, 1 + 2 * number, asked.patience):
                    referee.restart()
                    deaths += 1
            if client.wait(asked.patience) != 0:
                sys.exit(f"{ruleset.name}: the client failed after {deaths} deaths of its referee")
        except subprocess.TimeoutExpired:
            sys.exit(f"{ruleset.name}: the client waits for ever after {deaths} deaths of its referee")
        finally:
            end(client)
        print(f"{ruleset.name}: the referee died {deaths} times, {players} players", flush=True)
        if deaths < asked.times:
            short.append(ruleset.name)
    # A small one may be over in a few moves; not several, by chance.
    if len(short) > 1:
        sys.exit(f"matches were over before their referee had died {asked.times} times: {', '.join(short)}")


def lines_of(process, patience):
    """The lines that a client says; fails when it says nothing for so long."""
    said = queue.Queue()

    def read():
        for line in process.stdout:
            said.put(line)
        said.put(None)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = said.get(timeout=patience)
        except queue.Empty:
            sys.exit(f"the client waits for ever: it has said nothing for {patience:g} s")
        if line is None:
            return
        if line.strip():
            yield line.split()


def between(referee, asked):
    """A client is asked a question, and before it answers the referee dies: it is asked again, and its answer is taken once."""
    listed = referee.rulesets.ListRulesets(ruleset_service_pb2.ListRulesetsRequest(page_size=1000)).rulesets
    players = {ruleset.name: max(2, ruleset.min_players) for ruleset in listed}
    began, matches, answered = time.monotonic(), 0, 0
    while referee.deaths < asked.times:
        ruleset = asked.ruleset[matches % len(asked.ruleset)]
        name, seat, code = referee.host_match(ruleset, players[ruleset])
        words = words_of(asked.client, address=referee.address, seat=seat, code=code)
        words += ["--deaf"] if asked.deaf else []
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        client = subprocess.Popen(words, **pipes, start_new_session=True)
        try:
            referee.start_match(name, client)
            answers = hold(referee, asked, client)
            if client.wait(asked.patience) != 0:
                sys.exit(f"the client failed after {referee.deaths} deaths of its referee")
        finally:
            end(client)
        moves = referee.moves_of_record(name)
        if moves != answers:
            sys.exit(f"{name}: {answers} answers were accepted, and {moves} moves were made")
        matches, answered = matches + 1, answered + answers
        took = time.monotonic() - began
        print(f"{matches} matches, {referee.deaths} deaths, {answered} answers, {took:.0f} s", flush=True)
    print(
        f"the referee died {referee.deaths} times: each question was asked again, each answer was accepted once"
    )


def hold(referee, asked, client):
    """Lets a client play a match; gives how many of its answers were accepted."""
    held, known, answers = None, set(), 0
    for said, *words in lines_of(client, asked.patience):
        if said == "answered":
            decision, moves, replayed = words
            if (int(moves), replayed) != (1, "1"):
                sys.exit(f"{decision}: {moves} moves were made, and a repetition was replayed: {replayed}")
            answers += 1
            continue
        if said != "asked":
            # What it says to people, such as how the match ended.
            continue
        decision, connection, message, named = words
        word = "answer"
        if held is not None:
            if decision != held[0] or int(connection) <= int(held[1]) or (message, named) != ("0", "1"):
                sys.exit(
                    f"{held[0]} waited over connection {held[1]}, and the client was asked {decision} over connection"
                    f" {connection}, {message} messages after its first"
                )
            held = None
        elif decision not in known and referee.deaths < asked.times:
            # A refused answer is given again by itself: each question is held once.
            known.add(decision)
            held, word = (decision, connection), "again"
            referee.restart()
        client.stdin.write(word + "\n")
    if held is not None:
        sys.exit(f"{held[0]} was not asked again")
    return answers


def main():
    parser = argparse.ArgumentParser(description="Kills a referee again and again while clients play.")
    parser.add_argument("when", choices=[during.__name__, titles.__name__, between.__name__])
    parser.add_argument("referee", help="the program")
    parser.add_argument("address", help="where it listens: 127.0.0.1:7435")
    parser.add_argument("client", nargs="+", help="the client's command, after --")
    parser.add_argument("--times", type=int, help="how often it dies: in all, and with titles in each match")
    parser.add_argument(
        "--patience", type=float, default=240, help="after so many seconds a client waits for ever"
    )
    parser.add_argument(
        "--rulesets", action="append", default=[], help="a folder of rulesets that it offers, too"
    )
    parser.add_argument(
        "--ruleset", action="append", help="with between: what is played, one after the other"
    )
    parser.add_argument(
        "--deaf", action="store_true", help="with between: a client with a fault, which must be noticed"
    )
    asked = parser.parse_args()
    asked.times = asked.times or {"during": 15, "titles": 2, "between": 25}[asked.when]
    asked.ruleset = asked.ruleset or ["rulesets/puerto-rico", "rulesets/san-juan"]
    with tempfile.TemporaryDirectory() as folder:
        referee = Referee(asked.referee, asked.address, folder, asked.rulesets)
        try:
            globals()[asked.when](referee, asked)
        finally:
            referee.kill()


if __name__ == "__main__":
    main()
