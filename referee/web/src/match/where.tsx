/**
 * Where a match stands.
 *
 * In: a stage. Out: one line with the phases and steps under way and with what they keep; it has its room also while there is
 * little to say, so that the table below stays where it is.
 *
 * @module
 */
import type { JSX } from "preact";
import { placeKey } from "referee-client";
import type { MarkerState } from "../model/table.ts";
import { Said } from "../parts/text.tsx";
import { StageContext } from "../table/context.ts";
import { SeatBadge } from "../table/seat.tsx";
import { texts } from "../texts.ts";
import { grouped } from "./keyed.ts";
import type { Stage } from "./stage.ts";
import { isNothing } from "./terse.ts";

export function Where({ stage }: { readonly stage: Stage }): JSX.Element {
  return (
    <div class="where">
      <Phases stage={stage} />
      <Kept stage={stage} />
    </div>
  );
}

/** Phases and steps under way. */
function Phases({ stage }: { readonly stage: Stage }): JSX.Element {
  const t = texts.value;
  const names = stage.names.value;
  // A step says its phase, too; of both the more precise one is enough.
  const told = stage.table.value.phases.map((frame) => ({ ...frame, name: names.phase(frame.phase) })).filter(({ name, phase }) => name !== phase || !phase.includes("."));
  return (
    <nav class="phases" aria-label={t.phase}>
      <ol>
        {told.slice(-4).map(({ phase, name, arguments: all }, at) => (
          <li key={`${at} ${phase}`}>
            <Said text={name} most={80} />
            {all.length > 0 ? <small> <Said text={all.map(({ value }) => (value ? names.value(value) : "")).filter((text) => text !== "").join(", ")} most={80} /></small> : null}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** What phases under way keep, as it is told: what is of one name stands together. */
function told({ catalogue, names, table }: Stage): readonly (readonly [string, readonly MarkerState[]])[] {
  const { kept, asking } = table.value;
  const shown = kept.filter(({ ref, value }) => {
    // What nothing has set yet is only what its phase begins with.
    if (catalogue.kept.get(ref.name)?.stepsBeforeSet.includes(asking)) return false;
    // What has no name for people is the ruleset's own book-keeping.
    return names.value.marker({ ...ref, index: [] }) !== ref.name && !isNothing(value);
  });
  return [...grouped(shown, ({ ref }) => ref.name)];
}

/** What phases under way keep. */
function Kept({ stage }: { readonly stage: Stage }): JSX.Element | null {
  const names = stage.names.value;
  const all = told(stage);
  if (all.length === 0) return null;
  return (
    <StageContext.Provider value={stage}>
      <section class="kept" aria-label={texts.value.kept}>
        <h2>{texts.value.kept}</h2>
        {all.map(([name, each]) => (
          <p key={name} class="kept-one">
            <Said text={names.marker({ ...each[0]!.ref, index: [] })} most={80} />
            {each.map(({ ref, value }) => (
              <span key={placeKey(ref)} class="kept-value">
                {ref.index.map((of, at) => (of.kind.case === "seat" ? <SeatBadge key={at} seat={of.kind.value} /> : <Said key={at} text={names.value(of)} most={60} />))}
                {/* That it is so, its name says. */}
                {value!.kind.case === "boolean" ? null : <Said text={names.value(value!)} most={300} />}
              </span>
            ))}
          </p>
        ))}
      </section>
    </StageContext.Provider>
  );
}
