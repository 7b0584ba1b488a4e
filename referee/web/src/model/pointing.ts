/**
 * What on the picture can be pointed at, and which offers that leaves.
 *
 * In: the offers that are left, and a thing of the picture: a piece in a place, a place, a cell of a board, a player. Out: the
 * offers that it means, as the client package judges it, and whether it is worth a mark: what every move of a name brings along
 * tells nobody anything.
 *
 * @module
 */
import { placeKey, seat, thingKey as tableKey, type Narrowing, type Pointed } from "referee-client";
import type { BagDomain, Offer, PlaceRef, RowRef, Value } from "referee-client/v1";

/** Something on the picture. */
export type Thing =
  /** A piece of this row that lies in this place. */
  | { readonly kind: "piece"; readonly place: PlaceRef; readonly row: RowRef }
  /** A place, or a counter or marker. */
  | { readonly kind: "place"; readonly place: PlaceRef }
  /** A row that is a cell of a board, or printed somewhere. */
  | { readonly kind: "row"; readonly row: RowRef }
  /** A player. */
  | { readonly kind: "seat"; readonly seat: number };

/** A text that is the same for two things exactly if they are the same. */
export function thingKey(thing: Thing): string {
  switch (thing.kind) {
    case "piece":
    case "place":
      return `${thing.kind} ${tableKey(thing)}`;
    case "row":
      return `row ${thing.row.table}.${thing.row.row}`;
    case "seat":
      return `seat ${thing.seat}`;
  }
}

function pointed(thing: Thing): Pointed {
  switch (thing.kind) {
    case "piece":
      return { place: thing.place, row: thing.row };
    case "place":
      return { place: thing.place };
    case "row":
      return thing.row;
    case "seat":
      return seat(thing.seat);
  }
}

/** The seats that a place is indexed by. */
const seatsOf = ({ index }: PlaceRef): readonly number[] => index.flatMap(({ kind }) => (kind.case === "seat" ? [kind.value] : []));

/**
 * Whether pieces that are chosen of an open parameter may be those that lie here: where the bag says that they are taken from, or
 * the move; otherwise what lies before somebody else is not meant.
 */
export function isTakenFrom({ targets, open }: Offer, parameter: string, place: PlaceRef, own: number): boolean {
  const domain = open.find(({ name }) => name === parameter)?.domain;
  if (domain?.case === "bag" && domain.value.sources.length > 0) return isSource(domain.value, place);
  const sources = targets.flatMap(({ kind, arguments: speaking }) => (kind.case === "pieces" && kind.value.source && speaking.includes(parameter) ? [placeKey(kind.value.source)] : []));
  if (sources.length > 0) return sources.includes(placeKey(place));
  const seats = seatsOf(place);
  return seats.length === 0 || seats.includes(own);
}

/** Whether a bag says that its pieces are taken from here. */
const isSource = ({ sources }: BagDomain, place: PlaceRef): boolean => sources.some((source) => placeKey(source) === placeKey(place));

/**
 * The row that a thing means where something is chosen of a bag: its own, or, where the bag is taken from a place that lies at a
 * row, that one.
 */
export function rowIn(domain: BagDomain, thing: Thing): RowRef | undefined {
  if ((thing.kind === "piece" || thing.kind === "row") && thing.row.table === domain.table) return thing.row;
  if (thing.kind !== "piece" && thing.kind !== "place") return undefined;
  if (!isSource(domain, thing.place)) return undefined;
  for (const { kind } of thing.place.index) if (kind.case === "row" && kind.value.table === domain.table) return kind.value;
  return undefined;
}

/**
 * What an offer is about: keys of the places between which the first pieces go of which its arguments speak, else the first
 * pieces of all, else of what changes first. What its arguments do not speak of comes along, and before somebody else it is not
 * what the move is about.
 */
function mainOf(offer: Offer, alsoAlong = true): readonly string[] {
  const targets = alsoAlong ? offer.targets : offer.targets.filter((target) => target.arguments.length > 0);
  const pieces = targets.filter(({ kind }) => kind.case === "pieces");
  const kind = (pieces.find((target) => target.arguments.length > 0) ?? pieces[0] ?? targets[0])?.kind;
  if (kind?.case === "changed") return [placeKey(kind.value)];
  if (kind?.case !== "pieces") return [];
  const { source, destination } = kind.value;
  return [source, destination].flatMap((place) => (place ? [placeKey(place)] : []));
}

/** Whether an offer names a row, in its arguments or where something is to be chosen of what may lie in this place. */
function says(offer: Offer, { table, row }: Pick<RowRef, "table" | "row">, place: PlaceRef, own: number): boolean {
  const { fixed } = offer;
  const open = offer.open.filter(({ name }) => isTakenFrom(offer, name, place, own));
  const is = (value: Value | undefined): boolean => value?.kind.case === "row" && value.kind.value.table === table && value.kind.value.row === row;
  return (
    fixed.some(({ value }) => is(value)) ||
    open.some(({ domain }) => (domain.case === "bag" && domain.value.table === table && domain.value.available.some((one) => one.row === row)) || (domain.case === "values" && domain.value.values.some(is)))
  );
}

/** What can be pointed at in one state of a question. */
export class Pointing {
  readonly #left = new Map<string, readonly Offer[]>();

  /** @param own - the seat that is asked. */
  constructor(
    readonly narrowing: Narrowing,
    readonly own: number,
  ) {}

  /** The offers that are left if somebody points at this; none if it means nothing. */
  left(thing: Thing): readonly Offer[] {
    const key = thingKey(thing);
    const known = this.#left.get(key);
    if (known) return known;
    const at = pointed(thing);
    const left = this.narrowing.canPoint(at) ? this.narrowing.point(at).offers : [];
    this.#left.set(key, left);
    return left;
  }

  /** Whether it is marked: pointing at it leaves fewer offers than there are, or the only one. */
  marks(thing: Thing): boolean {
    const left = this.left(thing);
    const all = this.narrowing.offers.length;
    if (left.length === 0 || (left.length === all && all > 1)) return false;
    if (thing.kind === "row" || thing.kind === "seat") return true;
    const seats = seatsOf(thing.place);
    // What lies before somebody else is meant only if the move would touch just that.
    if (seats.length > 0 && !seats.includes(this.own)) return left.some((offer) => mainOf(offer, false).includes(placeKey(thing.place)));
    // Nor are pieces like those of a bag that is taken from elsewhere.
    const isElsewhere = (offer: Offer): boolean =>
      thing.kind === "piece" && offer.open.some(({ domain }) => domain.case === "bag" && domain.value.sources.length > 0) && !says(offer, thing.row, thing.place, this.own);
    if (left.every((offer) => offer.targets.length === 0 && isElsewhere(offer))) return false;
    if (left.every(({ targets }) => targets.length === 0)) return true;
    // What moves bring along besides is no place to point at: only where they begin, and what they name.
    const place = placeKey(thing.place);
    const names = [...(thing.kind === "piece" ? [thing.row] : []), ...thing.place.index.flatMap(({ kind }) => (kind.case === "row" ? [kind.value] : []))];
    return left.some((offer) => mainOf(offer).includes(place) || names.some((row) => says(offer, row, thing.place, this.own)));
  }
}
