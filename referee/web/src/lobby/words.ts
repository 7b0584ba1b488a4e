/**
 * What the page says where a table is opened. It comes with the screen that says it.
 *
 * In: the language. Out: words.
 *
 * @module
 */
import { computed } from "@preact/signals";
import { language, type Language } from "../settings.ts";

const en = {
  anybodyWatches: "Anybody may watch",
  newTable: "A new table",
  playersLabel: "Players",
  options: "Options",
  clock: "Time for a question",
  noClock: "No limit",
  delay: "Spectators are behind by",
  chance: "Chance",
  chances: { 1: "Players may add to it", 2: "Every player adds to it", 3: "Every player commits, then adds" } as Record<number, string>,
  forced: "A single legal move is made by itself",
  startWhenFull: "Start when all seats are taken",
  testSeed: "Seed (64 hexadecimal digits; nothing here is fair)",
  create: "Open the table",
  nameNeeded: "Say what you want to be called.",
};

const pl: typeof en = {
  anybodyWatches: "Partia otwarta dla widzów",
  newTable: "Nowy stół",
  playersLabel: "Gracze",
  options: "Opcje",
  clock: "Czas na pytanie",
  noClock: "Bez limitu",
  delay: "Opóźnienie dla widzów",
  chance: "Los",
  chances: { 1: "Gracze mogą dołożyć swoją część", 2: "Każdy gracz dokłada swoją część", 3: "Każdy gracz zobowiązuje się, potem dokłada" },
  forced: "Jedyny możliwy ruch wykonuje się sam",
  startWhenFull: "Zacznij, gdy wszystkie miejsca są zajęte",
  testSeed: "Ziarno (64 cyfry szesnastkowe; nic tu nie jest uczciwe)",
  create: "Otwórz stół",
  nameNeeded: "Podaj, jak mamy cię nazywać.",
};

const WORDS: Readonly<Record<Language, typeof en>> = { en, pl };

export const words = computed(() => WORDS[language.value]);
