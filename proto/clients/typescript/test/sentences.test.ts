// Sentences with holes: taken apart and filled.

import assert from "node:assert/strict";
import { test } from "node:test";
import { filled, pieces, spoken } from "../src/index.js";

const fill = (hole: string) => {
  if (hole === "tile") return { spans: [{ text: "Quarry {no hole}" }] };
  if (hole === "from") return { spans: [{ text: "nothing" }], nothing: true };
  return undefined;
};
const said = (sentence: string): string => spoken(filled(sentence, fill));

test("a sentence is words, holes and parts", () => {
  assert.deepEqual(pieces("take {tile}[ from {from}]!"), [
    { text: "take " },
    { hole: "tile" },
    { part: [{ text: " from " }, { hole: "from" }] },
    { text: "!" },
  ]);
  assert.deepEqual(pieces(""), []);
});

test("holes are filled, and parts without anything to say are left out", () => {
  assert.equal(said("take {tile}"), "take Quarry {no hole}");
  assert.equal(said("take {tile} from {from}"), "take Quarry {no hole} from nothing");
  assert.equal(said("take[ the {tile}][ from {from}]."), "take the Quarry {no hole}.");
});

test("a hole that is not known is an ellipsis, and leaves its part out", () => {
  assert.equal(said("{new}: {tile}[ and {new}]"), "…: Quarry {no hole}");
});

test("what fills a hole says which", () => {
  assert.deepEqual(filled("take {tile}", fill)[1], { text: "Quarry {no hole}", hole: "tile" });
});

test("what is no sentence is shown as it is", () => {
  assert.equal(said("open { and [ brackets"), "open { and [ brackets");
});
