#!/usr/bin/env python3
"""Verifies the record of a match with nothing of the referee's: plain Python, no packages.

    python3 verify_record.py [--strict] [--key HEX] [--proof proof.json] record.jsonl

What it verifies:
 1. the record is whole: its last line has the SHA-256 of all lines before, and the keys that are said to have signed that
    have (Ed25519). With --key one of them must be the given one: the `record_key` that the referee told you;
 2. the promise: the seed is the one whose commitment was published before the first move, what players added to it is
    what they had committed to, and the seed of the game is made of both;
 3. the chain: each entry of the log is tied to all before it. With --proof, the JSON of a `Proof` that somebody noted
    while the match was under way, the record must go on from what was proved then, and the proof must be signed;
 4. the shuffles: every pile is mixed again from the seed, by the algorithm stated below, and every piece that
    was drawn from the top of such a pile must be the one that the shuffle put there. Some rules search a pile for
    a piece; a piece that was not on top is counted, and with --strict it is an error. Dice are not verified: the
    record does not tell a roll from a marker that a rule sets.

What that does not prove: that the operator did not look at the cards while the match was under way; that the
match was not one of several that were begun and thrown away until one pleased; that the rules are those of the
printed game; or, for a record that you did not export yourself, that nobody rewrote all of it together with the
commitment. Compare the commitment with the one that you noted when the match was created.

The algorithm of chance, as the referee states it. Each pile has a stream of its own: ChaCha20 with the seed as
key, counter 0, and as nonce the first eight bytes of BLAKE3 of "referee/stream/v1/" and the pile's address
("deck", "hand(2)"), read as 32-bit words. A number below n is the first word below the greatest multiple of n
that fits 32 bits, modulo n. A shuffle of n pieces, of which the last is the top: for i from n - 1 down to 1, the
pieces at i and at a number below i + 1 change places. Pieces that come from an unordered place are laid in the
order of their table's rows before they are mixed.
"""

import argparse
import base64
import hashlib
import hmac
import json
import struct
import sys

# ---- BLAKE3, from its specification

IV = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
ORDER = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
START, END, PARENT, ROOT, OF_CONTEXT, OF_MATERIAL = 1, 2, 4, 8, 32, 64
MASK = 0xFFFFFFFF


def rotated(word, by):
    return ((word >> by) | (word << (32 - by))) & MASK


def compressed(chain, block, counter, flags):
    """The chaining value after one block."""
    words = list(struct.unpack("<16I", block.ljust(64, b"\0")))
    state = chain + IV[:4] + [counter & MASK, counter >> 32, len(block), flags]

    def mix(a, b, c, d, x, y):
        state[a] = (state[a] + state[b] + x) & MASK
        state[d] = rotated(state[d] ^ state[a], 16)
        state[c] = (state[c] + state[d]) & MASK
        state[b] = rotated(state[b] ^ state[c], 12)
        state[a] = (state[a] + state[b] + y) & MASK
        state[d] = rotated(state[d] ^ state[a], 8)
        state[c] = (state[c] + state[d]) & MASK
        state[b] = rotated(state[b] ^ state[c], 7)

    for _ in range(7):
        for a in range(4):
            mix(a, 4 + a, 8 + a, 12 + a, words[2 * a], words[2 * a + 1])
        for a in range(4):
            mix(a, 4 + (a + 1) % 4, 8 + (a + 2) % 4, 12 + (a + 3) % 4, words[8 + 2 * a], words[9 + 2 * a])
        words = [words[i] for i in ORDER]
    return [state[i] ^ state[i + 8] for i in range(8)]


