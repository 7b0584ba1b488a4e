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
import type { Thing } from "../model/pointing.ts";
import { texts } from "../texts.ts";

export const StageContext = createContext<Stage | undefined>(undefined);

export function useStage(): Stage {
  const stage = useContext(StageContext);
  if (!stage) throw new Error("a table is drawn outside of a stage");
  return stage;
}

/** The attributes of the button of a thing; a quiet one is looked at and never marked. Its name is what stands in it. */
export function thingProps(stage: Stage, thing: Thing, quiet = false): Record<string, string | number | boolean | undefined> {
  return {
    "data-thing": stage.draws(thing),
    "data-marked": (!quiet && stage.isMarked(thing)) || undefined,
    "data-chosen": (!quiet && stage.isChosen(thing)) || undefined,
    type: "button",
  };
}

/** What the ring around a thing says, for whoever does not see it. */
export function stateOf(stage: Stage, thing: Thing, quiet = false): string {
  if (quiet) return "";
  const t = texts.value;
  return stage.isChosen(thing) ? `, ${t.chosenMark}` : stage.isMarked(thing) ? `, ${t.marked}` : "";
}

/** What is read about, and where it stands. */
export interface Inspected {
  readonly thing: Thing;
  readonly anchor: HTMLElement;
  /** Whether it stays until it is closed. */
  readonly pinned: boolean;
}

export const inspected = signal<Inspected | undefined>(undefined);
