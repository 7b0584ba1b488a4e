/**
 * The screen of a match.
 *
 * In: a match's name, and the keys that this browser has for it. Out: the lobby before the match, the table while it is played,
 * the score sheets when it is over.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Reason, hasReason, isRetryable } from "referee-client";
import { hostToken, keysOf, playerToken } from "../keys.ts";
import { Failure } from "../parts/controls.tsx";
import { Sign } from "../parts/icon.tsx";
import { later } from "../parts/later.tsx";
import { returns } from "../parts/online.ts";
import { Said } from "../parts/text.tsx";
import { to, wholeAddress } from "../route.ts";
import { host } from "../server.ts";
import { StageContext } from "../table/context.ts";
import { SeatBadge } from "../table/seat.tsx";
import { TableView } from "../table/table.tsx";
import { texts } from "../texts.ts";
import { seatOfPlayer } from "../lobby/mine.ts";
import { Connected } from "./connected.tsx";
import { History } from "./history.tsx";
import { LiveMatch } from "./live.ts";
import { Log } from "./log.tsx";
import { Moves } from "./moves.tsx";
import { openMatch } from "./open.ts";
import { Where } from "./where.tsx";

// Whoever plays a match that goes on, and is no host, needs none of them.
const Waiting = later(async () => (await import("../lobby/waiting.tsx")).Waiting);
const Result = later(async () => (await import("./result.tsx")).Result, false);
const HostTools = later(async () => (await import("./hosting.tsx")).HostTools, false);
// Nobody proposes anything with the first picture.
const Talk = later(async () => (await import("./talk.tsx")).Talk, false);

export function MatchScreen({ match, seat, at }: { readonly match: string; readonly seat: number | undefined; readonly at: number | undefined }): JSX.Element {
  const live = useSignal<LiveMatch | undefined>(undefined);
  const failed = useSignal<unknown>(undefined);
  const tries = useSignal(0);
  const keys = keysOf(match);
  const own = keys.find((key) => seat === undefined || key.seat === seat);
  // A host sees the public table of each of its matches, and anybody that of a match that anybody may watch.
  const token = own?.token ?? hostToken.value;
  const players = own ? "" : playerToken.value;
  useEffect(() => {
    let gone = false;
    failed.value = undefined;
    live.value = undefined;
    const open = async (): Promise<LiveMatch> => {
      const held = own ? undefined : await seatOfPlayer(match, seat);
      return LiveMatch.open(held ? { match, seat: held, token: players } : { match, seat: own?.seat ?? 0, token });
    };
    open().then(
      (opened) => {
        if (gone) {
          opened.close();
          return;
        }
        live.value = opened;
        openMatch.value = opened;
        if (at !== undefined) void opened.lookAt(at);
      },
      (thrown: unknown) => {
        if (!gone) failed.value = thrown;
      },
    );
    return () => {
      gone = true;
      live.value?.close();
      openMatch.value = undefined;
    };
  }, [match, token, players, tries.value]);
  const moved = live.value?.moved.value ?? false;
  useEffect(() => {
    if (moved) tries.value += 1;
  }, [moved]);
  // Whoever could not be reached may be there again.
  useEffect(() => returns.subscribe(() => void (isRetryable(failed.peek()) && (tries.value += 1))), []);
  useEffect(() => {
    if (live.value && at !== undefined) void live.value.lookAt(at);
  }, [at]);
  const t = texts.value;
  if (failed.value !== undefined && token === "" && hasReason(failed.value, Reason.TOKEN_INVALID)) return <main class="narrow-page"><p>{t.noKey}</p><p><a href={to.home}>{t.home}</a></p></main>;
  if (failed.value !== undefined) return <main class="narrow-page"><Failure error={failed.value} again={() => (tries.value += 1)} /></main>;
  if (!live.value) return <main class="narrow-page"><p role="status">{t.loading}</p></main>;
  return live.value.started ? <Playing live={live.value} /> : <Waiting live={live.value} />;
}

function Playing({ live }: { readonly live: LiveMatch }): JSX.Element {
  const t = texts.value;
  const narrow = useSignal<"table" | "log">("table");
  return (
    <main class="match" data-side={narrow.value}>
      <a class="skip" href="#moves" onClick={(event) => jump(event, "moves")}>{t.skipToMoves}</a>
      <a class="skip" href="#table" onClick={(event) => jump(event, "table")}>{t.skipToTable}</a>
      <h1 class="sr"><Said text={live.nameOf(live.seat)} most={60} /></h1>
      <div class="stage">
        <Where stage={live} />
        <Connected live={live} />
        <TableView stage={live} />
      </div>
      <aside class="side">
        <OwnSeats live={live} />
        <section class="moves" id="moves" tabIndex={-1} aria-label={t.yourTurn}>
          {live.outcome.value ? <Result stage={live} outcome={live.outcome.value} /> : null}
          {live.isSeat ? <Moves live={live} /> : live.outcome.value ? null : <Watching live={live} />}
        </section>
        {live.isSeat ? <Talk live={live} /> : null}
        {host.value ? <HostTools live={live} /> : null}
        <section class="log-box" aria-label={t.log}>
          <h2>
            {t.log} <small class="hint">{t.newestFirst}</small>
          </h2>
          <Log stage={live} />
        </section>
      </aside>
      <History stage={live} address={(at) => wholeAddress(to.match(live.key.match, live.seat === 0 ? undefined : live.seat, at))} />
    </main>
  );
}

/** A link within the page that leaves the address alone: it names the screen. */
function jump(event: Event, id: string): void {
  event.preventDefault();
  const element = document.getElementById(id);
  (element?.querySelector<HTMLElement>("button:not(:disabled), a, input") ?? element)?.focus();
}

/** Whoever plays several seats from one browser goes from one to the other. */
function OwnSeats({ live }: { readonly live: LiveMatch }): JSX.Element | null {
  const own = keysOf(live.key.match).filter(({ seat }) => seat > 0);
  if (own.length < 2) return null;
  return (
    <StageContext.Provider value={live}>
      <nav class="own-seats" aria-label={texts.value.seatsLabel}>
        {own.map(({ match, seat }) => (
          <a key={seat} class="button" href={to.match(match, seat)} aria-current={seat === live.seat ? "page" : undefined}>
            <SeatBadge seat={seat} /> <Said text={live.nameOf(seat)} most={40} />
            {live.shown.value.waiting.includes(seat) ? <Sign name="hourglass" /> : null}
          </a>
        ))}
      </nav>
    </StageContext.Provider>
  );
}

function Watching({ live }: { readonly live: LiveMatch }): JSX.Element {
  const t = texts.value;
  const { waiting } = live.table.value;
  if (live.connection.value === "over") return <p class="idle">{t.isOver} {t.conclusions[live.match.value.conclusion] ?? ""}</p>;
  return (
    <p class="idle">
      <Sign name="eye" /> {t.asSpectator}
      {waiting.length > 0 ? ` · ${t.waitingOn(waiting.map((seat) => live.names.value.player(seat)).join(", "))}` : ""}
    </p>
  );
}
