"""Plays a seat by random legal moves: bot.py ADDRESS matches/…/seats/1 rfc_…|rfs_… ../../service_config.json"""

import random
import sys
import time
import uuid
import grpc
from google.rpc.status_pb2 import Status
from referee.v1 import error_pb2, match_service_pb2 as lobby, match_service_pb2_grpc as lobby_grpc
from referee.v1 import play_service_pb2 as v1, play_service_pb2_grpc as v1_grpc


def choose(parameter, kind):
    domain = getattr(parameter, kind)
    if kind == "values":
        return random.choice(domain.values)
    if kind == "amount":
        return {"integer": random.randrange(domain.least, max(domain.least, domain.most) + 1, domain.step)}
    if kind == "bag":  # The fullest kinds whole, then what may be loose: each beginning is within all limits.
        kinds = domain.kinds if domain.HasField("kinds") else None
        rows = sorted(domain.available, key=lambda row: -row.count)[:kinds]
        whole = sum(row.count for row in (rows[: domain.loose.kinds] if domain.HasField("loose") else rows))
        pieces = [row.row for row in rows for _ in range(row.count)][: whole + domain.loose.pieces]
        chosen = pieces[: random.randint(domain.least, max(domain.least, min(domain.most, len(pieces))))]
        counts = [{"row": row, "count": chosen.count(row)} for row in set(chosen)]
        return {"bag": {"table": domain.table, "counts": counts}}
    pieces = [i for i, piece in enumerate(domain.pieces) for _ in range(piece.count)]
    rooms = [i for i, room in enumerate(domain.rooms) for _ in range(min(room.room, len(pieces)))]
    pairs = list(zip(random.sample(rooms, len(rooms)), pieces))  # What has no room overflows by itself.
    parts = [(domain.rooms[i].place, domain.pieces[j].row, pairs.count((i, j))) for i, j in set(pairs)]
    return {"spread": {"shares": [{"place": place, "row": row, "count": n} for place, row, n in parts]}}


(address, seat, token, config), match = sys.argv[1:], sys.argv[2].split("/seats/")[0]
channel = grpc.insecure_channel(address, [("grpc.service_config", open(config).read())])
if token.startswith("rfc_"):
    ask = lobby.ClaimSeatRequest(name=seat, claim_code=token, display_name="Py", request_id=str(uuid.uuid4()))
    token = lobby_grpc.MatchServiceStub(channel).ClaimSeat(ask).seat_token
play, nearby = v1_grpc.PlayServiceStub(channel), []
me = [("authorization", f"Bearer {token}"), ("referee-match", match.removeprefix("matches/"))]
told, look = v1.WatchMatchResponse(), v1.ListDecisionsRequest(name=match, page_size=1000)
while not told.HasField("closed"):
    start = {"resume_token": told.resume_token} if told.resume_token else {"from_now": {}}
    try:
        for told in play.WatchMatch(v1.WatchMatchRequest(name=match, **start), metadata=me):
            while told.asked.questions and (asked := play.ListDecisions(look, metadata=me).decisions):
                offer = random.choice(asked[0].offers)
                rest = [{"name": of.name, "value": choose(of, of.WhichOneof("domain"))} for of in offer.open]
                move = nearby.pop() if nearby else {"name": offer.name, "arguments": [*offer.fixed, *rest]}
                ids = {"decision_id": asked[0].decision_id, "request_id": str(uuid.uuid4())}
                play.SubmitMove(v1.SubmitMoveRequest(name=match, move=move, **ids), metadata=me)
    except grpc.RpcError as error:  # Whatever it was: the stream goes on, and says first what is asked now.
        if error.code().name in ("UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND"):
            raise
        packed = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin", b"")
        why = [of for of in Status.FromString(packed).details if of.Is(error_pb2.Refusal.DESCRIPTOR)]
        nearby = [move for one in why for move in error_pb2.Refusal.FromString(one.value).alternatives[:1]]
        told = v1.WatchMatchResponse() if error.code() is grpc.StatusCode.INVALID_ARGUMENT else told
        time.sleep(0 if nearby or error.code() is grpc.StatusCode.ABORTED else 0.5)
print(f"{seat}: {told.closed.outcome.ending}", {of.seat: of.total for of in told.closed.outcome.scores})
