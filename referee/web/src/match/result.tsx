/**
 * How a match ended.
 *
 * In: its outcome. Out: who won, by which rule it was over, the score sheets line by line.
 *
 * @module
 */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { NameKind, type Outcome } from "referee-client/v1";
import { Sign } from "../parts/icon.tsx";
import { Said } from "../parts/text.tsx";
import { StageContext } from "../table/context.ts";
import { ClauseLink } from "../table/inspector.tsx";
import { SeatBadge } from "../table/seat.tsx";
import { texts } from "../texts.ts";
import type { Stage } from "./stage.ts";

/** How the match ended, line by line. */
export function Result({ stage, outcome }: { readonly stage: Stage; readonly outcome: Outcome }): JSX.Element {
  const t = texts.value;
  const names = stage.names.value;
  const lines = [...new Set(outcome.scores.flatMap(({ lines }) => lines.map(({ name }) => name)))];
  const won = outcome.winners.map((seat) => names.player(seat)).join(", ");
  const sheet = useRef<HTMLElement>(null);
  // Whoever was reading what happened sees that it is over.
  useEffect(() => sheet.current?.closest(".side")?.scrollTo({ top: 0 }), []);
  return (
    <StageContext.Provider value={stage}>
      <section class="result" ref={sheet}>
        <h2>
          <Sign name="crown" /> {outcome.winners.length === 0 ? t.nobody : outcome.winners.length === 1 ? t.winner(won) : t.winners(won)}
        </h2>
        <p>
          <Said text={names.of(NameKind.ENDING, outcome.ending)} /> {outcome.clause !== "" ? <ClauseLink stage={stage} id={outcome.clause} /> : null}
        </p>
        <div class="sheet-scroll" tabIndex={0} role="group" aria-label={t.total}>
          <table class="sheet">
            <thead>
              <tr>
                <td />
                {outcome.scores.map(({ seat }) => (
                  <th key={seat} scope="col">
                    <SeatBadge seat={seat} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {lines.map((line) => (
                <tr key={line}>
                  <th scope="row">
                    <Said text={names.of(NameKind.SCORE_LINE, line)} most={60} />
                  </th>
                  {outcome.scores.map(({ seat, lines }) => (
                    <td key={seat}>{String(lines.find(({ name }) => name === line)?.points ?? "")}</td>
                  ))}
                </tr>
              ))}
              <tr class="total">
                <th scope="row">{t.total}</th>
                {outcome.scores.map(({ seat, total }) => (
                  <td key={seat}>{String(total)}</td>
                ))}
              </tr>
              {outcome.scores.some(({ tieBreaks }) => tieBreaks.length > 0) ? (
                <tr>
                  <th scope="row">{t.tieBreak}</th>
                  {outcome.scores.map(({ seat, tieBreaks }) => (
                    <td key={seat}>{tieBreaks.join(" · ")}</td>
                  ))}
                </tr>
              ) : null}
            </tbody>
          </table>
        </div>
      </section>
    </StageContext.Provider>
  );
}
