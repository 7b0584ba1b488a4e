/**
 * Things of the picture in words.
 *
 * In: a stage and a thing. Out: its name in the language of the page.
 *
 * @module
 */
import type { Thing } from "../model/pointing.ts";
import type { Stage } from "./stage.ts";

export function wordsOf(stage: Stage, thing: Thing): string {
  const names = stage.names.value;
  switch (thing.kind) {
    case "piece":
    case "row":
      return names.row(thing.row);
    case "seat":
      return names.player(thing.seat);
    case "place": {
      const { name } = thing.place;
      if (stage.catalogue.places.has(name)) return names.place(thing.place);
      return stage.catalogue.counters.has(name) ? names.counter(thing.place) : names.marker(thing.place);
    }
  }
}
