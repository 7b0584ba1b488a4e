/**
 * A table is opened.
 *
 * In: a ruleset and a host's token. Out: a match with its modules, options, seats, bots, clock, spectators and chance.
 *
 * @module
 */
import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { hasReason, inLanguage } from "referee-client";
import { BotKind, ForcedMoves, Reason, SeatEntropy, type Configuration, type Ruleset } from "referee-client/v1";
import { hostToken, keepCodes, keepKey } from "../keys.ts";
import { Failure, useLoading } from "../parts/controls.tsx";
import { Said } from "../parts/text.tsx";
import { go, to } from "../route.ts";
import { host, player, referee } from "../server.ts";
import { language, playerName } from "../settings.ts";
import { texts } from "../texts.ts";
import { words } from "./words.ts";
import { titleOf } from "./title.ts";

type Who = "me" | "link" | "open" | "random" | "greedy" | "search";
const BOTS: Partial<Record<Who, BotKind>> = { random: BotKind.RANDOM, greedy: BotKind.GREEDY, search: BotKind.SEARCH };
const CLOCKS = [0, 30, 60, 120, 300, 600, 3600, 86400, 259200];
const DELAYS = [0, 1, 3, 10, 30];
/** By how many players more than the base game a module may be for. */
const MORE_PLAYERS = 4;

export function HostScreen({ ruleset: id }: { readonly ruleset: string }): JSX.Element {
  const t = texts.value;
  const { loading, again } = useLoading(async () => {
    const { ruleset } = await referee.value.rulesets.getRuleset({ name: `rulesets/${id}` });
    const info = await referee.value.info();
    return { ruleset: ruleset!, info };
  }, [id]);
  if (hostToken.value === "") return <main class="narrow-page"><p>{t.hostWhy}</p><p><a href={to.home}>{t.home}</a></p></main>;
  if (loading.state === "loading") return <main class="narrow-page"><p role="status">{t.loading}</p></main>;
  if (loading.state === "failed") return <main class="narrow-page"><Failure error={loading.error} again={again} /></main>;
  return <HostForm ruleset={loading.value.ruleset} testing={loading.value.info.testing} longest={Number(loading.value.info.limits?.questionTime?.seconds ?? 0n)} />;
}

