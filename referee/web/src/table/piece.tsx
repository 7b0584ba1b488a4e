/**
 * Pieces: tokens, tiles, cards and backs.
 *
 * In: a row, how many of it lie where. Out: its picture, with what lies on it and with the counters and markers that belong to
 * it.
 *
 * @module
 */
import type { JSX } from "preact";
import { placeKey } from "referee-client";
import { NameKind, type PlaceRef, type Value } from "referee-client/v1";
import type { Stage } from "../match/stage.ts";
import { colourStyle, iconOf, type Form } from "../model/looks.ts";
import { Icon } from "../parts/icon.tsx";
import { Aside, Said, clipped } from "../parts/text.tsx";
import { language } from "../settings.ts";
import { texts } from "../texts.ts";
import { stateOf, thingProps, useStage } from "./context.ts";
import { PlacePieces } from "./place.tsx";
import { SeatBadge } from "./seat.tsx";

const isShown = (value: Value | undefined): boolean =>
  value !== undefined &&
  value.kind.case !== undefined &&
  value.kind.case !== "none" &&
  !(value.kind.case === "boolean" && !value.kind.value) &&
  !(value.kind.case === "integer" && value.kind.value === 0n);

/** The counters and markers that are indexed by a row. */
function OnPiece({ table, row }: { readonly table: string; readonly row: string }): JSX.Element | null {
  const stage = useStage();
  const { counters = [], markers = [] } = stage.layout.onPieces.get(table) ?? {};
  const key = (name: string): string => `${name}(row ${table}.${row})`;
  const parts = [
    ...counters.flatMap((id) => {
      const counter = stage.counter(key(id));
      return counter?.value === undefined || counter.value === 0n ? [] : [<Amount key={id} id={id} of={counter.ref} value={String(counter.value)} />];
    }),
    ...markers.flatMap((id) => {
      const marker = stage.marker(key(id));
      return marker && isShown(marker.value) ? [<MarkerValue key={id} id={id} value={marker.value!} of={marker.ref} />] : [];
    }),
  ];
  return parts.length > 0 ? <span class="on-piece">{parts}</span> : null;
}

/** A counter with its icon. */
export function Amount({ id, of, value, named }: { readonly id: string; readonly of: PlaceRef; readonly value: string; readonly named?: boolean }): JSX.Element {
  const stage = useStage();
  const name = stage.names.value.of(NameKind.COUNTER, id);
  const key = placeKey(of);
  return (
    <span class="amount" data-place={key} data-touched={stage.isTouched(key) || undefined} title={named ? undefined : clipped(name, 80)}>
      <Icon name={iconOf(id)} label={named ? "" : name.slice(0, 2)} />
      <b>{value}</b>
      {named ? <small><Said text={name} most={60} /></small> : <span class="sr">{clipped(name, 80)}</span>}
    </span>
  );
}

/** What a marker says, at the thing that it marks. */
export function MarkerValue({ id, of, value }: { readonly id: string; readonly of: PlaceRef; readonly value: Value }): JSX.Element {
  const stage = useStage();
  const name = stage.names.value.marker({ ...of, index: [] });
  const key = placeKey(of);
  const { kind } = value;
  return (
    <span class="amount" data-place={key} data-touched={stage.isTouched(key) || undefined} title={clipped(name, 80)}>
      <Icon name={iconOf(id)} label="" />
      {kind.case === "seat" ? <SeatBadge seat={kind.value} /> : kind.case === "boolean" ? <Said text={name} most={40} /> : <b><Said text={stage.names.value.value(value)} most={60} /></b>}
      <span class="sr">{clipped(name, 80)}</span>
    </span>
  );
}

