/**
 * What happened, in words.
 *
 * In: the events of a stage. Out: moves with what followed from them, newest first, each with its clause; a click shows the table
 * as it was before the move.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { NameKind, type Event } from "referee-client/v1";
import { Sign } from "../parts/icon.tsx";
import { Said } from "../parts/text.tsx";
import { ClauseLink } from "../table/inspector.tsx";
import { SeatBadge } from "../table/seat.tsx";
import { StageContext } from "../table/context.ts";
import { texts } from "../texts.ts";
import type { Stage } from "./stage.ts";
import { terseEvent, terseMove } from "./terse.ts";

/** A move, or what happened before the first one, with everything up to the next. */
interface Entry {
  readonly head: Event | undefined;
  readonly rest: readonly Event[];
}

const PAGE = 40;

/** Whether an event is worth a line: markers of the ruleset's own book-keeping say little by themselves, but nothing is hidden. */
export const isSpoken = ({ kind }: Event): boolean => kind.case !== undefined;

/** Events by moves. An entry to which nothing was added is the very same as before. */
export function entriesOf(events: readonly Event[], before: readonly Entry[] = []): readonly Entry[] {
  const entries: { head: Event | undefined; rest: Event[] }[] = [];
  for (const event of events) {
    const { case: kind } = event.kind;
    if (kind === "moveMade" || kind === "tableChanged" || kind === "matchOver") entries.push({ head: event, rest: [] });
    else if (entries.length === 0) entries.push({ head: undefined, rest: [event] });
    else entries.at(-1)!.rest.push(event);
  }
  return entries.map((entry, at) => {
    const known = before[at];
    return known && known.head === entry.head && known.rest.length === entry.rest.length && known.rest[0] === entry.rest[0] ? known : entry;
  });
}

export function Log({ stage }: { readonly stage: Stage }): JSX.Element {
  const t = texts.value;
  const most = useSignal(PAGE);
  const until = stage.past.value?.eventCount ?? stage.shown.value.eventCount;
  const before = useRef<readonly Entry[]>([]);
  const entries = (before.current = entriesOf(stage.events.value, before.current));
  const shown = entries.slice(-most.value).toReversed();
  return (
    <StageContext.Provider value={stage}>
      <ol class="log" reversed start={entries.length}>
        {shown.map((entry, at) => {
          const first = entry.head ?? entry.rest[0];
          return <EntryView key={String(first?.number)} stage={stage} entry={entry} newest={at === 0} future={first !== undefined && Number(first.number) >= until} />;
        })}
      </ol>
      {entries.length > most.value ? (
        <button type="button" onClick={() => (most.value += 4 * PAGE)}>
          {t.logMore}
        </button>
      ) : null}
    </StageContext.Provider>
  );
}

function EntryView({ stage, entry, newest, future }: { readonly stage: Stage; readonly entry: Entry; readonly newest: boolean; readonly future: boolean }): JSX.Element {
  const t = texts.value;
  const names = stage.names.value;
  const { head, rest } = entry;
  const lines = rest.filter(isSpoken);
  const move = head?.kind.case === "moveMade" ? head.kind.value : undefined;
  const clause = move ? stage.catalogue.move(move.step, move.move?.name ?? "")?.clause : undefined;
  const origin = move ? (t.origins[move.origin] ?? "") : "";
  return (
    <li class="entry" data-newest={newest || undefined} data-future={future || undefined}>
      <p class="entry-head">
        {move ? <SeatBadge seat={move.seat} /> : <Sign name="info" />}
        <button type="button" class="entry-move" onClick={() => void stage.lookAt(Number((head ?? rest[0])?.number ?? 0))}>
          {move ? <Said text={move.move ? names.move(move.step, terseMove(move.move)) : names.phase(move.step)} most={300} /> : head ? <Said text={names.event(head)} most={300} /> : t.setUp}
        </button>
        {origin !== "" ? <span class="chip">{origin}</span> : null}
      </p>
      {clause ? <ClauseLink stage={stage} id={clause} /> : null}
      {lines.length > 0 ? <Followed stage={stage} lines={lines} first={newest && lines.length <= 12} /> : null}
    </li>
  );
}

/** What followed from a move; `first` says whether it is open as long as nobody opens or closes it. What is closed is not drawn: a log has hundreds. */
function Followed({ stage, lines, first }: { readonly stage: Stage; readonly lines: readonly Event[]; readonly first: boolean }): JSX.Element {
  const names = stage.names.value;
  const wanted = useSignal<boolean | undefined>(undefined);
  const open = wanted.value ?? first;
  return (
    <div class="followed">
      <button type="button" class="fold" aria-expanded={open} onClick={() => (wanted.value = !open)}>
        {texts.value.followed(lines.length)}
      </button>
      {open ? (
        <ul>
          {lines.slice(0, 60).map((event) => (
            <li key={String(event.number)} class={event.kind.case === "phaseBegan" ? "phase-line" : ""}>
              {event.kind.case === "phaseBegan" ? <PhaseLine stage={stage} event={event} /> : <Said text={names.event(terseEvent(event))} most={300} />}
              {event.kind.case === "endingDue" && event.kind.value.clause !== "" ? <ClauseLink stage={stage} id={event.kind.value.clause} /> : null}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

function PhaseLine({ stage, event }: { readonly stage: Stage; readonly event: Event }): JSX.Element {
  const { kind } = event;
  if (kind.case !== "phaseBegan") return <></>;
  const clause = stage.catalogue.phases.get(kind.value.phase)?.clause;
  return (
    <>
      <b>
        <Said text={stage.names.value.of(NameKind.PHASE, kind.value.phase)} most={80} />
      </b>{" "}
      <Said text={kind.value.arguments.map(({ value }) => (value ? stage.names.value.value(value) : "")).join(", ")} most={120} />
      {clause ? <ClauseLink stage={stage} id={clause} /> : null}
    </>
  );
}
