/**
 * The whole picture: the common table, and a mat for each seat.
 *
 * In: a stage. Out: its areas as the layout says them, and one listener that finds what is pointed at.
 *
 * @module
 */
import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { inLanguage, placeKey } from "referee-client";
import { NameKind } from "referee-client/v1";
import { familyKey, type Stage } from "../match/stage.ts";
import type { Area, Item, PlaceItem } from "../model/layout.ts";
import { iconOf } from "../model/looks.ts";
import { EMPTY, type PlaceState } from "../model/table.ts";
import { Countdown, duration } from "../parts/controls.tsx";
import { Icon, Sign, loadIcons } from "../parts/icon.tsx";
import { Aside, Said, clipped } from "../parts/text.tsx";
import { language } from "../settings.ts";
import { texts } from "../texts.ts";
import { BoardView } from "./board.tsx";
import { StageContext, inspected, stateOf, thingProps, useStage } from "./context.ts";
import { Inspector } from "./inspector.tsx";
import { PlaceBox } from "./place.tsx";
import { SeatBadge, seatStyle } from "./seat.tsx";
import { settle } from "./settled.ts";
import { TrackView, countersOn, nameOfTrack } from "./track.tsx";

/** As many places, or counters, of one family as are drawn: those first in which anything lies. */
const MOST_OF_FAMILY = 240;

/** The places of an item, of one seat or of none. */
function placesOf(stage: Stage, { place: id }: PlaceItem, seat: number): readonly PlaceState[] {
  const all = stage.places(familyKey(id, seat));
  return all.length <= MOST_OF_FAMILY ? all : all.toSorted((a, b) => Number(a.size === 0) - Number(b.size === 0)).slice(0, MOST_OF_FAMILY);
}

function PlaceItemView({ item, seat }: { readonly item: PlaceItem; readonly seat: number }): JSX.Element {
  const stage = useStage();
  const names = stage.names.value;
  const places = placesOf(stage, item, seat);
  return (
    <>
      {places.map((place) => {
        const rest = place.ref.index.filter(({ kind }) => kind.case !== "seat");
        // What may not be known says nothing, either.
        const says = place.size === undefined ? place.endless || place.contents !== undefined : place.size > 0;
        if (item.hideEmpty && !says && !stage.isMarked({ kind: "place", place: place.ref })) return null;
        if (rest.length > 0 && place.size === 0) return null;
        const name = names.of(NameKind.PLACE, place.ref.name);
        const within = rest.length > 0 ? `${name} (${rest.map((value) => names.value(value)).join(", ")})` : name;
        return <PlaceBox key={placeKey(place.ref)} place={place} name={within} item={item} />;
      })}
    </>
  );
}

/** A counter or marker beside its name. */
function Stat({ id, seat, kind, hideEmpty }: { readonly id: string; readonly seat: number; readonly kind: "counter" | "marker"; readonly hideEmpty: boolean }): JSX.Element | null {
  const stage = useStage();
  const names = stage.names.value;
  const family = familyKey(id, seat);
  const all =
    kind === "counter"
      ? stage.counters(family).map(({ ref, value }) => ({ ref, text: value === undefined ? "?" : String(value), value: undefined, quiet: false }))
      : stage.markers(family)
          .map(({ ref, value }) => ({ ref, text: value ? names.value(value) : "?", value, quiet: value?.kind.case === "none" || (value?.kind.case === "boolean" && !value.kind.value) }));
  // A family is told in so far as it says anything.
  const told = all.length > 1 || hideEmpty ? all.filter(({ text, quiet }) => !quiet && text !== "0") : all.filter(({ quiet }) => !quiet);
  return (
    <>
      {told.slice(0, MOST_OF_FAMILY).map(({ ref, text, value }) => {
        const rest = ref.index.filter(({ kind }) => kind.case !== "seat");
        const name = names.of(kind === "counter" ? NameKind.COUNTER : NameKind.MARKER, id);
        const label = rest.length > 0 ? `${name} (${rest.map((one) => names.value(one)).join(", ")})` : name;
        const key = placeKey(ref);
        const look = value?.kind.case === "row" ? stage.layout.looks.row(value.kind.value.table, value.kind.value.row).icon : undefined;
        return (
          <button class="stat" key={key} data-place={key} data-aimed={stage.isAimed(key) || undefined} data-touched={stage.isTouched(key) || undefined} {...thingProps(stage, { kind: "place", place: ref })}>
            <Icon name={look ?? iconOf(id)} label="" />
            <b>
              <Said text={text} most={60} />
            </b>
            <small>
              <Said text={label} most={60} />
            </small>
            <Aside text={stateOf(stage, { kind: "place", place: ref })} />
          </button>
        );
      })}
    </>
  );
}

