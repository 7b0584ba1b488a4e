/**
 * What the page says of what is proved. It comes with the screen that says it.
 *
 * In: the language. Out: words.
 *
 * @module
 */
import { computed } from "@preact/signals";
import { language, type Language } from "../settings.ts";

const en = {
  coverage: "What is proved",
  coverageWhy:
    "A clause is touched if a scenario that comes with the ruleset has seen its rules act. It is proven if, beyond that, one has seen it refuse where it forbids, and no mistake that was planted in its rules has survived.",
  standings: { proven: "proven", touched: "touched", gap: "not seen" },
  scenariosRan: (passed: number, failed: number) => `Scenarios that pass: ${passed}; that fail: ${failed}.`,
  lacking: { refusal: "not seen refusing", proof: "no mistakes planted yet", no_rule: "no rule cites it", no_scenario: "no scenario proves it" } as Record<string, string>,
  surviving: (n: number) => (n === 1 ? "1 mistake survives" : `${n} mistakes survive`),
};

const pl: typeof en = {
  coverage: "Co jest udowodnione",
  coverageWhy:
    "Klauzula jest dotknięta, jeżeli jakiś scenariusz dołączony do zasad widział działanie jej reguł. Jest udowodniona, jeżeli ponadto widać jej odmowę tam, gdzie zabrania, a żaden błąd podłożony w jej regułach nie pozostał niezauważony.",
  standings: { proven: "udowodnione", touched: "dotknięte", gap: "bez dowodu" },
  scenariosRan: (passed, failed) => `Scenariusze udane: ${passed}; nieudane: ${failed}.`,
  lacking: { refusal: "nie widać odmowy", proof: "jeszcze bez podłożonych błędów", no_rule: "nie powołuje się na nią żadna reguła", no_scenario: "nie dowodzi jej żaden scenariusz" },
  surviving: (n) => `niezauważone błędy: ${n}`,
};

const WORDS: Readonly<Record<Language, typeof en>> = { en, pl };

export const words = computed(() => WORDS[language.value]);
