/**
 * The referee that served this page.
 *
 * In: the address of the page. Out: a {@link Referee} in the chosen language, for any token; catalogues, asked for once.
 *
 * @module
 */
import { computed } from "@preact/signals";
import { NameBook, type Referee } from "referee-client";
import { connect } from "referee-client/web";
import type { Match, Ruleset } from "referee-client/v1";
import { hostToken, playerToken } from "./keys.ts";
import { language } from "./settings.ts";

const base = connect(location.href.replace(/[^/]*([?#].*)?$/, "").replace(/\/$/, ""));

/** Asks anew, at once, what is under way: connections of before may be dead. */
export const renewConnections = (): void => base.renew();

/** Anybody's. */
export const referee = computed<Referee>(() => base.inLanguage(language.value));
/** The host's, if there is a host's token here. */
export const host = computed<Referee | undefined>(() => (hostToken.value === "" ? undefined : referee.value.withToken(hostToken.value)));
/** The player's, if there is a player's token here. */
export const player = computed<Referee | undefined>(() => (playerToken.value === "" ? undefined : referee.value.withToken(playerToken.value)));
/** For whoever has this token; anybody's, if it is empty. */
export const withToken = (token: string): Referee => (token === "" ? referee.value : referee.value.withToken(token));

const book = new NameBook(base);
/** The catalogue of a match. */
export const rulesetOf = (match: Pick<Match, "digest" | "revision" | "configuration">): Promise<Ruleset> => book.ruleset(match);
