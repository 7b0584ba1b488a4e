/**
 * Where one finds a table.
 *
 * In: rulesets on offer, matches with open seats and those that anybody may watch, the keys of this browser. Out: ways to each of
 * them.
 *
 * @module
 */
import { useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { callerOf, inLanguage, pause } from "referee-client";
import { LobbyKind, MatchState, type Lobby } from "referee-client/v1";
import { forgetKey, hostToken, keys } from "../keys.ts";
import { Failure, useLoading } from "../parts/controls.tsx";
import { Sign } from "../parts/icon.tsx";
import { Said } from "../parts/text.tsx";
import { to } from "../route.ts";
import { host, referee } from "../server.ts";
import { language, playerName } from "../settings.ts";
import { texts } from "../texts.ts";
import { takeSeat } from "./claim.tsx";
import { modulesOf } from "./modules.ts";
import { MyMatches, PlayerBox } from "./player.tsx";
import { titleOf } from "./title.ts";
import { TokenBox } from "./token.tsx";

export function HomeScreen(): JSX.Element {
  const t = texts.value;
  const { loading, again } = useLoading(async () => {
    const { rulesets } = await referee.value.rulesets.listRulesets({ pageSize: 1000 });
    // A token that opens nothing any more must not keep anybody from the rest.
    const mine = await host.value?.matches.listMatches({ pageSize: 30 }).then(
      ({ matches }) => matches,
      () => undefined,
    );
    return { rulesets, mine: mine ?? [], unknown: host.value !== undefined && mine === undefined };
  }, [referee.value, hostToken.value]);
  const lobbies = useLobbies(LobbyKind.OPEN);
  const watched = useLobbies(LobbyKind.PUBLIC);
  if (loading.state === "loading") return <main class="home"><p role="status">{t.loading}</p></main>;
  if (loading.state === "failed") return <main class="home"><Failure error={loading.error} again={again} /></main>;
  const { rulesets, mine, unknown } = loading.value;
  const called = (name: string): string => titleOf(rulesets.find((one) => one.name === name), name);
  return (
    <main class="home">
      <header class="hero">
        <h1>{t.title}</h1>
        <p>{t.tagline}</p>
      </header>
      <MyMatches called={called} />
      {keys.value.length > 0 ? (
        <section>
          <h2>{t.myTables}</h2>
          <ul class="cards">
            {keys.value.slice(0, 24).map((key) => (
              <li class="card-box" key={`${key.match} ${key.seat}`}>
                <h3>
                  <Said text={called(key.title)} most={80} />
                </h3>
                <p class="quiet">
                  {key.seat === 0 ? t.asSpectator : t.asSeat(key.seat)} · {new Date(key.since).toLocaleString(language.value)}
                </p>
                <span class="small-buttons">
                  <a class="button primary" href={to.match(key.match, key.seat)}>{t.goOn}</a>
                  <button type="button" onClick={() => forgetKey(key.match, key.seat)}>{t.forget}</button>
                </span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <section>
        <h2>{t.openTables}</h2>
        {lobbies.length === 0 ? <p class="quiet">{t.noOpen}</p> : null}
        <ul class="cards">
          {lobbies.map((lobby) => (
            <LobbyCard key={lobby.name} lobby={lobby} title={called(lobby.ruleset)} />
          ))}
        </ul>
      </section>
      {watched.length > 0 ? (
        <section>
          <h2>{t.publicTables}</h2>
          <ul class="cards">
            {watched.map((lobby) => (
              <li class="card-box" key={lobby.name} data-public={lobby.name}>
                <LobbyHead lobby={lobby} title={called(lobby.ruleset)} />
                <span class="small-buttons">
                  <a class="button" href={to.match(lobby.name, 0)}><Sign name="eye" /> {t.watchTable}</a>
                </span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <section>
        <h2>{t.games}</h2>
        <ul class="cards">
          {rulesets.map((summary) => (
            <li class="card-box game" key={summary.name} data-ruleset={summary.name}>
              <h3>
                <Said text={titleOf(summary)} most={80} />
              </h3>
              <p class="quiet">
                {t.players(summary.minPlayers, summary.maxPlayers)} · {t.version(summary.version)}
              </p>
              {summary.playable ? null : <p class="bad">{t.notPlayable}</p>}
              <span class="small-buttons">
                {hostToken.value !== "" && summary.playable ? (
                  <a class="button primary" href={to.host(summary.name)}>{t.openTable}</a>
                ) : null}
                <a class="button" href={to.rules(summary.name)}><Sign name="book-open" /> {t.readRules}</a>
                <a class="button" href={to.proof(summary.name)}><Sign name="git-compare" /> {t.proofread}</a>
              </span>
            </li>
          ))}
        </ul>
      </section>
      {mine.length > 0 ? (
        <section>
          <h2>{t.hostMatches}</h2>
          <ul class="lines">
            {mine.map(({ name, ruleset, state, createTime }) => (
              <li key={name}>
                <a href={to.match(name)}>
                  <Said text={called(ruleset)} most={80} />
                </a>{" "}
                <span class="chip">{t.states[state] ?? MatchState[state]}</span>{" "}
                <span class="quiet">{createTime ? new Date(Number(createTime.seconds) * 1000).toLocaleString(language.value) : ""}</span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <PlayerBox />
      <HostBox unknown={unknown} />
      <section>
        <h2>{t.replayFile}</h2>
        <p>
          <a class="button" href={to.replay}><Sign name="upload" /> {t.chooseFile}</a>
        </p>
      </section>
    </main>
  );
}

/** Matches that are listed for everybody, newest first, as they come and go. */
function useLobbies(kind: LobbyKind): readonly Lobby[] {
  const lobbies = useSignal<ReadonlyMap<string, Lobby>>(new Map());
  useEffect(() => {
    const abort = new AbortController();
    void follow(kind, abort.signal, lobbies);
    return () => abort.abort();
  }, [referee.value]);
  const since = ({ createTime }: Lobby): number => Number(createTime?.seconds ?? 0n);
  return [...lobbies.value.values()].toSorted((a, b) => since(b) - since(a));
}

/** Follows the list until it is left. A stream that ends is opened again, and then tells all. */
async function follow(kind: LobbyKind, signal: AbortSignal, lobbies: Signal<ReadonlyMap<string, Lobby>>): Promise<void> {
  while (!signal.aborted) {
    try {
      let known = new Map<string, Lobby>();
      for await (const { changed, removed } of referee.value.matches.watchLobbies({ kind }, { signal })) {
        known = new Map([...known, ...changed.map((lobby) => [lobby.name, lobby] as const)]);
        for (const name of removed) known.delete(name);
        lobbies.value = known;
      }
    } catch {
      // The referee was away, or the connection is as old as connections get.
    }
    await pause(LOOK_AGAIN_MS, signal, referee.value.line).catch(() => undefined);
  }
}

/** How long to wait before the list is followed anew. */
const LOOK_AGAIN_MS = 2000;

function LobbyCard({ lobby, title }: { readonly lobby: Lobby; readonly title: string }): JSX.Element {
  const t = texts.value;
  const failed = useSignal<unknown>(undefined);
  const open = lobby.seats.filter((seat) => seat.open && !seat.claimed && seat.bot === 0);
  return (
    <li class="card-box">
      <LobbyHead lobby={lobby} title={title} />
      <span class="small-buttons">
        <label class="inline">
          <span class="sr">{t.yourName}</span>
          <input placeholder={t.yourName} maxLength={64} value={playerName.value} onInput={({ currentTarget }) => (playerName.value = currentTarget.value)} />
        </label>
        <button
          type="button"
          class="primary"
          disabled={open.length === 0 || playerName.value.trim() === ""}
          onClick={() => void takeSeat(open[0]!.name, "", playerName.value.trim()).catch((thrown: unknown) => (failed.value = thrown))}
        >
          {t.sit}
        </button>
      </span>
      {failed.value !== undefined ? <Failure error={failed.value} /> : null}
    </li>
  );
}

function LobbyHead({ lobby, title }: { readonly lobby: Lobby; readonly title: string }): JSX.Element {
  const t = texts.value;
  const modules = lobby.configuration?.modules ?? [];
  const { loading } = useLoading(async () => (modules.length > 0 ? modulesOf(lobby.ruleset) : new Map()), [lobby.ruleset, modules.length > 0]);
  return (
    <>
      <h3>
        <Said text={title} most={80} />
      </h3>
      <p class="quiet">
        {t.players(lobby.seats.length, lobby.seats.length)}
        {modules.length > 0 && loading.state !== "loading" ? (
          <> · <Said text={modules.map((id) => inLanguage(loading.state === "done" ? loading.value.get(id) : undefined, language.value) ?? id).join(", ")} most={160} /></>
        ) : null}
      </p>
      <p>
        {lobby.seats.map((seat) => (
          <span class="chip" key={seat.number}>
            <Said text={seat.displayName || (seat.bot ? t.botMark : t.free)} most={40} />
          </span>
        ))}
      </p>
    </>
  );
}

function HostBox({ unknown }: { readonly unknown: boolean }): JSX.Element {
  const t = texts.value;
  const said = { title: t.hostTitle, why: t.hostWhy, label: t.hostToken, known: t.hostKnown, gone: t.hostGone, wrong: t.hostWrong, forget: t.hostForget };
  return <TokenBox name="host" token={hostToken} isGood={(token) => callerOf(token) === "host"} unknown={unknown} said={said} />;
}
