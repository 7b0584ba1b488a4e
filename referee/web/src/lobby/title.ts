/**
 * What a ruleset is called.
 *
 * In: what a list says of it, or its name. Out: its title in the language of the page.
 *
 * @module
 */
import { inLanguage } from "referee-client";
import type { RulesetSummary } from "referee-client/v1";
import { language } from "../settings.ts";

export const titleOf = (summary: RulesetSummary | undefined, name = summary?.name ?? ""): string =>
  inLanguage(summary?.titles, language.value) ?? name.replace(/^rulesets\//, "");
