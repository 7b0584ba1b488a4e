/**
 * Records of matches that are over.
 *
 * In: a record as `ExportRecord` streams it, JSON Lines of form `referee.record/2`, `/3` or `/4`. Out: its header, entries, events
 * and end, in types. Whether they are true is not told here: `proto/clients/python/verify_record.py` verifies a record.
 *
 * @module
 */
import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { EventSchema, type Event } from "./gen/referee/v1/event_pb.js";
import type { Referee } from "./referee.js";

/** The first line: what the match was. Digests, seeds and keys are in hexadecimal; times in milliseconds since 1970. */
export interface RecordHeader {
  /** Which form of records it has. */
  readonly form: "referee.record/2" | "referee.record/3" | "referee.record/4";
  /** The match's id, without `matches/`. */
  readonly match: string;
  /** The ruleset's id, without `rulesets/`. */
  readonly ruleset: string;
  /** The version that its author gave it. */
  readonly version: string;
  /** Number of players. */
  readonly players: number;
  /** Modules over the base game, in order. */
  readonly modules: readonly string[];
  /** Options that differ from their defaults. */
  readonly options: Readonly<Record<string, number>>;
  /** `Match.digest`. */
  readonly digest: string;
  /** `Match.committed_digest`. */
  readonly committedDigest: string;
  /** When the match was created. */
  readonly createdMs: number;
  /** What was promised of the seed, before anybody had seen a card. */
  readonly seedCommitment: string;
  /** The referee's seed. */
  readonly seed: string;
  /** The seed that all chance was drawn from; `seed` where it is left out. */
  readonly gameSeed?: string;
  /** Rows of every table, in their order. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /** How many events belong to the set-up. */
  readonly setUpEvents: number;
  /** What else `proto/archive` has in a header, as it stands there. */
  readonly [more: string]: unknown;
}

/** A file of the ruleset. */
export interface RecordFile {
  /** Digest of the texts that it belongs to. */
  readonly content: string;
  /** Where it stands in the package. */
  readonly path: string;
  /** What it says. */
  readonly text: string;
}

/** An entry of the match's log. */
export interface RecordEntry {
  /** Its number, from 0. */
  readonly sequence: number;
  /** When it was written. */
  readonly atMs: number;
  /** What ties it to all entries before it. */
  readonly chain: string;
  /** What it says, by kind: `{ moved: { … } }`. */
  readonly says: JsonObject;
  readonly [more: string]: unknown;
}

/** The last line that is signed. */
export interface RecordEnd {
  /** SHA-256 of all lines before. */
  readonly sha256: string;
  /** By the referees that exported the record. */
  readonly signatures?: readonly { readonly key: string; readonly signature: string }[];
}

/** What a player is called. Entries have the digest. */
export interface RecordName {
  /** What entries say in place of the name. */
  readonly digest: string;
  /** What is digested before the name, in hexadecimal. */
  readonly salt: string;
  /** What the player is called. */
  readonly name: string;
}

/** A line of a record. */
export type RecordLine =
  | { readonly kind: "record"; readonly record: RecordHeader }
  | { readonly kind: "file"; readonly file: RecordFile }
  | { readonly kind: "entry"; readonly entry: RecordEntry }
  | { readonly kind: "event"; readonly event: Event }
  | { readonly kind: "state"; readonly state: JsonObject }
  | { readonly kind: "end"; readonly end: RecordEnd }
  | { readonly kind: "name"; readonly name: RecordName };

/** A whole record. */
export interface MatchRecord {
  /** What the match was. */
  readonly header: RecordHeader;
  /** The texts of its ruleset. */
  readonly files: readonly RecordFile[];
  /** The match's log. */
  readonly entries: readonly RecordEntry[];
  /** Everything that happened, as the referee saw it, secrets included, from number 0. */
  readonly events: readonly Event[];
  /** The state that it ended with, in the form of `proto/state`; `undefined` in form 2, and if the match never began. */
  readonly state: JsonObject | undefined;
  /** The sum and the signatures of all that stands before them. */
  readonly end: RecordEnd;
  /** What players are called, as far as it was not erased. */
  readonly names: readonly RecordName[];
}

/** A text that is no record, and in which line it stops being one. */
export class RecordError extends Error {
  /** `RecordError`. */
  override readonly name = "RecordError";
  constructor(
    /** The line, from 1. */
    readonly line: number,
    why: string,
  ) {
    super(`line ${line}: ${why}`);
  }
}

/** A record, whole or in pieces: text, or the bytes of it. */
export type RecordSource = string | Uint8Array | AsyncIterable<string | Uint8Array>;

const FORMS: readonly JsonValue[] = ["referee.record/2", "referee.record/3", "referee.record/4"];
const isObject = (json: JsonValue | undefined): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json);

