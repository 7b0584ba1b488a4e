#!/usr/bin/env python3
"""What bot.py chooses is within every limit: bags against all that there are of small domains, spreads, numbers, values.

Needs the stubs, as bot.py does; says what it compared, or fails.
"""

import ast
import itertools
import os
import random

from referee.v1 import common_pb2, decision_pb2

# bot.py is a program: its function is taken out of it.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "bot.py")) as file:
    program = ast.parse(file.read())
known = {"random": random}
functions = [part for part in program.body if isinstance(part, ast.FunctionDef)]
exec(compile(ast.Module(functions, []), "bot.py", "exec"), known)


def chosen(**domain):
    parameter = decision_pb2.OpenParameter(name="some", **domain)
    return common_pb2.Value(**known["choose"](parameter, parameter.WhichOneof("domain")))


def within(domain, counts):
    """Whether counts by row are a choice, by the words of `decision.proto`."""
    kept = sorted((count for count in counts if count), reverse=True)
    if not domain.least <= sum(kept) <= domain.most:
        return False
    if domain.HasField("kinds") and len(kept) > domain.kinds:
        return False
    return not domain.HasField("loose") or sum(kept[domain.loose.kinds :]) <= domain.loose.pieces


def bags(number):
    sizes = [0, 0, 0]
    for _ in range(number):
        counts = [random.randint(1, 4) for _ in range(random.randint(1, 4))]
        available = [{"row": str(row), "count": count} for row, count in enumerate(counts)]
        least, most = sorted(random.randint(0, 8) for _ in range(2))
        domain = decision_pb2.BagDomain(table="good", available=available, least=least, most=most)
        if random.random() < 0.5:
            domain.kinds = random.randint(0, 4)
        if random.random() < 0.5:
            domain.loose.kinds, domain.loose.pieces = random.randint(0, 3), random.randint(0, 4)
        every = [
            bag for bag in itertools.product(*(range(count + 1) for count in counts)) if within(domain, bag)
        ]
        if not every:
            continue
        bag = chosen(bag=domain).bag
        assert bag.table == "good"
        by_row = {count.row: count.count for count in bag.counts}
        assert len(by_row) == len(bag.counts) and all(by_row.values()), bag
        assert tuple(by_row.get(str(row), 0) for row in range(len(counts))) in every, (domain, bag)
        size, all_sizes = sum(by_row.values()), [sum(one) for one in every]
        sizes[0] += 1
        sizes[1] += size == min(all_sizes) < max(all_sizes)
        sizes[2] += size == max(all_sizes) > min(all_sizes)
    assert min(sizes) > number / 20, f"neither the least nor the most alone is chosen: {sizes}"
    return sizes[0]


def spreads(number):
    for _ in range(number):
        pieces = [
            {"row": {"table": "worker", "row": str(i)}, "count": random.randint(1, 3)} for i in range(2)
        ]
        rooms = [{"place": {"name": f"field_{i}"}, "room": random.randint(0, 3)} for i in range(3)]
        shares = chosen(spread={"pieces": pieces, "rooms": rooms}).spread.shares
        keys = [(share.place.name, share.row.row) for share in shares]
        assert len(set(keys)) == len(keys) and all(share.count for share in shares), shares
        for room in rooms:
            assert sum(s.count for s in shares if s.place.name == room["place"]["name"]) <= room["room"]
        for piece in pieces:
            assert sum(s.count for s in shares if s.row.row == piece["row"]["row"]) <= piece["count"]
        there, free = sum(piece["count"] for piece in pieces), sum(room["room"] for room in rooms)
        assert sum(share.count for share in shares) == min(there, free), "what has room is placed"


def others():
    numbers = {chosen(amount={"least": -2, "most": 6, "step": 4}).integer for _ in range(200)}
    assert numbers == {-2, 2, 6}, numbers
    values = [common_pb2.Value(seat=2), common_pb2.Value(none={})]
    picked = decision_pb2.OpenParameter(name="some", values={"values": values})
    assert {known["choose"](picked, "values").WhichOneof("kind") for _ in range(100)} == {"seat", "none"}


random.seed(7)
count = bags(20000)
spreads(2000)
others()
print(f"{count} bags, 2000 spreads, numbers and values are within their limits")
