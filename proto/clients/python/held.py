#!/usr/bin/env python3
"""bot.py as a client that is held at each question, for ../restarts.py, whose description says what it says and reads.

held.py ADDRESS matches/…/seats/1 rfc_…|rfs_… ../../service_config.json [--deaf]
"""

import os
import runpy
import sys

import grpc
from referee.v1 import play_service_pb2_grpc

# The fault that must be noticed: what the first message of a new connection asks is ignored.
DEAF = "--deaf" in sys.argv
Stub = play_service_pb2_grpc.PlayServiceStub


class Unanswered(grpc.RpcError):
    """What a call fails with whose answer never came."""

    def code(self):
        return grpc.StatusCode.UNAVAILABLE

    def trailing_metadata(self):
        return None


class Held:
    """The calls of bot.py, which say what it is about to answer and wait."""

    def __init__(self, channel):
        self.stub, self.connection, self.message, self.told = Stub(channel), 0, 0, None
        self.ListDecisions = self.stub.ListDecisions

    def WatchMatch(self, request, metadata):
        self.connection += 1
        for self.message, self.told in enumerate(self.stub.WatchMatch(request, metadata=metadata)):
            if DEAF and self.connection > 1 and self.message == 0:
                self.told.ClearField("asked")
            yield self.told

    def SubmitMove(self, request, metadata):
        decision = request.decision_id
        named = decision in [question.decision_id for question in self.told.asked.questions]
        print("asked", decision, self.connection, self.message, int(named), flush=True)
        if sys.stdin.readline() != "answer\n":
            raise Unanswered()
        made = self.stub.SubmitMove(request, metadata=metadata)
        again = self.stub.SubmitMove(request, metadata=metadata)
        print("answered", decision, made.moves_made, int(again.replayed), flush=True)
        return made


play_service_pb2_grpc.PlayServiceStub = Held
sys.argv = [word for word in sys.argv if word != "--deaf"]
runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "bot.py"), run_name="__main__")
