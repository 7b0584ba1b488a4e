/**
 * Where a match stands.
 *
 * In: a stage. Out: one line with the phases and steps under way and with what they keep; it has its room also while there is
 * little to say, so that the table below stays where it is.
 *
 * @module
 */
import type { JSX } from "preact";
import { placeKey, type Names } from "referee-client";
import type { Value } from "referee-client/v1";
import { Said } from "../parts/text.tsx";
import { texts } from "../texts.ts";
import type { Stage } from "./stage.ts";
import { terse } from "./terse.ts";

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

/** A value in words. A record is known by its parts: its kind is a word of the rules and of nobody who plays. */
const wordsOf = (names: Names, value: Value): string => (value.kind.case === "record" ? names.arguments(value.kind.value.parts) : names.value(value));

/** What phases under way keep. */
function Kept({ stage }: { readonly stage: Stage }): JSX.Element | null {
  const names = stage.names.value;
  const { kept, asking } = stage.table.value;
  const told = kept.filter(({ ref, value }) => {
    const kind = value?.kind;
    // What nothing has set yet is only what its phase begins with.
    if (stage.catalogue.kept.get(ref.name)?.stepsBeforeSet.includes(asking)) return false;
    // What has no name for people is the ruleset's own book-keeping.
    return names.marker({ ...ref, index: [] }) !== ref.name && kind !== undefined && kind.case !== undefined && kind.case !== "none" && !(kind.case === "boolean" && !kind.value) && !(kind.case === "integer" && kind.value === 0n);
  });
  if (told.length === 0) return null;
  return (
    <section class="kept" aria-label={texts.value.kept}>
      <h2>{texts.value.kept}</h2>
      {told.map(({ ref, value }) => (
        <p key={placeKey(ref)} class="kept-one">
          <Said text={names.marker(ref)} most={120} />
          <b>
            <Said text={wordsOf(names, terse(value!))} most={300} />
          </b>
        </p>
      ))}
    </section>
  );
}