function ItemView({ item, seat }: { readonly item: Item; readonly seat: number }): JSX.Element {
  switch (item.kind) {
    case "area":
      return <AreaView area={item} seat={seat} />;
    case "place":
      return <PlaceItemView item={item} seat={seat} />;
    case "counter":
      return <Stat id={item.counter} seat={seat} kind="counter" hideEmpty={item.hideEmpty ?? false} />;
    case "marker":
      return <Stat id={item.marker} seat={seat} kind="marker" hideEmpty={item.hideEmpty ?? false} />;
    case "board":
      return <BoardView item={item} seat={seat} />;
    case "track":
      return <TrackView item={item} />;
  }
}

/** What stands above an area. */
function titleOf(stage: Stage, item: Item): string {
  const names = stage.names.value;
  switch (item.kind) {
    case "area":
      return item.titles ? (inLanguage(item.titles, language.value) ?? "") : item.id === "rest" ? texts.value.otherThings : "";
    case "place":
      return names.of(NameKind.PLACE, item.place);
    case "counter":
      return names.of(NameKind.COUNTER, item.counter);
    case "marker":
      return names.of(NameKind.MARKER, item.marker);
    case "board":
      return names.of(NameKind.TABLE, item.board.tables[0] ?? "");
    case "track":
      return nameOfTrack(stage, item);
  }
}

/** Whether anything in it can be chosen now: what must be seen is never folded away. */
function isWanted(stage: Stage, item: Item, seat: number): boolean {
  const isPlace = (place: PlaceState): boolean =>
    stage.isMarked({ kind: "place", place: place.ref }) ||
    (place.contents ?? []).slice(0, 240).some(({ row }) => stage.isMarked({ kind: "piece", place: place.ref, row: { $typeName: "referee.v1.RowRef", table: place.table, row } }));
  const isAny = (ids: readonly string[]): boolean => ids.some((id) => stage.places(familyKey(id, seat)).some(isPlace));
  switch (item.kind) {
    case "area":
      return item.items.some((one) => isWanted(stage, one, seat));
    case "place":
      return isAny([item.place, ...stage.layout.riders.filter(({ on }) => on === item.place).map(({ place }) => place)]);
    case "board":
      return (
        item.board.cells.some(({ table, row }) => stage.isMarked({ kind: "row", row: { $typeName: "referee.v1.RowRef", table, row } })) ||
        isAny([...item.places, ...item.laid.map(({ place }) => place)])
      );
    case "track":
      return countersOn(stage, item).some(({ ref }) => stage.isMarked({ kind: "place", place: ref }));
    case "counter":
      return [...stage.table.value.counters.values()].some(({ ref }) => ref.name === item.counter && stage.isMarked({ kind: "place", place: ref }));
    case "marker":
      return [...stage.table.value.markers.values()].some(({ ref }) => ref.name === item.marker && stage.isMarked({ kind: "place", place: ref }));
  }
}

function AreaView({ area, seat }: { readonly area: Area; readonly seat: number }): JSX.Element {
  const stage = useStage();
  const title = titleOf(stage, area);
  const parts =
    area.flow === "tabs" && area.items.length > 1 ? (
      <Tabs area={area} seat={seat} />
    ) : (
      <div class={`area ${area.flow} area-${area.id}`} data-authored={stage.layout.authored || undefined}>
        {area.items.map((item, at) => (
          <ItemView key={at} item={item} seat={seat} />
        ))}
        {seat === 0 && area.flow === "row" ? <Reserve area={area} /> : null}
      </div>
    );
  if (area.fold === "never") {
    if (title === "") return parts;
    return (
      <div class="titled" role="group" aria-label={clipped(title, 80)}>
        <h3 aria-hidden="true">
          <Said text={title} most={80} />
        </h3>
        {parts}
      </div>
    );
  }
  return <Folded area={area} seat={seat} title={title} parts={parts} />;
}

/** Room for one of the places that are not there while nothing lies in them, so that it comes without moving what stands beside. */
function Reserve({ area }: { readonly area: Area }): JSX.Element | null {
  const stage = useStage();
  const waits = useComputed(() => area.items.some((item) => item.kind === "place" && item.hideEmpty && stage.places(familyKey(item.place, 0)).every(({ size }) => size === 0))).value;
  return waits ? <span class="reserve" aria-hidden="true" /> : null;
}

