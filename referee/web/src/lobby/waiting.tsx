/**
 * A match before it starts.
 *
 * In: a match in the lobby. Out: who sits where; for its host links that claim seats, bots, the start.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { BotKind, SeatEntropy, type Seat } from "referee-client/v1";
import { chanceOf, codes, commitmentTo, forgetKey, keepChance, keepCodes, keysOf } from "../keys.ts";
import { CopyButton, Failure, Sure } from "../parts/controls.tsx";
import { Sign } from "../parts/icon.tsx";
import { Said } from "../parts/text.tsx";
import { go, to, wholeAddress } from "../route.ts";
import { host } from "../server.ts";
import { texts } from "../texts.ts";
import { Connected } from "../match/connected.tsx";
import type { LiveMatch } from "../match/live.ts";

/** What bots are called where a host chooses them. */
const BOTS: Partial<Record<BotKind, "random" | "greedy" | "search">> = { [BotKind.RANDOM]: "random", [BotKind.GREEDY]: "greedy", [BotKind.SEARCH]: "search" };

/** How often the lobby is looked at anew: its stream tells nothing before the match starts. */
const LOOK_MS = 2500;

export function Waiting({ live }: { readonly live: LiveMatch }): JSX.Element {
  const t = texts.value;
  const failed = useSignal<unknown>(undefined);
  const watchers = useSignal("");
  useEffect(() => {
    let looking = false;
    const look = async (): Promise<void> => {
      // While the referee is away one request is enough.
      if (looking) return;
      looking = true;
      await live.meet();
      looking = false;
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => clearInterval(timer);
  }, [live]);
  const match = live.match.value;
  const mine = host.value;
  const done = (call: Promise<unknown>): void => {
    failed.value = undefined;
    call.then(() => live.meet()).catch((thrown: unknown) => (failed.value = thrown));
  };
  const ready = match.seats.every(({ claimed, bot }) => claimed || bot !== BotKind.UNSPECIFIED);
  const invite = async (): Promise<void> => {
    const { spectatorToken } = await mine!.matches.inviteSpectator({ name: match.name });
    watchers.value = wholeAddress(to.watch(match.name, spectatorToken));
  };
  const needs = match.seatEntropy === SeatEntropy.REQUIRED || match.seatEntropy === SeatEntropy.COMMITTED;
  return (
    <main class="narrow-page">
      <h1>{t.lobby}</h1>
      <Connected live={live} />
      <p class="quiet">{ready ? "" : match.startWhenFull ? t.waitingStarts : t.waitingFor}</p>
      <ol class="seats">
        {match.seats.map((seat) => (
          <SeatLine key={seat.number} live={live} seat={seat} done={done} />
        ))}
      </ol>
      {needs && live.isSeat ? <Chance live={live} done={done} /> : null}
      {failed.value !== undefined ? <Failure error={failed.value} /> : null}
      <div class="buttons">
        {mine ? (
          <>
            <button type="button" class="primary" data-start disabled={!ready} onClick={() => done(mine.matches.startMatch({ name: match.name }))}>
              <Sign name="play" /> {t.start}
            </button>
            {watchers.value === "" ? (
              <button type="button" onClick={() => void invite().catch((thrown: unknown) => (failed.value = thrown))}>
                <Sign name="eye" /> {t.spectatorLink}
              </button>
            ) : (
              <CopyButton text={watchers.value} label={t.spectatorLink} />
            )}
            <Sure what="cancel" label={t.cancelMatch} question={t.cancelSure} act={() => done(mine.matches.cancelMatch({ name: match.name }).then(() => go(to.home)))} />
          </>
        ) : null}
        {live.isSeat ? (
          <button
            type="button"
            onClick={() =>
              done(
                live.referee.matches.leaveSeat({ name: match.name }).then(() => {
                  forgetKey(match.name, live.seat);
                  go(to.home);
                }),
              )
            }
          >
            <Sign name="log-out" /> {t.leave}
          </button>
        ) : null}
      </div>
    </main>
  );
}

function SeatLine({ live, seat, done }: { readonly live: LiveMatch; readonly seat: Seat; readonly done: (call: Promise<unknown>) => void }): JSX.Element {
  const t = texts.value;
  const mine = host.value;
  const code = codes.value.find((one) => one.seat === seat.name)?.code;
  const bot = BOTS[seat.bot];
  const taken = seat.claimed || seat.bot !== BotKind.UNSPECIFIED;
  const release = (): void => done(mine!.matches.releaseSeat({ name: seat.name }).then(({ claimCode }) => keepCodes(claimCode ? [{ seat: claimCode.name, code: claimCode.code }] : [])));
  return (
    <li class="seat-line">
      <span class="seat-number">{seat.number}</span>
      <span class="seat-who">
        {taken ? <Said text={seat.displayName || (bot ? t.who[bot] : t.botMark)} most={64} /> : <span class="quiet">{t.free}</span>}
        {seat.number === live.seat ? <span class="chip">{t.you}</span> : null}
      </span>
      {!taken && mine ? (
        <span class="small-buttons">
          {code === undefined ? (
            <button type="button" onClick={release}>
              {t.newCode}
            </button>
          ) : (
            <CopyButton text={wholeAddress(to.claim(seat.name, code, live.match.value.ruleset))} label={t.seatLink} />
          )}
          <button type="button" onClick={() => done(mine.matches.seatBot({ name: seat.name, bot: BotKind.GREEDY }))}>
            <Sign name="bot" /> {t.addBot}
          </button>
        </span>
      ) : seat.claimed && mine && !keysOf(live.key.match).some((key) => key.seat === seat.number) ? (
        // Whoever lost the browser in which they sat down comes back by another link.
        <Sure what={`release-${seat.number}`} label={t.newCode} question={t.releaseSure(seat.displayName)} act={release} />
      ) : null}
    </li>
  );
}

/** What a player adds to the chance of the match. */
function Chance({ live, done }: { readonly live: LiveMatch; readonly done: (call: Promise<unknown>) => void }): JSX.Element {
  const t = texts.value;
  const match = live.match.value;
  const mine = match.contributions.find(({ seat }) => seat === live.seat);
  const given = (mine?.entropy.length ?? 0) > 0;
  if (given) return <p>{t.chanceAdded}</p>;
  if (match.seatEntropy === SeatEntropy.COMMITTED) return <Committed live={live} done={done} />;
  return (
    <p>
      {t.chanceWaits}{" "}
      <button type="button" onClick={() => done(live.referee.play.contributeEntropy({ name: match.name, entropy: crypto.getRandomValues(new Uint8Array(32)) }))}>
        {t.addChance}
      </button>
    </p>
  );
}

/**
 * Where everybody commits first: a part is drawn and promised, kept in this browser, and shown as soon as everybody has promised
 * one.
 */
function Committed({ live, done }: { readonly live: LiveMatch; readonly done: (call: Promise<unknown>) => void }): JSX.Element {
  const t = texts.value;
  const match = live.match.value;
  const promised = (seat: number): boolean => match.contributions.some((one) => one.seat === seat && one.commitment.length > 0);
  const all = match.seats.every(({ number, bot }) => bot !== BotKind.UNSPECIFIED || promised(number));
  const own = promised(live.seat);
  const kept = chanceOf(match.name, live.seat);
  useEffect(() => {
    if (own && all && kept !== undefined) done(live.referee.play.contributeEntropy({ name: match.name, entropy: kept }));
  }, [own && all]);
  const promise = async (): Promise<void> => {
    const entropy = kept ?? crypto.getRandomValues(new Uint8Array(32));
    // Kept first: a promise that cannot be redeemed would hold the match up.
    keepChance(match.name, live.seat, entropy);
    await live.referee.play.contributeEntropy({ name: match.name, commitment: await commitmentTo(match.name, live.seat, entropy) });
  };
  if (own && kept === undefined) return <p class="bad">{t.chanceElsewhere}</p>;
  if (own) return <p class="quiet">{t.chancePromised}</p>;
  return (
    <p>
      {t.chanceWaits}{" "}
      <button type="button" data-promise onClick={() => done(promise())}>{t.addChance}</button>
    </p>
  );
}
