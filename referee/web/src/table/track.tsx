/**
 * Tracks: numbered steps that all share.
 *
 * In: a track of the layout. Out: its steps with the counters that stand on them, those of seats as their badges; what stands on
 * no step, or nobody knows where, is told beside it.
 *
 * @module
 */
import type { JSX } from "preact";
import { placeKey } from "referee-client";
import { NameKind } from "referee-client/v1";
import { familyKey, seatOf, type Stage } from "../match/stage.ts";
import type { TrackItem } from "../model/layout.ts";
import { iconOf } from "../model/looks.ts";
import type { CounterState } from "../model/table.ts";
import { Icon } from "../parts/icon.tsx";
import { Said, clipped } from "../parts/text.tsx";
import { stateOf, thingProps, useStage } from "./context.ts";
import { SeatBadge } from "./seat.tsx";

/** What a track is called: as what stands on it. */
export const nameOfTrack = (stage: Stage, { counters }: TrackItem): string =>
  counters.map((id) => stage.names.value.of(NameKind.COUNTER, id)).join(", ");

/** The counters that stand on a track. */
export const countersOn = (stage: Stage, { counters }: TrackItem): readonly CounterState[] =>
  counters.flatMap((id) => [0, ...stage.players.value.map(({ seat }) => seat)].flatMap((seat) => stage.counters(familyKey(id, seat))));

export function TrackView({ item }: { readonly item: TrackItem }): JSX.Element {
  const stage = useStage();
  const name = nameOfTrack(stage, item);
  const all = countersOn(stage, item);
  const stands = (step: bigint): readonly CounterState[] => all.filter(({ value }) => value === step);
  const beside = all.filter(({ value }) => value === undefined || !item.steps.includes(value));
  return (
    <section class="track" aria-label={clipped(name, 80)}>
      <span class="track-name" aria-hidden="true">
        <Said text={name} most={80} />
      </span>
      <ol class="steps">
        {item.steps.map((step) => {
          const here = stands(step);
          return (
            <li key={String(step)} data-taken={here.length > 0 || undefined} aria-hidden={here.length === 0 || undefined}>
              <span class="step-number">{String(step)}</span>
              {here.map((one) => (
                <Standing key={placeKey(one.ref)} one={one} alone={item.counters.length === 1} />
              ))}
            </li>
          );
        })}
      </ol>
      {beside.map((one) => (
        <span class="beside" key={placeKey(one.ref)}>
          <Standing one={one} alone={item.counters.length === 1} />
          <b>{one.value === undefined ? "?" : String(one.value)}</b>
        </span>
      ))}
    </section>
  );
}

/** A counter as the piece that stands on a track. */
function Standing({ one: { ref }, alone }: { readonly one: CounterState; readonly alone: boolean }): JSX.Element {
  const stage = useStage();
  const key = placeKey(ref);
  const seat = seatOf(ref);
  const name = stage.names.value.of(NameKind.COUNTER, ref.name);
  const thing = { kind: "place", place: ref } as const;
  return (
    <button class="standing" data-place={key} data-aimed={stage.isAimed(key) || undefined} data-touched={stage.isTouched(key) || undefined} {...thingProps(stage, thing)} title={clipped(name, 80)} tabIndex={stage.isMarked(thing) ? 0 : -1}>
      {seat === 0 || !alone ? <Icon name={iconOf(ref.name)} label={name.slice(0, 2)} /> : null}
      {seat === 0 ? null : <SeatBadge seat={seat} />}
      <span class="sr">
        <Said text={name} most={80} />
        {stateOf(stage, thing)}
      </span>
    </button>
  );
}
