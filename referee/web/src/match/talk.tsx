/**
 * What players agree on outside of the rules.
 *
 * In: a match, from a seat. Out: what may be proposed and what is proposed; when the match is over how it ended, and its record as a file.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { RefereeError, exportRecord } from "referee-client";
import { ProposalKind } from "referee-client/v1";
import { Failure, Sure } from "../parts/controls.tsx";
import { Sign } from "../parts/icon.tsx";
import { saveFile } from "../parts/save.ts";
import { texts } from "../texts.ts";
import type { LiveMatch } from "./live.ts";

const PROPOSALS: readonly (readonly [ProposalKind, "undoOne" | "pause" | "draw" | "abandon" | "showHands"])[] = [
  [ProposalKind.UNDO, "undoOne"],
  [ProposalKind.PAUSE, "pause"],
  [ProposalKind.DRAW, "draw"],
  [ProposalKind.ABANDON, "abandon"],
  [ProposalKind.SHOW_HANDS, "showHands"],
];

export function Talk({ live }: { readonly live: LiveMatch }): JSX.Element {
  const t = texts.value;
  const names = live.names.value;
  useEffect(() => void live.talk(), [live]);
  const proposal = live.proposal.value;
  const over = live.outcome.value !== undefined || live.connection.value === "over";
  const conclusion = t.conclusions[live.match.value.conclusion] ?? "";
  if (over) {
    return (
      <section class="talk">
        {conclusion !== "" ? <p>{conclusion}</p> : null}
        <SaveRecord live={live} />
      </section>
    );
  }
  return (
    <section class="talk" aria-label={t.table}>
      {proposal ? (
        <div class="proposal" role="status">
          <p>
            {t.proposes(names.player(proposal.seat), t.proposals[proposal.kind] ?? "")}
            {proposal.awaited.length > 0 ? ` (${t.awaits(proposal.awaited.map((seat) => names.player(seat)).join(", "))})` : ""}
          </p>
          {proposal.awaited.includes(live.seat) ? (
            <span class="small-buttons">
              <button type="button" class="primary" onClick={() => void live.respond(proposal, true)}>{t.agree}</button>
              <button type="button" onClick={() => void live.respond(proposal, false)}>{t.decline}</button>
            </span>
          ) : proposal.seat === live.seat ? (
            <button type="button" onClick={() => void live.withdraw(proposal)}>{t.withdraw}</button>
          ) : null}
        </div>
      ) : null}
      {live.paused.value ? (
        <button type="button" class="primary" onClick={() => void live.propose(ProposalKind.RESUME)}>
          <Sign name="play" /> {t.resume}
        </button>
      ) : (
        <details class="talk-menu">
          <summary>
            <Sign name="users" /> {t.table}
          </summary>
          <span class="small-buttons">
            {PROPOSALS.map(([kind, name]) => (
              <button key={kind} type="button" data-propose={name} disabled={proposal !== undefined} onClick={() => void live.propose(kind, kind === ProposalKind.UNDO ? 1 : 0)}>
                {kind === ProposalKind.UNDO ? <Sign name="undo-2" /> : null} {t[name]}
              </button>
            ))}
            <Sure what="resign" label={t.resign} question={t.resignSure} act={() => void live.resign()}>
              <Sign name="flag" />
            </Sure>
          </span>
        </details>
      )}
    </section>
  );
}

/** Saves the record of a match that is over as a file. */
function SaveRecord({ live }: { readonly live: LiveMatch }): JSX.Element {
  const failed = useSignal<unknown>(undefined);
  const save = async (): Promise<void> => {
    try {
      const pieces: BlobPart[] = [];
      for await (const piece of exportRecord(live.referee, live.key.match)) pieces.push(piece as BlobPart);
      saveFile(new Blob(pieces, { type: "application/jsonl" }), `${live.key.match.replace(/\W+/g, "-")}.jsonl`);
    } catch (thrown) {
      failed.value = RefereeError.from(thrown);
    }
  };
  return (
    <>
      <button type="button" onClick={() => void save()}>
        <Sign name="download" /> {texts.value.exportRecord}
      </button>
      {failed.value !== undefined ? <Failure error={failed.value} /> : null}
    </>
  );
}
