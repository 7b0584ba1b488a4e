/**
 * Everything that the page itself says, in the chosen language.
 *
 * In: the chosen language. Out: texts and functions that make texts. English is always there; another language comes in a file of
 * its own, when it is chosen. Names of things of a game come from its ruleset and never from here.
 *
 * @module
 */
import { effect, signal } from "@preact/signals";
import { language, type Language } from "./settings.ts";
import { en, type Texts } from "./texts/en.ts";

export type { Texts };

/** Brings a language; English has come already. */
const LATER: Readonly<Partial<Record<Language, () => Promise<Texts>>>> = {
  pl: async () => (await import("./texts/pl.ts")).pl,
};

/** The texts of the chosen language, or of the one before while its own are on their way. */
export const texts = signal<Texts>(en);

/** When the first texts are there: a page in the chosen language is not drawn in another one first. */
export let textsCame: Promise<void> = Promise.resolve();

effect(() => {
  const chosen = language.value;
  const later = LATER[chosen];
  if (!later) {
    texts.value = en;
    return;
  }
  textsCame = later().then(
    (brought) => {
      if (language.peek() === chosen) texts.value = brought;
    },
    // They could not be brought: what the page says stays as it is, and names are in the chosen language all the same.
    () => undefined,
  );
});