/**
 * The lines of a record, one by one.
 *
 * @throws RecordError at the first line that is none, and at the end if the record was cut off.
 */
export async function* recordLines(source: RecordSource): AsyncGenerator<RecordLine, void, undefined> {
  let number = 0;
  let ended = false;
  for await (const text of linesOf(source)) {
    number += 1;
    const line = readLine(text, number);
    ended ||= line.kind === "end";
    yield line;
  }
  if (!ended)
    throw new RecordError(number + 1, "the record ends without its line `end`: it was cut off, export it anew");
}

/**
 * A whole record.
 *
 * @throws RecordError as {@link recordLines}.
 */
export async function readRecord(source: RecordSource): Promise<MatchRecord> {
  const files: RecordFile[] = [];
  const entries: RecordEntry[] = [];
  const events: Event[] = [];
  const names: RecordName[] = [];
  let header: RecordHeader | undefined;
  let state: JsonObject | undefined;
  let end: RecordEnd | undefined;
  for await (const line of recordLines(source)) {
    if (line.kind === "record") header = line.record;
    else if (line.kind === "file") files.push(line.file);
    else if (line.kind === "entry") entries.push(line.entry);
    else if (line.kind === "event") events.push(line.event);
    else if (line.kind === "state") state = line.state;
    else if (line.kind === "end") end = line.end;
    else names.push(line.name);
  }
  // The lines have made sure of both.
  return { header: header!, files, entries, events, state, end: end!, names };
}

/**
 * The text of a record, as the referee exports it, in pieces: for {@link readRecord}, or a file.
 *
 * @param match - `matches/…`, of a match that is over.
 * @throws RefereeError `RECORD_SEALED` before the end of the match.
 */
export async function* exportRecord(referee: Referee, match: string): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const { data } of referee.records.exportRecord({ name: match })) yield data;
}

/** The lines of a text that comes in pieces, which may end anywhere, even within a letter. */
async function* linesOf(source: RecordSource): AsyncGenerator<string> {
  const pieces = typeof source === "string" || source instanceof Uint8Array ? [source] : source;
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of pieces) {
    rest += typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

function readLine(text: string, number: number): RecordLine {
  let json: JsonValue;
  try {
    json = JSON.parse(text) as JsonValue;
  } catch {
    throw new RecordError(number, "this is no JSON: a record is the JSON Lines of ExportRecord");
  }
  const [kind, says] = (isObject(json) && Object.entries(json)[0]) || [];
  if (kind === undefined || !isObject(says)) throw new RecordError(number, "this is no line of a record");
  if ((kind === "record") !== (number === 1))
    throw new RecordError(number, "a record begins with its line `record`, and has one");
  switch (kind) {
    case "record":
      if (!FORMS.includes(says["form"] ?? null)) {
        throw new RecordError(
          number,
          `a record of form ${JSON.stringify(says["form"])} cannot be read: install a newer referee-client`,
        );
      }
      return { kind, record: says as unknown as RecordHeader };
    case "event":
      try {
        return { kind, event: fromJson(EventSchema, ofContract(says), { ignoreUnknownFields: true }) };
      } catch (thrown) {
        throw new RecordError(
          number,
          `this event cannot be read: ${thrown instanceof Error ? thrown.message : thrown}`,
        );
      }
    case "file":
      return { kind, file: says as unknown as RecordFile };
    case "entry":
      return { kind, entry: says as unknown as RecordEntry };
    case "state":
      return { kind, state: says };
    case "end":
      return { kind, end: says as unknown as RecordEnd };
    case "name":
      return { kind, name: says as unknown as RecordName };
    default:
      throw new RecordError(number, `a line ${JSON.stringify(kind)} is not known: install a newer referee-client`);
  }
}

/** What records call otherwise than the contract does, by kind of event: their form is older than its names. */
const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  piecesMoved: { from: "source", to: "destination" },
  counterChanged: { from: "before", to: "after" },
  markerSet: { to: "value" },
};

/** An event of a record as one of the contract: by its names, and citing clauses by their ids where records tell them whole. */
function ofContract(json: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(json).map(([kind, says]) => {
      if (!isObject(says)) return [kind, says];
      const names = NAMES[kind] ?? {};
      return [kind, citing(Object.fromEntries(Object.entries(says).map(([name, value]) => [names[name] ?? name, value])))];
    }),
  );
}

/** The same with clauses cited by their ids. */
function citing(json: JsonObject): JsonObject {
  const cited = (value: JsonValue): JsonValue =>
    Array.isArray(value) ? value.map(cited) : isObject(value) ? citing(value) : value;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      const id = name === "clause" && isObject(value) ? value["id"] : undefined;
      return [name, id ?? cited(value)];
    }),
  );
}