def blake3(text, key=IV, kind=0):
    """The first 32 bytes of BLAKE3."""

    def subtree(text, first, root):
        if len(text) > 1024:
            left = 1024 << ((len(text) - 1) // 1024).bit_length() - 1
            halves = subtree(text[:left], first, 0) + subtree(text[left:], first + left // 1024, 0)
            return compressed(key, struct.pack("<16I", *halves), 0, PARENT | kind | root)
        blocks = [text[i : i + 64] for i in range(0, len(text), 64)] or [b""]
        chain = key
        for number, block in enumerate(blocks):
            flags = (START if number == 0 else 0) | (END | root if number == len(blocks) - 1 else 0)
            chain = compressed(chain, block, first, kind | flags)
        return chain

    return struct.pack("<8I", *subtree(text, 0, ROOT))


def derived(context, material):
    """The first 32 bytes of BLAKE3 of a material in a context."""
    key = list(struct.unpack("<8I", blake3(context, kind=OF_CONTEXT)))
    return blake3(material, key, OF_MATERIAL)


# ---- ChaCha20, with a counter and a nonce of 64 bits each


def chacha20_words(key, nonce):
    """The words of a stream, for ever."""
    key, nonce = struct.unpack("<8I", key), struct.unpack("<2I", nonce)
    counter = 0
    while True:
        first = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key]
        first += [counter & MASK, counter >> 32, *nonce]
        state = first[:]

        def quarter(a, b, c, d):
            state[a] = (state[a] + state[b]) & MASK
            state[d] = rotated(state[d] ^ state[a], 16)
            state[c] = (state[c] + state[d]) & MASK
            state[b] = rotated(state[b] ^ state[c], 20)
            state[a] = (state[a] + state[b]) & MASK
            state[d] = rotated(state[d] ^ state[a], 24)
            state[c] = (state[c] + state[d]) & MASK
            state[b] = rotated(state[b] ^ state[c], 25)

        for _ in range(10):
            quarter(0, 4, 8, 12), quarter(1, 5, 9, 13), quarter(2, 6, 10, 14), quarter(3, 7, 11, 15)
            quarter(0, 5, 10, 15), quarter(1, 6, 11, 12), quarter(2, 7, 8, 13), quarter(3, 4, 9, 14)
        yield from ((a + b) & MASK for a, b in zip(state, first))
        counter += 1


class Stream:
    """The chance of one purpose."""

    def __init__(self, seed, purpose):
        self.words = chacha20_words(seed, blake3(b"referee/stream/v1/" + purpose.encode())[:8])

    def below(self, n):
        limit = (1 << 32) // n * n
        while (word := next(self.words)) >= limit:
            pass
        return word % n

    def shuffle(self, pieces):
        for i in range(len(pieces) - 1, 0, -1):
            j = self.below(i + 1)
            pieces[i], pieces[j] = pieces[j], pieces[i]


# ---- Ed25519, verification only, from RFC 8032: nothing here is secret, so it may take its time

FIELD = 2**255 - 19
ORDER_OF_BASE = 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, FIELD - 2, FIELD) % FIELD


