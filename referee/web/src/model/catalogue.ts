/**
 * A ruleset's catalogue, looked up by id.
 *
 * In: what `GetRuleset` answers. Out: its tables, rows, cells, places, counters, markers, moves and clauses by id, and the
 * clauses that speak of a row.
 *
 * @module
 */
import type {
  Clause,
  Column,
  Counter,
  Marker,
  MoveType,
  Phase,
  Place,
  Row,
  Ruleset,
  Table,
  Type,
  Value,
} from "referee-client/v1";

/** Everything that a ruleset declares, by id. */
export class Catalogue {
  readonly tables: ReadonlyMap<string, Table>;
  readonly places: ReadonlyMap<string, Place>;
  readonly counters: ReadonlyMap<string, Counter>;
  readonly markers: ReadonlyMap<string, Marker>;
  readonly phases: ReadonlyMap<string, Phase>;
  /** What phases keep. */
  readonly kept: ReadonlyMap<string, Marker>;
  readonly clauses: ReadonlyMap<string, Clause>;
  readonly #rows = new Map<string, Row>();
  readonly #order = new Map<string, number>();

  constructor(readonly ruleset: Ruleset) {
    const byId = <T extends { id: string }>(all: readonly T[]): ReadonlyMap<string, T> =>
      new Map(all.map((one) => [one.id, one]));
    this.tables = byId(ruleset.tables);
    this.places = byId(ruleset.places);
    this.counters = byId(ruleset.counters);
    this.markers = byId(ruleset.markers);
    this.phases = byId(ruleset.phases);
    this.kept = byId(ruleset.phases.flatMap(({ kept }) => kept));
    this.clauses = byId(ruleset.clauses);
    for (const table of ruleset.tables) {
      table.rows.forEach((row, at) => {
        this.#rows.set(`${table.id}.${row.id}`, row);
        this.#order.set(`${table.id}.${row.id}`, at);
      });
    }
  }

  /** A row of a table, if there is such a row. */
  row(table: string, row: string): Row | undefined {
    return this.#rows.get(`${table}.${row}`);
  }

  /** Where a row stands in its table; rows that are not known come last. */
  order(table: string, row: string): number {
    return this.#order.get(`${table}.${row}`) ?? Number.MAX_SAFE_INTEGER;
  }

  /** The cells of a row that say something, with their columns. */
  cells(table: string, row: string): readonly { readonly column: Column; readonly value: Value }[] {
    const columns = this.tables.get(table)?.columns ?? [];
    const cells = this.row(table, row)?.cells ?? [];
    return columns.flatMap((column, at) => {
      const value = cells[at];
      const kind = value?.kind.case;
      return value && kind !== undefined && kind !== "none" ? [{ column, value }] : [];
    });
  }

  /** The move of a step. */
  move(step: string, name: string): MoveType | undefined {
    return this.ruleset.moves.find((move) => move.step === step && move.name === name);
  }

  /**
   * The clauses that speak of a row: those whose id has the row's among its parts, as in `building.wharf` or
   * `wharf.any-size`.
   */
  clausesOf(row: string): readonly Clause[] {
    const wanted = row.replaceAll("_", "-");
    return this.ruleset.clauses.filter(({ id }) => id.split(".").includes(wanted));
  }
}

/** Whether an index has the type of a player. */
export const isSeat = ({ kind }: Type): boolean => kind === 4;
/** Whether a type is that of rows. */
export const isRow = ({ kind }: Type): boolean => kind === 3;
/** Whether a type is that of numbers. */
export const isInteger = ({ kind }: Type): boolean => kind === 1;
