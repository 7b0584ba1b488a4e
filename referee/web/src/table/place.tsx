/**
 * Places: what lies there, as pieces or as a deck.
 *
 * In: a place of the table. Out: its picture, with its name and how much lies there.
 *
 * @module
 */
import type { JSX } from "preact";
import { placeKey } from "referee-client";
import { NameKind } from "referee-client/v1";
import { arranged, type PlaceItem } from "../model/layout.ts";
import type { Form } from "../model/looks.ts";
import { hiddenIn, piecesOf, type PlaceState } from "../model/table.ts";
import { Said } from "../parts/text.tsx";
import { texts } from "../texts.ts";
import { stateOf, thingProps, useStage } from "./context.ts";
import { Backs, Piece } from "./piece.tsx";

/** As many kinds of pieces of one place as are drawn at once. */
const MOST_KINDS = 120;
/** As many equal cards as are drawn side by side. */
const MOST_ALIKE = 4;

/** What lies in a place, without its name. */
export function PlacePieces({ place, rider, form, item }: { readonly place: PlaceState; readonly rider?: boolean; readonly form?: Form; readonly item?: PlaceItem }): JSX.Element | null {
  const stage = useStage();
  const key = placeKey(place.ref);
  const pieces = piecesOf(place, (table, row) => stage.catalogue.order(table, row));
  const hidden = hiddenIn(place);
  if (rider && pieces.length === 0 && hidden === 0 && !stage.isMarked({ kind: "place", place: place.ref })) return null;
  const own = form ?? (rider ? "token" : stage.layout.looks.table(place.table).form);
  const mine = !rider && place.ref.index.some(({ kind }) => kind.case === "seat");
  return (
    <div class={rider ? "rider" : "pieces"} data-place={key} data-form={own} data-aimed={(rider && stage.isAimed(key)) || undefined}>
      {rider ? <PlaceTag place={place} bare /> : null}
      {arranged(stage.catalogue, place.table, pieces.slice(0, MOST_KINDS), item ?? {}).flatMap((group, at) => [
        ...(at > 0 ? [<span class="group-break" key={`break ${at}`} aria-hidden="true" />] : []),
        ...group.flatMap(({ row, count }) => {
        // Equal cards before a player lie side by side while there are few.
        const apart = own === "card" && mine && count <= MOST_ALIKE && pieces.length < 20 ? 1 : count;
        return Array.from({ length: count / apart || 1 }, (_, copy) => (
          <Piece key={`${row} ${at} ${copy}`} table={place.table} row={row} count={apart} place={place.ref} form={own} />
        ));
      }),
      ])}
      {pieces.length > MOST_KINDS ? <small>+{pieces.length - MOST_KINDS}</small> : null}
      {hidden > 0 ? <Backs count={hidden} fan={mine} /> : null}
      {place.endless ? <small class="quiet">∞ {texts.value.endless}</small> : null}
    </div>
  );
}

/** How much lies in a place, in a few signs. */
function sizeOf(place: PlaceState): string {
  if (place.endless) return "∞";
  return place.size === undefined ? "?" : String(place.size);
}

/** The name of a place, which stands for the place itself when somebody points. */
export function PlaceTag({ place, bare, name: wanted }: { readonly place: PlaceState; readonly bare?: boolean; readonly name?: string }): JSX.Element {
  const stage = useStage();
  const thing = { kind: "place", place: place.ref } as const;
  const name = wanted ?? stage.names.value.of(NameKind.PLACE, place.ref.name);
  const t = texts.value;
  const size = place.size === undefined ? (place.endless ? t.endless : t.unknown) : t.pieces(place.size);
  return (
    <button class={bare ? "tag bare" : "tag"} data-none={place.size === 0 || undefined} {...thingProps(stage, thing)} tabIndex={bare && !stage.isMarked(thing) ? -1 : 0}>
      <span class="tag-name">
        <Said text={name} most={80} />
      </span>
      <span class="tag-size" aria-hidden="true">{sizeOf(place)}</span>
      <span class="sr">
        : {size}
        {stateOf(stage, thing)}
      </span>
    </button>
  );
}

/** A place with its name. */
export function PlaceBox({ place, name, form, item }: { readonly place: PlaceState; readonly name?: string; readonly form?: Form; readonly item?: PlaceItem }): JSX.Element {
  const stage = useStage();
  const key = placeKey(place.ref);
  const thing = { kind: "place", place: place.ref } as const;
  const isDeck = item ? item.shows === "deck" : place.pile;
  return (
    <section class="place" data-box={key} data-empty={place.size === 0 || (place.size === undefined && !place.contents && !place.endless) || undefined} data-aimed={stage.isAimed(key) || undefined} data-marked={stage.isMarked(thing) || undefined} data-touched={stage.isTouched(key) || undefined}>
      <PlaceTag place={place} {...(name === undefined ? {} : { name })} />
      {isDeck ? <Deck place={place} /> : <PlacePieces place={place} {...(form ? { form } : {})} {...(item ? { item } : {})} />}
    </section>
  );
}

/** A pile: its top, if that is known, over the rest. */
export function Deck({ place }: { readonly place: PlaceState }): JSX.Element {
  const key = placeKey(place.ref);
  const top = place.contents?.[0];
  if (place.size === 0 || (place.contents !== undefined && !top && place.size === undefined)) return <div class="pieces deck" data-place={key}><span class="slot" /></div>;
  return (
    <div class="pieces deck" data-place={key}>
      {top ? <Piece table={place.table} row={top.row} count={1} place={place.ref} /> : <Backs count={place.size ?? 0} fan={false} />}
    </div>
  );
}
