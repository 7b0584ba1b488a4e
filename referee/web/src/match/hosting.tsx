/**
 * What a host does while a match is under way.
 *
 * In: a live match, whose host has a token here. Out: links for spectators and for those who lost theirs, bots for those who are
 * gone, an end.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { BotKind } from "referee-client/v1";
import { keepCodes, keysOf, type Code } from "../keys.ts";
import { CopyButton, Failure, Sure } from "../parts/controls.tsx";
import { Sign } from "../parts/icon.tsx";
import { to, wholeAddress } from "../route.ts";
import { host } from "../server.ts";
import { texts } from "../texts.ts";
import type { LiveMatch } from "./live.ts";

/** Of a match of another host the referee refuses it. */
export function HostTools({ live }: { readonly live: LiveMatch }): JSX.Element {
  const t = texts.value;
  const name = live.key.match;
  const watchers = useSignal("");
  const failed = useSignal<unknown>(undefined);
  const links = useSignal<readonly Code[]>([]);
  const done = (call: Promise<unknown>): void => {
    failed.value = undefined;
    call.then(() => live.meet()).catch((thrown: unknown) => (failed.value = thrown));
  };
  const over = live.outcome.value !== undefined || live.connection.value === "over";
  // Whoever lost the browser in which they sat down comes back by another link.
  const people = live.players.value.filter(({ seat, bot, resigned }) => !bot && !resigned && !keysOf(name).some((key) => key.seat === seat));
  const release = async (seat: number): Promise<void> => {
    const { claimCode } = await host.value!.matches.releaseSeat({ name: `${name}/seats/${seat}` });
    if (!claimCode) return;
    keepCodes([{ seat: claimCode.name, code: claimCode.code }]);
    links.value = [...links.value.filter((one) => one.seat !== claimCode.name), { seat: claimCode.name, code: claimCode.code }];
  };
  const gone = live.players.value.filter(({ claimed, bot, resigned }) => !claimed && !bot && !resigned);
  return (
    <details class="talk talk-menu">
      <summary>
        <Sign name="key-round" /> {t.hostTools}
      </summary>
      <span class="small-buttons">
        {watchers.value === "" ? (
          <button type="button" onClick={() => done(host.value!.matches.inviteSpectator({ name }).then(({ spectatorToken }) => (watchers.value = wholeAddress(to.watch(name, spectatorToken)))))}>
            <Sign name="eye" /> {t.spectatorLink}
          </button>
        ) : (
          <CopyButton text={watchers.value} label={t.spectatorLink} />
        )}
        {live.paused.value ? (
          <button type="button" onClick={() => done(host.value!.matches.resumeMatch({ name }))}>{t.resume}</button>
        ) : null}
        {over
          ? null
          : gone.map(({ seat }) => (
              <button key={seat} type="button" onClick={() => done(host.value!.matches.seatBot({ name: `${name}/seats/${seat}`, bot: BotKind.GREEDY }))}>
                <Sign name="bot" /> {t.addBot} ({seat})
              </button>
            ))}
        {over
          ? null
          : people.map(({ seat }) => {
              const code = links.value.find((one) => one.seat === `${name}/seats/${seat}`);
              return code ? (
                <CopyButton key={seat} text={wholeAddress(to.claim(code.seat, code.code, live.match.value.ruleset))} label={`${t.seatLink} (${seat})`} />
              ) : (
                <Sure key={seat} what={`release-${seat}`} label={`${t.newCode} (${seat})`} question={t.releaseSure(live.nameOf(seat))} act={() => done(release(seat))} />
              );
            })}
        {over ? null : <Sure what="cancel" label={t.cancelMatch} question={t.cancelSure} act={() => done(host.value!.matches.cancelMatch({ name }))} />}
      </span>
      {failed.value !== undefined ? <Failure error={failed.value} /> : null}
    </details>
  );
}