/** What is printed on a card: numbers with their icons, rows with theirs. */
function Printed({ table, row, most }: { readonly table: string; readonly row: string; readonly most: number }): JSX.Element | null {
  const stage = useStage();
  const names = stage.names.value;
  const { printed } = stage.layout.looks.table(table);
  const cells = stage.catalogue.cells(table, row).filter(({ column, value }) => {
    const { kind } = value;
    // A row without a drawing would be letters that nobody reads.
    const drawn = kind.case !== "row" || stage.layout.looks.row(kind.value.table, kind.value.row).icon !== undefined;
    return printed.includes(column.id) && isShown(value) && drawn;
  });
  if (cells.length === 0) return null;
  return (
    <span class="printed" aria-hidden="true">
      {cells.slice(0, most).map(({ column, value }) => {
        const name = names.of(NameKind.COLUMN, column.id, table);
        const { kind } = value;
        if (kind.case === "row") {
          const look = stage.layout.looks.row(kind.value.table, kind.value.row);
          const said = names.row(kind.value);
          return (
            <span class="print of-row" key={column.id} title={clipped(`${name}: ${said}`, 120)} style={colourStyle(look.colour)}>
              <Icon name={look.icon} label={stage.layout.looks.label(kind.value.table, kind.value.row, language.value)} />
            </span>
          );
        }
        return (
          <span class="print" key={column.id} title={clipped(name, 80)}>
            <Icon name={iconOf(column.id)} label={name.slice(0, 2)} />
            <b>{names.value(value)}</b>
          </span>
        );
      })}
    </span>
  );
}

export interface PieceProps {
  readonly table: string;
  readonly row: string;
  readonly count: number;
  /** Where it lies; what is printed on a board lies nowhere. */
  readonly place: PlaceRef | undefined;
  /** Drawn smaller than its table is, where there is little room. */
  readonly form?: Form;
  /** How many it says, if that is more than those that are drawn. */
  readonly stage?: Stage;
}

/** Pieces of one row in one place. */
export function Piece({ table, row, count, place, form: wanted }: PieceProps): JSX.Element {
  const stage = useStage();
  const names = stage.names.value;
  const look = stage.layout.looks.row(table, row);
  const { form: own, prints: full } = stage.layout.looks.table(table);
  const form = wanted ?? own;
  // Drawn smaller than its table is, a piece has no room for figures.
  const prints = form === "card" || (full && form === own && form !== "token");
  const ref = { $typeName: "referee.v1.RowRef" as const, table, row };
  const name = names.row(ref);
  const thing = place ? ({ kind: "piece", place, row: ref } as const) : ({ kind: "row", row: ref } as const);
  const riders = place ? stage.layout.riders.filter((rider) => rider.on === place.name) : [];
  const riding = riders.flatMap(({ place: id }) => {
    const index = [...place!.index, { $typeName: "referee.v1.Value" as const, kind: { case: "row" as const, value: ref } }];
    const state = stage.place(`${id}(${index.map(keyOfIndex).join(",")})`);
    return state ? [state] : [];
  });
  const times = count > 1 ? `${count} × ` : "";
  const state = stateOf(stage, thing);
  const touched = place !== undefined && stage.isTouched(`${placeKey(place)} ${row}`);
  return (
    <div class={`piece ${form}`} data-row={row} data-touched={touched || undefined} style={colourStyle(look.colour)}>
      <button class={`face ${look.outline}`} {...thingProps(stage, thing)} tabIndex={stage.isMarked(thing) ? 0 : -1}>
        <span class="art">
          <Icon name={look.icon} label={stage.layout.looks.label(table, row, language.value)} />
        </span>
        {form === "token" ? (
          <span class="sr">
            {times}
            <Said text={name} most={80} />
            {state}
          </span>
        ) : (
          <>
            <Aside text={times} />
            <span class="name">
              <Said text={name} most={80} />
            </span>
            <Aside text={state} />
          </>
        )}
        {prints ? <Printed table={table} row={row} most={form === "card" ? 5 : 3} /> : null}
        <OnPiece table={table} row={row} />
        {count > 1 ? <span class="count" aria-hidden="true">{count}</span> : null}
      </button>
      {riding.map((state) => (
        <PlacePieces key={placeKey(state.ref)} place={state} rider />
      ))}
    </div>
  );
}

const keyOfIndex = ({ kind }: Value): string => (kind.case === "row" ? `row ${kind.value.table}.${kind.value.row}` : `${kind.case} ${String(kind.value)}`);

/** Cards of which only the backs are seen. */
export function Backs({ count, fan }: { readonly count: number; readonly fan: boolean }): JSX.Element {
  const label = texts.value.cardsHidden(count);
  return (
    <div class={fan ? "backs fan" : "backs"} role="img" aria-label={label}>
      {Array.from({ length: Math.min(count, fan ? 10 : 3) }, (_, at) => (
        <span class="back" key={at} />
      ))}
      <span class="count" aria-hidden="true">{count}</span>
    </div>
  );
}
