/**
 * What drawn things share.
 *
 * In: a stage. Out: the attributes of an element that stands for a thing, so that one listener on the table finds what was
 * pointed at.
 *
 * @module
 */
import { signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Stage } from "../match/stage.ts";
import { thingKey, type Thing } from "../model/pointing.ts";
import { texts } from "../texts.ts";

export const StageContext = createContext<Stage | undefined>(undefined);

export function useStage(): Stage {
  const stage = useContext(StageContext);
  if (!stage) throw new Error("a table is drawn outside of a stage");
  return stage;
}

/** Things by key, as far as they were drawn. They are what this seat sees. */
const DRAWN = new WeakMap<Stage, Map<string, Thing>>();

export const thingOf = (stage: Stage, key: string): Thing | undefined => DRAWN.get(stage)?.get(key);

/** The attributes of the button of a thing; a quiet one is looked at and never marked. Its name is what stands in it. */
export function thingProps(stage: Stage, thing: Thing, quiet = false): Record<string, string | number | boolean | undefined> {
  const key = thingKey(thing);
  const drawn = DRAWN.get(stage) ?? new Map<string, Thing>();
  DRAWN.set(stage, drawn);
  drawn.set(key, thing);
  return {
    "data-thing": key,
    "data-marked": (!quiet && stage.marks(thing)) || undefined,
    "data-chosen": (!quiet && stage.chosen(thing)) || undefined,
    type: "button",
  };
}

/** What the ring around a thing says, for whoever does not see it. */
export function stateOf(stage: Stage, thing: Thing, quiet = false): string {
  if (quiet) return "";
  const t = texts.value;
  return stage.chosen(thing) ? `, ${t.chosenMark}` : stage.marks(thing) ? `, ${t.marked}` : "";
}

/** What is read about, and where it stands. */
export interface Inspected {
  readonly thing: Thing;
  readonly anchor: HTMLElement;
  /** Whether it stays until it is closed. */
  readonly pinned: boolean;
}

export const inspected = signal<Inspected | undefined>(undefined);