/** An area that can be folded away; it opens by itself when something in it can be chosen. */
function Folded({ area, seat, title, parts }: { readonly area: Area; readonly seat: number; readonly title: string; readonly parts: JSX.Element }): JSX.Element {
  const stage = useStage();
  const [open, setOpen] = useState(area.fold === "open");
  const wanted = useComputed(() => isWanted(stage, area, seat)).value;
  return (
    <details class="titled" open={open || wanted} onToggle={(event) => !wanted && setOpen(event.currentTarget.open)}>
      <summary>
        <Said text={title || texts.value.more} most={80} />
      </summary>
      {parts}
    </details>
  );
}

/**
 * Parts side by side while there is room; where there is none, one of them at a time behind a tab each, and those in which
 * something can be chosen.
 */
function Tabs({ area, seat }: { readonly area: Area; readonly seat: number }): JSX.Element {
  const stage = useStage();
  const [chosen, setChosen] = useState(0);
  // In one text, which is told of only when it changes.
  const marks = useComputed(() => area.items.map((item) => (isWanted(stage, item, seat) ? "x" : "-")).join("")).value;
  const wanted = area.items.map((_, at) => marks[at] === "x");
  return (
    <div class={`tabs area-${area.id}`} data-authored={stage.layout.authored || undefined}>
      <div class="tab-list">
        {area.items.map((item, at) => (
          <button type="button" class="tab" key={at} aria-pressed={at === chosen} data-wanted={(wanted[at] && at !== chosen) || undefined} onClick={() => setChosen(at)}>
            <Said text={titleOf(stage, item)} most={60} />
          </button>
        ))}
      </div>
      <div class="tab-panels">
        {area.items.map((item, at) => (
          <div class="tab-panel" key={at} data-chosen={at === chosen || wanted[at] || undefined}>
            <ItemView item={item} seat={seat} />
          </div>
        ))}
      </div>
    </div>
  );
}

/** What one seat has before it. */
export function Mat({ seat }: { readonly seat: number }): JSX.Element {
  const stage = useStage();
  const t = texts.value;
  const player = stage.players.value.find((player) => player.seat === seat);
  const markers = stage.layout.seatMarkers.filter((id) => {
    const kind = stage.marker(`${id}()`)?.value?.kind;
    return kind?.case === "seat" && kind.value === seat;
  });
  const moving = useComputed(() => stage.table.value.waiting.includes(seat)).value;
  const mine = stage.seat === seat;
  const score = stage.outcome.value?.scores.find((sheet) => sheet.seat === seat);
  const clock = stage.outcome.value ? undefined : stage.clocks.value.get(seat);
  return (
    <section class={mine ? "mat mine" : "mat"} style={seatStyle(seat)} data-mat={seat} data-moving={moving || undefined} aria-label={clipped(stage.nameOf(seat), 80)}>
      <header class="mat-head">
        <button class="player" {...thingProps(stage, { kind: "seat", seat })}>
          <SeatBadge seat={seat} />
          <span class="player-name">
            <Said text={stage.nameOf(seat)} most={64} />
          </span>
          <Aside text={stateOf(stage, { kind: "seat", seat })} />
        </button>
        {mine ? <span class="chip">{t.you}</span> : null}
        {player?.bot ? <span class="chip"><Sign name="bot" />{t.botMark}</span> : null}
        {player?.resigned ? <span class="chip"><Sign name="flag" />{t.resignedMark}</span> : null}
        {player && !player.bot && !player.resigned && !mine && stage.away.value.has(seat) ? <span class="chip away"><Sign name="wifi-off" />{t.awayMark}</span> : null}
        {markers.map((id) => (
          <span class="chip office" key={id} data-touched={stage.isTouched(`${id}()`) || undefined}>
            <Icon name={iconOf(id)} label="" />
            <Said text={stage.names.value.of(NameKind.MARKER, id)} most={40} />
          </span>
        ))}
        {moving ? <span class="chip moving"><Sign name="hourglass" />{t.turnMark}</span> : null}
        {clock?.deadline && !mine && stage.live ? <Countdown until={clock.deadline} /> : null}
        {clock?.bank ? <span class="chip"><Sign name="clock" />{t.bankMark(duration(Number(clock.bank.seconds)))}</span> : null}
        {score ? <span class="chip office">{t.total}: <b>{String(score.total)}</b></span> : null}
      </header>
      <AreaView area={stage.layout.mat} seat={seat} />
    </section>
  );
}

/** Seats in the order in which they are drawn: the own one first, the others as they sit from there on. */
export function seatsAround(count: number, own: number): readonly number[] {
  const first = own === 0 ? 1 : own;
  return Array.from({ length: count }, (_, at) => ((first - 1 + at) % count) + 1);
}

/** How long a finger or a pointer rests before the card is told about. */
const REST_MS = 420;

