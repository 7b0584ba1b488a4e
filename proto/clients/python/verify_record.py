#!/usr/bin/env python3
"""Verifies the record of a match with nothing of the referee's: plain Python, no packages.

    python3 verify_record.py [--strict] [--key HEX] [--proof proof.json] record.jsonl
    python3 verify_record.py --self-test proto/state/vectors.json

What it verifies:
 1. the record is whole: its line `end` has the SHA-256 of all lines before, and the keys that are said to have signed that
    have (Ed25519). Behind it stands what players are called, as far as that was not struck out: each name must be the one
    of which an entry holds the salted digest. With --key one of them must be the given one: the `record_key` that the referee told you;
 2. the promise: the seed is the one whose commitment was published before the first move, what players added to it is
    what they had committed to, and the seed of the game is made of both;
 3. the chain: each entry of the log is tied to all before it. With --proof, the JSON of a `Proof` that somebody noted
    while the match was under way, the record must go on from what was proved then, and the proof must be signed;
 4. the shuffles: every pile is mixed again from the seed, by the algorithm stated below, and every piece that
    was drawn from the top of such a pile must be the one that the shuffle put there. Some rules search a pile for
    a piece; a piece that was not on top is counted, and with --strict it is an error. Dice are not verified: the
    record does not tell a roll from a marker that a rule sets;
 5. the state, of records that say it (form 3): it is written as bytes in the one canonical way that `proto/state`
    specifies, and their hash must be the one that the last entry with a state says, in its body, too. What lies in
    places, what counters and markers show, how many words of chance each pile has used, whether the match is over and,
    where it can be known, the order of piles must be what events make of the table that the record starts from. What
    phases keep and which question is asked cannot be told from events: it is only hashed.

What that does not prove: that the operator did not look at the cards while the match was under way; that the
match was not one of several that were begun and thrown away until one pleased; that the rules are those of the
printed game; that the table on which the events begin is the one that the rules lay (the referee's `VerifyRecord` plays
them); or, for a record that you did not export yourself, that nobody rewrote all of it together with the
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
import collections
import copy
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


# ---- the canonical state: deterministic CBOR, as proto/state/README.md specifies it


class Wrong(Exception):
    """What is wrong with a record or a state."""


STATE_CONTEXT = b"referee 2026-11 canonical state v1"
DEEPEST = 32


def head(major, number):
    """The first bytes of an item: its major type and a number, in the fewest bytes."""
    if number < 24:
        return bytes([major << 5 | number])
    for more, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < 1 << 8 * size:
            return bytes([major << 5 | more]) + number.to_bytes(size, "big")
    raise Wrong(f"{number} is too large for a state")


def whole(number):
    if not -(1 << 63) <= number < 1 << 63:
        raise Wrong(f"{number} is too large for a state")
    return head(0, number) if number >= 0 else head(1, -1 - number)


def fraction(exponent, mantissa):
    if not -128 <= exponent < 0 or mantissa % 10 == 0:
        raise Wrong(f"{mantissa}e{exponent} is not in its shortest form")
    return b"\xc4\x82" + whole(exponent) + whole(mantissa)


def text_item(text):
    return head(3, len(text.encode())) + text.encode()


def encoded(item, depth=1):
    """A state, given in its JSON form, as its bytes."""
    if depth > DEEPEST:
        raise Wrong("it nests too deep")
    if item is None or isinstance(item, bool):
        return {None: b"\xf6", False: b"\xf4", True: b"\xf5"}[item]
    if isinstance(item, int):
        return whole(item)
    if isinstance(item, str):
        return text_item(item)
    if isinstance(item, list):
        return head(4, len(item)) + b"".join(encoded(one, depth + 1) for one in item)
    if not isinstance(item, dict):
        raise Wrong(f"{item!r} is nothing that a state holds")
    match item:
        case {"$scaled": [int(exponent), int(mantissa)], **rest} if not rest:
            return fraction(exponent, mantissa)
        case {"$bytes": str(digits), **rest} if not rest:
            octets = bytes.fromhex(digits)
            return head(2, len(octets)) + octets
    if strange := [name for name in item if name.startswith("$")]:
        raise Wrong(f"`{strange[0]}` is no name that a state can hold")
    entries = sorted((text_item(name), encoded(one, depth + 1)) for name, one in item.items())
    return head(5, len(entries)) + b"".join(name + one for name, one in entries)


def decoded(octets):
    """The JSON form of the bytes of a state. Bytes that are not the one way of writing it are refused."""

    def number(at):
        low = octets[at] & 31
        if low < 24:
            return low, at + 1
        if low > 27:
            raise Wrong("a length is missing")
        size = 1 << low - 24
        if at + 1 + size > len(octets):
            raise Wrong("it ends too early")
        return int.from_bytes(octets[at + 1 : at + 1 + size], "big"), at + 1 + size

    def item(at, depth):
        if depth > DEEPEST:
            raise Wrong("it nests too deep")
        if at >= len(octets):
            raise Wrong("it ends too early")
        if octets[at] in (0xF4, 0xF5, 0xF6):
            return {0xF4: False, 0xF5: True, 0xF6: None}[octets[at]], at + 1
        major = octets[at] >> 5
        if major == 7:
            raise Wrong("there is something that no state holds")
        n, at = number(at)
        if major < 2:
            return (n, -1 - n)[major], at
        if major < 4:
            if at + n > len(octets):
                raise Wrong("it ends too early")
            said = octets[at : at + n]
            return ({"$bytes": said.hex()} if major == 2 else said.decode()), at + n
        if major == 6:
            said, at = item(at, depth - 1)
            match n, said:
                case 4, [int(exponent), int(mantissa)]:
                    return {"$scaled": [exponent, mantissa]}, at
            raise Wrong("a tag is nothing that a state holds")
        several = []
        for _ in range(n * (major - 3)):
            said, at = item(at, depth + 1)
            several.append(said)
        if major == 4:
            return several, at
        names = several[::2]
        if not all(isinstance(name, str) and not name.startswith("$") for name in names):
            raise Wrong("what stands in a map has no name")
        return dict(zip(names, several[1::2])), at

    said, at = item(0, 1)
    if at != len(octets):
        raise Wrong("something follows its end")
    # Longer forms, names that stand twice and names in another order are other bytes.
    if encoded(said) != octets:
        raise Wrong("the same is written with other bytes")
    return said


def state_hash(octets):
    return derived(STATE_CONTEXT, octets)


def no_fraction(said):
    raise Wrong(f"{said} is no number of a state")


def once_each(entries):
    if len(dict(entries)) != len(entries):
        raise Wrong("a name stands twice")
    return dict(entries)


def self_test(path):
    """Holds this script to the vectors of the specification; gives how many there are."""
    vectors = json.load(open(path), parse_float=no_fraction, object_pairs_hook=once_each)
    if vectors["context"].encode() != STATE_CONTEXT:
        raise Wrong("the vectors are those of another form")
    good = vectors["vectors"] + vectors["games"]
    for vector in good:
        octets = bytes.fromhex(vector["bytes"])
        if encoded(vector["state"]) != octets:
            raise Wrong(f"{vector['name']}: it is written as {encoded(vector['state']).hex()}")
        # As texts, since to Python 1 and true are equal.
        if json.dumps(decoded(octets), sort_keys=True) != json.dumps(vector["state"], sort_keys=True):
            raise Wrong(f"{vector['name']}: it is read as {decoded(octets)}")
        if state_hash(octets).hex() != vector["hash"]:
            raise Wrong(f"{vector['name']}: its hash is {state_hash(octets).hex()}")
    refused = vectors["refused"] + vectors["refusedJson"]
    for vector in refused:
        if "right" in vector:
            decoded(bytes.fromhex(vector["right"]))
        try:
            said = decoded(bytes.fromhex(vector["bytes"])) if "bytes" in vector else encoded(vector["state"])
        except (Wrong, ValueError):
            continue
        raise Wrong(f"{vector['name']}: it is not refused, but read as {said!r}")
    if not good or not refused:
        raise Wrong("there are no vectors")
    return len(good), len(refused)


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
        self.used = 0
        self.words = chacha20_words(seed, blake3(b"referee/stream/v1/" + purpose.encode())[:8])

    def below(self, n):
        limit = (1 << 32) // n * n
        word = limit
        while word >= limit:
            word, self.used = next(self.words), self.used + 1
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


def read(path):
    """The lines of a record, once it is known to be whole, and the keys that have signed it."""
    body, _, last = open(path, "rb").read().rstrip(b"\n").rpartition(b"\n")
    names = []
    while "name" in (said := json.loads(last)):
        names.append(said["name"])
        body, _, last = body.rpartition(b"\n")
    end = said.get("end")
    summed = hashlib.sha256(body + b"\n").digest()
    if not end or summed.hex() != end["sha256"]:
        raise Wrong("the record is not whole: its sum differs")
    keys = []
    for one in end.get("signatures", []):
        if not signed(bytes.fromhex(one["key"]), b"referee/record/v1\n" + summed, bytes.fromhex(one["signature"])):
            raise Wrong(f"the key {one['key']} has not signed this record")
        keys.append(one["key"])
    reading = {"parse_float": no_fraction, "object_pairs_hook": once_each}
    lines = [json.loads(line, **reading) for line in body.split(b"\n")]
    for name in names:
        called(name, lines)
    return lines, keys


def called(name, lines):
    """That a name is the one of which an entry holds the digest, in its body, too."""
    made = hashlib.sha256(b"referee/name/v1\n" + bytes.fromhex(name["salt"]) + name["name"].encode())
    if made.hexdigest() != name["digest"]:
        raise Wrong(f"the name `{name['name']}` is not the one that was signed")
    for entry in (line["entry"] for line in lines if "entry" in line):
        says = entry["says"].get("seatClaimed") or entry["says"].get("noted", {}).get("seatTaken") or {}
        if says.get("name") == name["digest"] and made.digest() in base64.b64decode(entry["body"]):
            return
    raise Wrong(f"no entry speaks of the name `{name['name']}`")


def keep_promise(header):
    """The seed, once it is known to be the one that was promised."""
    seed = bytes.fromhex(header["seed"])
    promised = hashlib.sha256(
        b"referee/seed/v1\n" + header["match"].encode() + b"\n" + bytes.fromhex(header["committedDigest"]) + seed
    )
    if promised.hexdigest() != header["seedCommitment"]:
        raise Wrong("the seed is not the one that was promised")
    return seed


def tie(before, entry):
    """What ties an entry to those before it."""
    body = base64.b64decode(entry["body"])
    return derived(b"referee 2026-11 log entry v1", before + struct.pack("<QQ", entry["sequence"], len(body)) + body)


def chained(lines):
    """What ties each entry to those before it. The first has the seed as the referee sealed it, so it is believed."""
    chain = []
    for entry in (line["entry"] for line in lines if "entry" in line):
        said = bytes.fromhex(entry["chain"])
        if chain and tie(chain[-1], entry) != said:
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


def named(place):
    """A place, counter or marker as a state names it: seats from one, rows by their ids."""

    def word(value):
        if "row" in value:
            return value["row"]["row"]
        said = value.get("seat", value.get("integer", value.get("boolean", 0)))
        return str(said).lower()

    index = place.get("index", [])
    return place["name"] + (f"({','.join(word(v) for v in index)})" if index else "")


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
        if "start" in header:
            lies = header["start"].get("places", {})
            for pile in header.get("piles", []):
                self.piles[address(pile["place"], self.tables)] = lies.get(named(pile["place"]), [])[::-1]
        self.shuffled = self.judged = self.searched = self.passed = 0

    def pieces_moved(self, number, event):
        count, row = event.get("count", 0), event.get("row", {}).get("row")
        source, target = address(event["from"], self.tables), address(event["to"], self.tables)
        if source in self.streams or source in self.piles:
            mixed = source in self.streams
            for _ in range(count):
                pile = self.piles.get(source)
                if self.came.get(source):
                    # Something was laid onto it before, or below it: what is on its top is known no more.
                    self.piles[source] = None
                    self.passed += mixed
                elif not pile:
                    self.passed += mixed
                elif pile[-1] == row:
                    pile.pop()
                    self.judged += mixed
                elif row in pile:
                    del pile[len(pile) - 1 - pile[::-1].index(row)]
                    self.searched += mixed
                else:
                    raise Wrong(f"event {number}: `{row}` came from `{source}`, where the seed put none")
        # What is laid onto a pile is mixed next, or the pile is no longer known.
        came = self.came.setdefault(target, [])
        if source in self.streams or source in self.piles:
            # From pile to pile, top first and each below the one before.
            came[:0] = [row] * count
        else:
            came.extend([row] * count)

    def pile_shuffled(self, number, event, lie=None):
        """Mixes a pile. `lie` says how many pieces lie in it now, if that is known."""
        pile, size = address(event["pile"], self.tables), event.get("size", 0)
        came = self.came.pop(pile, [])
        known = self.piles.get(pile, [])
        if known is None and lie == size == len(came):
            # Nothing lay there before.
            known = []
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
        """After a move: what came onto a pile and was not mixed, on its top or below it, makes its order unknown."""
        for pile, rows in self.came.items():
            if rows and (pile in self.streams or pile in self.piles):
                known = self.piles.get(pile)
                # Among equal pieces there is no order.
                same = known is not None and len({*known, *rows}) == 1
                self.piles[pile] = known + rows if same else None
        self.came.clear()


class Table:
    """What lies on the table and what is shown there, as events tell it from what the record starts from."""

    def __init__(self, header):
        start = header["start"]
        self.endless = set(header.get("endless", []))
        self.places = {name: collections.Counter(lies) for name, lies in start.get("places", {}).items()}
        self.counters, self.markers = dict(start.get("counters", {})), dict(start.get("markers", {}))
        self.over = None

    def copy(self):
        return copy.deepcopy(self)

    def pieces_moved(self, number, event):
        row, count = event["row"]["row"], event.get("count", 0)
        for place, more in ((event["from"], -count), (event["to"], count)):
            if place["name"] not in self.endless:
                lies = self.places.setdefault(named(place), collections.Counter())
                lies[row] += more
                if lies[row] < 0:
                    raise Wrong(f"event {number}: `{row}` left `{named(place)}`, where it did not lie")

    def counter_changed(self, number, event):
        name, before = named(event["counter"]), int(event.get("from", 0))
        if self.counters.get(name, 0) != before:
            raise Wrong(f"event {number}: `{name}` was {self.counters.get(name, 0)}, not {before}")
        self.counters[name] = int(event.get("to", 0))

    def marker_set(self, number, event):
        self.markers[named(event["marker"])] = self.value(event["to"])

    def value(self, said):
        """A value as a state says it."""
        if "row" in said:
            return said["row"]["row"]
        if "seat" in said:
            return {"seat": said["seat"]}
        if "bag" in said:
            return {"bag": {one["row"]: one["count"] for one in said["bag"].get("counts", [])}}
        if "record" in said:
            parts = ((part["name"], self.value(part["value"])) for part in said["record"].get("parts", []))
            return {"record": {name: value for name, value in parts if value}}
        return int(said["integer"]) if "integer" in said else said.get("boolean")

    def match_over(self, number, event):
        self.over = event["outcome"]["ending"]

    def compare(self, state, piles):
        """Holds a state to it. `piles` are all of them, by their names there."""

        def same(kind, told, said):
            for name in sorted({*told, *said}):
                if told.get(name) != said.get(name):
                    shown = [json.dumps(all.get(name), sort_keys=True) for all in (said, told)]
                    raise Wrong(f"the state says {shown[0]} of the {kind} `{name}`, events say {shown[1]}")

        for name, lies in state.get("places", {}).items():
            if isinstance(lies, list) != (name in piles):
                raise Wrong(f"the state says of `{name}` that it is {'a' if isinstance(lies, list) else 'no'} pile")
        lying = lambda places: {name: there for name, lies in places.items() if (there := +collections.Counter(lies))}
        same("place", lying(self.places), lying(state.get("places", {})))
        # What shows nothing may be left out; where nothing can be shown, 0 and no are something.
        shown = lambda all: {name: value for name, value in all.items() if value}
        same("counter", shown(self.counters), shown(state.get("counters", {})))
        same("marker", shown(self.markers), shown(state.get("markers", {})))
        if state.get("over") != self.over:
            raise Wrong(f"the state says {state.get('over')} of the match's end, events say {self.over}")
        return len(lying(self.places)), len(shown(self.counters)), len(shown(self.markers))


def remake(header, lines, seed):
    """Mixes every pile again, and compares what was drawn; keeps book of the table, if the record tells its start."""
    events = [line["event"] for line in lines if "event" in line]
    piles = Piles(seed, header, events)
    table = Table(header) if "start" in header else None
    told = {
        "piecesMoved": Table.pieces_moved,
        "counterChanged": Table.counter_changed,
        "markerSet": Table.marker_set,
        "matchOver": Table.match_over,
    }
    # What moves are taken back to: the state before each of them.
    taken_back = any("movesUndone" in event.get("tableChanged", {}) for event in events)
    moves = []
    for number, event in enumerate(events):
        if number == piles.set_up_events:
            piles.settle()
        if "piecesMoved" in event:
            piles.pieces_moved(number, event["piecesMoved"])
        elif "pileShuffled" in event:
            lies = table and table.places.get(named(event["pileShuffled"]["pile"]), collections.Counter())
            piles.pile_shuffled(number, event["pileShuffled"], sum(lies.values()) if table else None)
        elif "moveMade" in event:
            piles.settle()
            if taken_back:
                forced = event["moveMade"].get("origin") == "MOVE_ORIGIN_FORCED"
                moves.append((forced, table and table.copy(), copy.deepcopy(piles.piles)))
        elif "movesUndone" in event.get("tableChanged", {}):
            for _ in range(event["tableChanged"]["movesUndone"].get("moves", 0)):
                while moves and moves[-1][0]:
                    moves.pop()
                if not moves:
                    raise Wrong(f"event {number}: more moves are taken back than were made")
                _, table, piles.piles = moves.pop()
            piles.came.clear()
        elif "rulesetChanged" in event.get("tableChanged", {}):
            # By other rules the moves may have led elsewhere, and events do not tell where.
            table, piles.piles = None, {pile: None for pile in piles.piles}
            continue
        for kind, method in told.items():
            if table and kind in event:
                method(table, number, event[kind])
    piles.settle()
    return piles, table


def judge_state(header, lines, state, piles, table):
    """Holds the state that a record says to its hash, to the events and to the seed; tells what was compared."""
    octets = encoded(state)
    promised = None
    for entry in (line["entry"] for line in lines if "entry" in line):
        says = entry["says"]
        # Beside what was noted at the table, else in what was done.
        for said in (says, says.get("started", {}), says.get("moved", {}), says.get("migrated", {})):
            if said.get("stateHash"):
                last, promised = entry, bytes.fromhex(said["stateHash"])
    if not promised:
        raise Wrong("the record says a state, and no entry its hash")
    if state_hash(octets) != promised:
        raise Wrong("the state is not the one whose hash the last entry says")
    if "body" in last and promised not in base64.b64decode(last["body"]):
        raise Wrong(f"entry {last['sequence']} says another hash than its body")
    if not table:
        return "what it says was not compared with events"
    all_piles = {named(pile["place"]): address(pile["place"], header["tables"]) for pile in header.get("piles", [])}
    places, counters, markers = table.compare(state, all_piles)
    ordered = 0
    for name, pile in all_piles.items():
        used = piles.streams[pile].used if pile in piles.streams else 0
        if state.get("chance", {}).get(name, 0) != used:
            raise Wrong(f"the state says other words of chance of `{name}` than the {used} that its shuffles used")
        if piles.piles.get(pile) is not None:
            if state.get("places", {}).get(name, []) != piles.piles[pile][::-1]:
                raise Wrong(f"the pile `{name}` of the state lies otherwise than events and seed say")
            ordered += 1
    return (
        f"what it says of {places} places, {counters} counters and {markers} markers is what events come to, and the"
        f" order of {ordered} of {len(all_piles)} piles is known and the same"
    )


def main():
    parser = argparse.ArgumentParser(description="Verifies the record of a match.")
    parser.add_argument("--strict", action="store_true", help="pieces that were not on top of their piles are an error")
    parser.add_argument("--key", metavar="HEX", help="the record must be signed by this key, the referee's `record_key`")
    parser.add_argument("--proof", metavar="FILE", help="the record must go on from this, as `GetProof` gave it")
    parser.add_argument("--self-test", metavar="FILE", help="instead, hold this script to the vectors of `proto/state`")
    parser.add_argument("record", nargs="?", help="the record, as `RecordService.ExportRecord` gave it")
    asked = parser.parse_args()
    if bool(asked.record) == bool(asked.self_test):
        parser.error("name a record, or vectors with --self-test")
    assert blake3(b"").hex() == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    if asked.self_test:
        try:
            good, refused = self_test(asked.self_test)
        except (Wrong, KeyError, ValueError, OSError) as error:
            print(f"the self-test failed: {error}")
            return 1
        print(f"{good} states are written, read and hashed as the vectors say, {refused} others refused")
        return 0
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
        piles, table = remake(header, lines, seed)
        states = [line["state"] for line in lines if "state" in line]
        if len(states) > 1:
            raise Wrong("it says more than one state")
        compared = judge_state(header, lines, states[0], piles, table) if states else None
        if asked.strict and piles.searched:
            raise Wrong(f"{piles.searched} pieces were not on top of their piles")
    except (Wrong, KeyError, ValueError, TypeError, AttributeError, IndexError, OSError) as error:
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
    if compared:
        print(f"its state has the hash that its entries say; {compared}")
    if header["digest"] != header["committedDigest"]:
        print("the rules were corrected while the match was under way: see its entries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