def point(compressed):
    """A point of the curve in extended coordinates; none if these bytes are no point."""
    y = int.from_bytes(compressed, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= FIELD:
        return None
    square = (y * y - 1) * pow(CURVE * y * y + 1, FIELD - 2, FIELD) % FIELD
    x = pow(square, (FIELD + 3) // 8, FIELD)
    if (x * x - square) % FIELD:
        x = x * pow(2, (FIELD - 1) // 4, FIELD) % FIELD
    if (x * x - square) % FIELD or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = FIELD - x
    return x, y, 1, x * y % FIELD


def added(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % FIELD, (p[1] + p[0]) * (q[1] + q[0]) % FIELD
    c, d = 2 * p[3] * q[3] * CURVE % FIELD, 2 * p[2] * q[2] % FIELD
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % FIELD, g * h % FIELD, f * g % FIELD, e * h % FIELD


def times(factor, p):
    product = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            product = added(product, p)
        p, factor = added(p, p), factor >> 1
    return product


BASE = point((4 * pow(5, FIELD - 2, FIELD) % FIELD).to_bytes(32, "little"))


def signed(key, message, signature):
    """Whether the owner of a public key has signed a message."""
    owner, commitment = point(key), point(signature[:32])
    response = int.from_bytes(signature[32:], "little")
    if len(key) != 32 or len(signature) != 64 or not owner or not commitment or response >= ORDER_OF_BASE:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER_OF_BASE
    left, right = times(response, BASE), added(commitment, times(challenge, owner))
    return (left[0] * right[2] - right[0] * left[2]) % FIELD == 0 == (left[1] * right[2] - right[1] * left[2]) % FIELD


# ---- the record


class Wrong(Exception):
    """What is wrong with a record."""


def read(path):
    """The lines of a record, once it is known to be whole, and the keys that have signed it."""
    text = open(path, "rb").read()
    body, _, last = text.rstrip(b"\n").rpartition(b"\n")
    end = json.loads(last).get("end")
    summed = hashlib.sha256(body + b"\n").digest()
    if not end or summed.hex() != end["sha256"]:
        raise Wrong("the record is not whole: its sum differs")
    keys = []
    for one in end.get("signatures", []):
        if not signed(bytes.fromhex(one["key"]), b"referee/record/v1\n" + summed, bytes.fromhex(one["signature"])):
            raise Wrong(f"the key {one['key']} has not signed this record")
        keys.append(one["key"])
    return [json.loads(line) for line in body.split(b"\n")], keys


def keep_promise(header):
    """The seed, once it is known to be the one that was promised."""
    seed = bytes.fromhex(header["seed"])
    promised = hashlib.sha256(
        b"referee/seed/v1\n" + header["match"].encode() + b"\n" + bytes.fromhex(header["committedDigest"]) + seed
    )
    if promised.hexdigest() != header["seedCommitment"]:
        raise Wrong("the seed is not the one that was promised")
    return seed


def chained(lines):
    """What ties each entry to those before it. The first has the seed as the referee sealed it, so it is believed."""
    chain = []
    for entry in (line["entry"] for line in lines if "entry" in line):
        said = bytes.fromhex(entry["chain"])
        if chain:
            body = base64.b64decode(entry["body"])
            tied = chain[-1] + struct.pack("<QQ", entry["sequence"], len(body)) + body
            if derived(b"referee 2026-11 log entry v1", tied) != said:
                raise Wrong(f"entry {entry['sequence']} is not tied to those before it")
        chain.append(said)
    return chain


def goes_on(header, chain, proof):
    """That a record goes on from what was proved while the match was under way; gives who has proved it."""
    plain = {key: base64.b64decode(proof[key]) for key in ("head", "seedCommitment", "committedDigest", "key", "signature")}
    match, entries = proof["name"].removeprefix("matches/"), int(proof["entries"])
    told = b"referee/proof/v1\n" + match.encode() + b"\n" + struct.pack("<Q", entries)
    told += plain["head"] + plain["seedCommitment"] + plain["committedDigest"]
    if not signed(plain["key"], told, plain["signature"]):
        raise Wrong("the proof is not signed by the key that it names")
    if (match, plain["seedCommitment"].hex()) != (header["match"], header["seedCommitment"]):
        raise Wrong("the proof is of another match")
    if not 0 < entries <= len(chain) or chain[entries - 1] != plain["head"]:
        raise Wrong("the record does not go on from what was proved")
    return plain["key"].hex()


def game_seed(header, lines, seed):
    """The seed that all chance is drawn from: the referee's, and what players added to it before the first move."""
    given = header.get("contributions", [])
    match, told = header["match"].encode(), {}
    # What the entries say in the order in which they were written; whoever sat down later begins anew.
    for says in (line["entry"]["says"] for line in lines if "entry" in line):
        if "started" in says:
            break
        for kind, key in (("entropyCommitted", "commitment"), ("entropyContributed", "entropy")):
            if kind in says:
                told.setdefault(says[kind]["seat"], {})[key] = says[kind][key]
        noted = says.get("noted", {})
        if gone := noted.get("seatReleased") or noted.get("seatLeft") or noted.get("botSeated"):
            if header.get("seatEntropy") == "SEAT_ENTROPY_COMMITTED":
                told.clear()
            told.pop(gone["seat"], None)
    if told != {one["seat"]: {key: one[key] for key in ("commitment", "entropy") if key in one} for one in given}:
        raise Wrong("its entries say other contributions of players than its first line")
    mixed, some = hmac.new(seed, b"referee/game-seed/v1\n" + match + b"\n", hashlib.sha256), False
    for one in sorted(given, key=lambda one: one["seat"]):
        if "entropy" not in one:
            continue
        bound = bytes([one["seat"]]) + bytes.fromhex(one["entropy"])
        promised = hashlib.sha256(b"referee/entropy/v1\n" + match + b"\n" + bound).hexdigest()
        if one.get("commitment", promised) != promised:
            raise Wrong(f"seat {one['seat']} contributed something else than it committed to")
        mixed.update(bound)
        some = True
    made = mixed.digest() if some else seed
    if bytes.fromhex(header.get("gameSeed", made.hex())) != made:
        raise Wrong("the seed of the game is not made of the promised one and of what players added")
    return made


def address(place, tables):
    """A place as the algorithm of chance names it: players and rows by number, from zero."""

    def number(value):
        if "seat" in value:
            return value["seat"] - 1
        if "row" in value:
            return tables[value["row"]["table"]].index(value["row"]["row"])
        return int(value.get("integer", value.get("boolean", 0)))

    index = place.get("index", [])
    return place["name"] + (f"({','.join(str(number(v)) for v in index)})" if index else "")


class Piles:
    """Piles as their shuffles leave them. What this does not see exactly, it does not judge."""

    def __init__(self, seed, header, events):
        self.seed, self.tables, self.events = seed, header["tables"], events
        self.set_up_events = header.get("setUpEvents", 0)
        self.after_set_up = {address(pile["place"], self.tables): pile for pile in header.get("piles", [])}
        self.streams, self.piles, self.came = {}, {}, {}
        self.shuffled = self.judged = self.searched = self.passed = 0

    def pieces_moved(self, number, event):
        count, row = event.get("count", 0), event.get("row", {}).get("row")
        source, target = address(event["from"], self.tables), address(event["to"], self.tables)
        if source in self.streams:
            for _ in range(count):
                pile = self.piles.get(source)
                if not pile:
                    self.passed += 1
                elif pile[-1] == row:
                    pile.pop()
                    self.judged += 1
                elif row in pile:
                    del pile[len(pile) - 1 - pile[::-1].index(row)]
                    self.searched += 1
                else:
                    raise Wrong(f"event {number}: `{row}` came from `{source}`, where the seed put none")
        # What is laid onto a pile is mixed next, or the pile is no longer known.
        came = self.came.setdefault(target, [])
        if source in self.streams:
            # From pile to pile, top first and each below the one before.
            came[:0] = [row] * count
        else:
            came.extend([row] * count)

    def pile_shuffled(self, number, event):
        pile, size = address(event["pile"], self.tables), event.get("size", 0)
        came = self.came.pop(pile, [])
        known = self.piles.get(pile, [])
        stream = self.streams.setdefault(pile, Stream(self.seed, pile))
        if len(came) == size:
            rest = known
        elif known is not None and not came and len(known) == size:
            came, rest = known, []
        elif number < self.set_up_events and (first := self.first_deal(number, pile, size)):
            # It lay there from the beginning, in the order of its rows.
            rows = self.tables[self.after_set_up[pile]["table"]]
            came, rest = sorted(first, key=rows.index), []
            stream.shuffle(came)
            if came != first[::-1]:
                raise Wrong(f"event {number}: `{pile}` was not mixed as the seed says")
            stream = None
        else:
            # The words are used all the same, so that the next shuffle begins where it should.
            stream.shuffle([None] * size)
            self.piles[pile] = None
            return
        if stream:
            stream.shuffle(came)
        # What lay there before stays on top; the last is the top.
        self.piles[pile] = None if rest is None else came + rest
        self.shuffled += 1

    def first_deal(self, number, pile, size):
        """What lay in a pile after a shuffle of the set-up, top first, if events and header tell it."""
        if pile not in self.after_set_up:
            return None
        drawn = []
        for event in self.events[number + 1 : self.set_up_events]:
            shuffled, moved = event.get("pileShuffled"), event.get("piecesMoved")
            if shuffled and address(shuffled["pile"], self.tables) == pile:
                return None
            if moved and address(moved["to"], self.tables) == pile:
                return None
            if moved and address(moved["from"], self.tables) == pile:
                drawn += [moved["row"]["row"]] * moved.get("count", 0)
        first = drawn + self.after_set_up[pile]["rows"]
        return first if len(first) == size else None

    def settle(self):
        """After a move: what came onto a pile and was not mixed makes its order unknown."""
        for pile in [pile for pile, rows in self.came.items() if rows and pile in self.streams]:
            self.piles[pile] = None
        self.came.clear()


def remake(header, lines, seed):
    """Mixes every pile again, and compares what was drawn."""
    events = [line["event"] for line in lines if "event" in line]
    piles = Piles(seed, header, events)
    for number, event in enumerate(events):
        if number == piles.set_up_events:
            piles.settle()
        if "piecesMoved" in event:
            piles.pieces_moved(number, event["piecesMoved"])
        elif "pileShuffled" in event:
            piles.pile_shuffled(number, event["pileShuffled"])
        elif "moveMade" in event:
            piles.settle()
    return piles


def main():
    parser = argparse.ArgumentParser(description="Verifies the record of a match.")
    parser.add_argument("--strict", action="store_true", help="pieces that were not on top of their piles are an error")
    parser.add_argument("--key", metavar="HEX", help="the record must be signed by this key, the referee's `record_key`")
    parser.add_argument("--proof", metavar="FILE", help="the record must go on from this, as `GetProof` gave it")
    parser.add_argument("record", help="the record, as `RecordService.ExportRecord` gave it")
    asked = parser.parse_args()
    assert blake3(b"").hex() == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    try:
        lines, keys = read(asked.record)
        if asked.key and asked.key.lower() not in keys:
            raise Wrong(f"it is not signed by {asked.key}, but by {', '.join(keys) or 'nobody'}")
        header = lines[0]["record"]
        chain = chained(lines)
        if asked.proof:
            prover = goes_on(header, chain, json.load(open(asked.proof)))
            if asked.key and asked.key.lower() != prover:
                raise Wrong(f"the proof is signed by {prover}")
        seed = game_seed(header, lines, keep_promise(header))
        piles = remake(header, lines, seed)
        if asked.strict and piles.searched:
            raise Wrong(f"{piles.searched} pieces were not on top of their piles")
    except (Wrong, KeyError, ValueError, AttributeError, IndexError, OSError) as error:
        print(f"not verified: {error}")
        return 1
    print("the record is whole" + "".join(f"\nit is signed by {key}" for key in keys))
    print(f"its {len(chain)} entries are tied to each other" + (", and it goes on from the proof" if asked.proof else ""))
    print("the seed is the one that was promised")
    if added := [str(one["seat"]) for one in header.get("contributions", []) if "entropy" in one]:
        print(f"the chance is made of it and of what seats {', '.join(added)} added")
    print(
        f"{piles.shuffled} shuffles made again; {piles.judged} draws are as the seed says, {piles.searched} were from"
        f" below the top, {piles.passed} could not be judged from events alone"
    )
    if header["digest"] != header["committedDigest"]:
        print("the rules were corrected while the match was under way: see its entries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