/** The table. */
export function TableView({ stage }: { readonly stage: Stage }): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => void loadIcons(stage.layout.looks.icons()), [stage]);
  const common = useRef<HTMLElement>(null);
  useEffect(() => (root.current ? listen(root.current, stage) : undefined), [stage]);
  const laid = useComputed(() => stage.table.value !== EMPTY).value;
  useEffect(() => (common.current && laid ? settle(common.current) : undefined), [stage, laid]);
  const seats = seatsAround(stage.players.value.length, stage.seat);
  const t = texts.value;
  return (
    <StageContext.Provider value={stage}>
      <div class="table" id="table" ref={root} tabIndex={-1} data-past={stage.past.value !== undefined || undefined}>
        <section class="common" ref={common} aria-label={t.commonTable}>
          <AreaView area={stage.layout.common} seat={0} />
        </section>
        <div class="mats">
          {seats.map((seat) => (
            <Mat key={seat} seat={seat} />
          ))}
        </div>
      </div>
      <Inspector stage={stage} />
    </StageContext.Provider>
  );
}

/** Finds what is pointed at, rested upon and asked about; gives what ends that. */
function listen(root: HTMLElement, stage: Stage): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  let rest: ReturnType<typeof setTimeout> | undefined;
  let held = false;
  const found = (target: EventTarget | null): { readonly element: HTMLElement; readonly key: string } | undefined => {
    const element = target instanceof Element ? target.closest<HTMLElement>("[data-thing]") : null;
    const key = element?.dataset["thing"];
    return element && key !== undefined ? { element, key } : undefined;
  };
  const inspect = (target: EventTarget | null, pinned: boolean): void => {
    const at = found(target);
    const thing = at && stage.drawn(at.key);
    const shown = inspected.value;
    if (at && thing && !(shown && !pinned && (shown.pinned || shown.anchor === at.element))) inspected.value = { thing, anchor: at.element, pinned };
  };
  const later = (target: EventTarget | null, pinned: boolean): void => {
    clearTimeout(rest);
    rest = setTimeout(() => {
      held = pinned;
      inspect(target, pinned);
    }, REST_MS);
  };
  const leave = (): void => {
    clearTimeout(rest);
    if (inspected.value && !inspected.value.pinned) inspected.value = undefined;
  };
  root.addEventListener(
    "click",
    (event) => {
      clearTimeout(rest);
      if (held) {
        // A long press has told of it already.
        held = false;
        return;
      }
      const at = found(event.target);
      const thing = at && stage.drawn(at.key);
      if (!at || !thing) return;
      if (stage.marks(thing) && stage.point(thing)) inspected.value = undefined;
      else inspected.value = { thing, anchor: at.element, pinned: true };
    },
    { signal },
  );
  // Whoever moves there and rests asks; a thing that came to lie under the pointer was not asked about.
  root.addEventListener("pointermove", (event) => event.pointerType === "mouse" && found(event.target) && later(event.target, false), { signal });
  root.addEventListener("pointerout", (event) => event.pointerType === "mouse" && leave(), { signal });
  root.addEventListener("pointerdown", (event) => event.pointerType !== "mouse" && later(event.target, true), { signal });
  for (const kind of ["pointerup", "pointercancel", "pointermove"] as const) {
    root.addEventListener(kind, (event) => event.pointerType !== "mouse" && (kind !== "pointermove" || Math.hypot(event.movementX, event.movementY) > 6) && clearTimeout(rest), { signal });
  }
  root.addEventListener("contextmenu", (event) => {
    if (!found(event.target)) return;
    event.preventDefault();
    inspect(event.target, true);
  }, { signal });
  root.addEventListener("focusin", (event) => event.target instanceof Element && event.target.matches(":focus-visible") && later(event.target, false), { signal });
  root.addEventListener("focusout", leave, { signal });
  root.addEventListener(
    "keydown",
    (event) => {
      const at = found(event.target);
      if (!at) return;
      if (event.key === "?" || event.key === "i") {
        event.preventDefault();
        inspect(event.target, true);
      }
      const forward = event.key === "ArrowRight" || event.key === "ArrowDown";
      if (!forward && event.key !== "ArrowLeft" && event.key !== "ArrowUp") return;
      event.preventDefault();
      const all = [...root.querySelectorAll<HTMLElement>("[data-thing]")].filter((element) => element.offsetParent !== null);
      const next = all.indexOf(at.element) + (forward ? 1 : -1);
      all[Math.max(0, Math.min(all.length - 1, next))]?.focus();
    },
    { signal },
  );
  return () => {
    ended.abort();
    clearTimeout(rest);
    inspected.value = undefined;
  };
}

