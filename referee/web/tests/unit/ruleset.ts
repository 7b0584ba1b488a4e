/**
 * Small rulesets for tests.
 *
 * In: the little that a test wants to say. Out: the catalogue that a referee would give.
 *
 * @module
 */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { row, integer } from "referee-client";
import { BoardShape, RulesetSchema, Sight, type TableLayoutSchema, TypeKind, type Ruleset, type Value } from "referee-client/v1";

const KINDS = { int: TypeKind.INTEGER, bool: TypeKind.BOOLEAN, seat: TypeKind.SEAT } as const;

/** `int`, `seat`, or the name of a table. */
export const type = (name: string) => (name in KINDS ? { kind: KINDS[name as keyof typeof KINDS], of: "" } : { kind: TypeKind.ROW, of: name });

export interface Little {
  /** Tables: columns by name and type; rows with their cells. */
  readonly tables: Readonly<Record<string, { readonly columns?: Readonly<Record<string, string>>; readonly rows: Readonly<Record<string, readonly (number | string | undefined)[]>>; readonly board?: { readonly shape: BoardShape; readonly x: string; readonly y: string } }>>;
  /** Places: index types, the table of the pieces. */
  readonly places?: Readonly<Record<string, { readonly index?: readonly string[]; readonly of: string; readonly pile?: boolean; readonly faces?: Sight; readonly on?: { readonly place: string; readonly piece: number; readonly index: readonly number[] } }>>;
  readonly counters?: Readonly<Record<string, readonly string[]>>;
  readonly markers?: Readonly<Record<string, { readonly index?: readonly string[]; readonly is: string }>>;
  /** What an author says of the layout. */
  readonly layout?: MessageInitShape<typeof TableLayoutSchema>;
}

export function rulesetOf({ tables, places = {}, counters = {}, markers = {}, layout }: Little): Ruleset {
  return create(RulesetSchema, {
    tables: Object.entries(tables).map(([id, { columns = {}, rows, board }]) => ({
      id,
      ...(board ? { board } : {}),
      columns: Object.entries(columns).map(([id, of]) => ({ id, type: type(of) })),
      rows: Object.entries(rows).map(([id, cells]) => ({
        id,
        inPlay: true,
        cells: Object.values(columns).map((of, at): Value => {
          const cell = cells[at];
          return typeof cell === "number" ? integer(cell) : cell === undefined ? ({ $typeName: "referee.v1.Value", kind: { case: undefined } } as Value) : row(of, cell);
        }),
      })),
    })),
    places: Object.entries(places).map(([id, { index = [], of, pile = false, faces = Sight.EVERYBODY, on }]) => ({ ...(on ? { liesOn: { ...on, index: [...on.index] } } : {}), id, index: index.map(type), table: of, pile, faces, count: Sight.EVERYBODY })),
    counters: Object.entries(counters).map(([id, index]) => ({ id, index: index.map(type), sight: Sight.EVERYBODY })),
    markers: Object.entries(markers).map(([id, { index = [], is }]) => ({ id, index: index.map(type), type: type(is), sight: Sight.EVERYBODY })),
    ...(layout ? { layout } : {}),
  });
}