function HostForm({ ruleset, testing, longest }: { readonly ruleset: Ruleset; readonly testing: boolean; readonly longest: number }): JSX.Element {
  const t = texts.value;
  const w = words.value;
  const { minPlayers = 1, maxPlayers = 1, name: rulesetName = "" } = ruleset.summary ?? {};
  const players = useSignal(minPlayers);
  const modules = useSignal<readonly string[]>([]);
  const settings = useSignal<Readonly<Record<string, bigint>>>({});
  const seats = useSignal<readonly Who[]>(["me", ...Array.from({ length: 12 }, (): Who => "greedy")]);
  const clock = useSignal(0);
  const delay = useSignal(0);
  const anybody = useSignal(false);
  const chance = useSignal<SeatEntropy>(SeatEntropy.WELCOME);
  const forced = useSignal(true);
  const starting = useSignal(true);
  const seed = useSignal("");
  const busy = useSignal(false);
  const failed = useSignal<unknown>(undefined);
  // Modules may change how many can play; what they make of the game is told for a number of players that they are for.
  const { loading } = useLoading(async () => {
    for (let players = minPlayers; ; players += 1) {
      const configuration = { players, modules: [...modules.value], options: [] };
      try {
        return (await referee.value.rulesets.getRuleset({ name: rulesetName, configuration })).ruleset?.summary;
      } catch (thrown) {
        const isTooFew = players < maxPlayers + MORE_PLAYERS && hasReason(thrown, Reason.CONFIGURATION_INVALID, Reason.RULESET_NOT_PLAYABLE);
        if (!isTooFew) throw thrown;
      }
    }
  }, [modules.value.join()]);
  const { minPlayers: least = minPlayers, maxPlayers: most = maxPlayers } = (loading.state === "done" ? loading.value : undefined) ?? {};
  useEffect(() => {
    players.value = Math.min(Math.max(players.value, least), most);
  }, [least, most]);
  const counts = Array.from({ length: Math.max(1, most - least + 1) }, (_, at) => least + at);
  const named = useComputed(() => !seats.value.slice(0, players.value).includes("me") || playerName.value.trim() !== "");
  const text = (of: Parameters<typeof inLanguage>[0], otherwise: string): string => inLanguage(of, language.value) ?? otherwise;

  const open = async (event: Event): Promise<void> => {
    event.preventDefault();
    busy.value = true;
    failed.value = undefined;
    try {
      await openTable();
    } catch (thrown) {
      failed.value = thrown;
    }
    busy.value = false;
  };

  const openTable = async (): Promise<void> => {
    const mine = host.value!;
    const who = seats.value.slice(0, players.value);
    const configuration: Omit<Configuration, "$typeName" | "options"> & { options: { option: string; value: bigint }[] } = {
      players: players.value,
      modules: ruleset.modules.map(({ id }) => id).filter((id) => modules.value.includes(id)),
      options: Object.entries(settings.value).map(([option, value]) => ({ option, value })),
    };
    const { match, claimCodes } = await mine.matches.createMatch({
      ruleset: rulesetName,
      configuration,
      forcedMoves: forced.value ? ForcedMoves.PLAYED : ForcedMoves.ASKED,
      openSeats: who.flatMap((one, at) => (one === "open" ? [at + 1] : [])),
      seatEntropy: chance.value,
      public: anybody.value,
      ...(clock.value > 0 ? { questionTime: { seconds: BigInt(clock.value), nanos: 0 } } : {}),
      ...(delay.value > 0 ? { spectatorDelay: { delay: { case: "moves" as const, value: delay.value } } } : {}),
      ...(seed.value !== "" ? { testSeed: bytesOf(seed.value) } : {}),
      bots: who.flatMap((one, at) => (BOTS[one] === undefined ? [] : [{ seat: at + 1, bot: BOTS[one] }])),
      startWhenFull: starting.value,
    });
    const name = match!.name;
    keepCodes(claimCodes.filter((_, at) => who[at] === "link").map(({ name, code }) => ({ seat: name, code })));
    let own = 0;
    // A player holds one seat of a match. Several that are played from one browser have tokens of their own.
    const held = who.filter((one) => one === "me").length === 1 ? player.value : undefined;
    for (const [at, one] of who.entries()) {
      const code = claimCodes[at]!;
      if (one === "me") {
        // Several seats may be played from one browser.
        const displayName = own === 0 ? playerName.value.trim() : `${playerName.value.trim()} ${at + 1}`;
        const { seatToken } = await (held ?? referee.value).matches.claimSeat({ name: code.name, claimCode: code.code, displayName });
        if (!held) keepKey({ match: name, seat: at + 1, token: seatToken, title: rulesetName });
        own ||= at + 1;
      }
    }
    go(to.match(name, own === 0 ? undefined : own));
  };

  return (
    <main class="narrow-page">
      <p class="quiet">{w.newTable}</p>
      <h1>
        <Said text={titleOf(ruleset.summary)} most={80} />
      </h1>
      <form class="form" onSubmit={(event) => void open(event)}>
        <label>
          {w.playersLabel}
          <select name="players" value={String(players.value)} onChange={({ currentTarget }) => (players.value = Number(currentTarget.value))}>
            {counts.map((count) => (
              <option key={count} value={String(count)}>{count}</option>
            ))}
          </select>
        </label>
        <label>
          {t.yourName}
          <input name="player" maxLength={64} autoComplete="nickname" value={playerName.value} onInput={({ currentTarget }) => (playerName.value = currentTarget.value)} />
        </label>
        {named.value ? null : <p class="quiet">{w.nameNeeded}</p>}
        <fieldset>
          <legend>{t.seatsLabel}</legend>
          {Array.from({ length: players.value }, (_, at) => (
            <label key={at}>
              {at + 1}
              <select
                name={`seat-${at + 1}`}
                value={seats.value[at] ?? "greedy"}
                onChange={({ currentTarget }) => (seats.value = seats.value.with(at, currentTarget.value as Who))}
              >
                {(["me", "link", "open", "greedy", "random", "search"] as const).map((who) => (
                  <option key={who} value={who}>{t.who[who]}</option>
                ))}
              </select>
            </label>
          ))}
        </fieldset>
        {ruleset.modules.length > 0 ? (
          <fieldset>
            <legend>{t.modules}</legend>
            {ruleset.modules.map(({ id, titles }) => (
              <label class="check" key={id}>
                <input
                  type="checkbox"
                  name={`module-${id}`}
                  checked={modules.value.includes(id)}
                  onChange={({ currentTarget }) => (modules.value = currentTarget.checked ? [...modules.value, id] : modules.value.filter((other) => other !== id))}
                />
                <Said text={text(titles, id)} most={100} />
              </label>
            ))}
          </fieldset>
        ) : null}
        {ruleset.options.length > 0 ? (
          <details>
            <summary>{w.options}</summary>
            <fieldset>
              <legend class="sr">{w.options}</legend>
              {ruleset.options.map(({ id, names, type, defaultValue, atLeast, atMost }) => {
                const value = settings.value[id] ?? defaultValue;
                const set = (value: bigint): void => void (settings.value = { ...settings.value, [id]: value });
                return type?.kind === 2 ? (
                  <label class="check" key={id}>
                    <input type="checkbox" checked={value !== 0n} onChange={({ currentTarget }) => set(currentTarget.checked ? 1n : 0n)} />
                    <Said text={text(names, id)} most={160} />
                  </label>
                ) : (
                  <label key={id}>
                    <Said text={text(names, id)} most={160} />
                    <input type="number" step={1} min={atLeast?.toString()} max={atMost?.toString()} value={String(value)} onInput={({ currentTarget }) => /^-?\d{1,15}$/.test(currentTarget.value) && set(BigInt(currentTarget.value))} />
                  </label>
                );
              })}
            </fieldset>
          </details>
        ) : null}
        <details>
          <summary>{w.clock}, {w.chance.toLowerCase()} …</summary>
          <label>
            {w.clock}
            <select name="clock" value={String(clock.value)} onChange={({ currentTarget }) => (clock.value = Number(currentTarget.value))}>
              {CLOCKS.filter((seconds) => longest === 0 || seconds <= longest).map((seconds) => (
                <option key={seconds} value={String(seconds)}>{seconds === 0 ? w.noClock : t.seconds(seconds)}</option>
              ))}
            </select>
          </label>
          <label>
            {w.delay}
            <select value={String(delay.value)} onChange={({ currentTarget }) => (delay.value = Number(currentTarget.value))}>
              {DELAYS.map((moves) => (
                <option key={moves} value={String(moves)}>{t.delayMoves(moves)}</option>
              ))}
            </select>
          </label>
          <label>
            {w.chance}
            <select name="chance" value={String(chance.value)} onChange={({ currentTarget }) => (chance.value = Number(currentTarget.value))}>
              {[1, 2, ...(crypto.subtle ? [3] : [])].map((kind) => (
                <option key={kind} value={String(kind)}>{w.chances[kind]}</option>
              ))}
            </select>
          </label>
          <label class="check">
            <input type="checkbox" name="public" checked={anybody.value} onChange={({ currentTarget }) => (anybody.value = currentTarget.checked)} />
            {w.anybodyWatches}
          </label>
          <label class="check">
            <input type="checkbox" name="starting" checked={starting.value} onChange={({ currentTarget }) => (starting.value = currentTarget.checked)} />
            {w.startWhenFull}
          </label>
          <label class="check">
            <input type="checkbox" checked={forced.value} onChange={({ currentTarget }) => (forced.value = currentTarget.checked)} />
            {w.forced}
          </label>
          {testing ? (
            <label>
              {w.testSeed}
              <input pattern="[0-9a-fA-F]{64}" value={seed.value} onInput={({ currentTarget }) => (seed.value = currentTarget.value)} />
            </label>
          ) : null}
        </details>
        {failed.value !== undefined ? <Failure error={failed.value} /> : null}
        <div class="buttons">
          <button type="submit" class="primary" data-create disabled={busy.value || !named.value}>{busy.value ? t.sending : w.create}</button>
        </div>
      </form>
    </main>
  );
}

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
