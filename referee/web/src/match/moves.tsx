/**
 * The panel in which a move is chosen.
 *
 * In: a match and the question that its seat is asked. Out: the moves that are left, by name, by what tells them from each other
 * and one by one; choosers; what a move would bring; why it was refused. Everything in it is reached by the keyboard.
 *
 * @module
 */
import { effect, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { RefereeError, isRefused, valueKey, type Foreseen } from "referee-client";
import { NameKind, type Event as Happened, type Move, type Offer, type RefusedMove } from "referee-client/v1";
import { Countdown } from "../parts/controls.tsx";
import { Sign } from "../parts/icon.tsx";
import { Said, clipped, textOf } from "../parts/text.tsx";
import { confirming } from "../settings.ts";
import { ClauseText, Grounds, RefusedView } from "../table/inspector.tsx";
import { texts } from "../texts.ts";
import { Choosers } from "./chooser.tsx";
import type { LiveMatch } from "./live.ts";
import { isSpoken } from "./log.tsx";
import { terseEvent, terseMove } from "./terse.ts";
import type { Turn } from "./turn.ts";

/** As many moves as are listed before one searches for the rest. */
const MOST_LISTED = 150;

/** Where the panel stands: it has the focus while nothing is asked, for whoever has answered from it. */
const PANEL = "moves";

/** Whether the focus has gone with what was pressed, or waits for the next question. */
function isAdrift(): boolean {
  const at = document.activeElement;
  return at === null || at === document.body || at.id === PANEL;
}

/** Whose turn it is, and the own question. */
export function Moves({ live }: { readonly live: LiveMatch }): JSX.Element {
  const turn = live.turn.value;
  // The focus leaves what was answered before that goes: taken away with its button, it would have the page laid out once more.
  useEffect(
    () =>
      effect(() => {
        if (live.turn.value || !live.answered) return;
        const panel = document.getElementById(PANEL);
        if (panel && document.activeElement !== panel && (isAdrift() || panel.contains(document.activeElement))) panel.focus({ preventScroll: true });
      }),
    [live],
  );
  return (
    <>
      <p class="sr" role="status">
        {turn && live.past.value === undefined ? `${texts.value.yourTurn}: ${clipped(live.names.value.phase(turn.step), 120)}` : ""}
      </p>
      <Panel live={live} turn={turn} />
    </>
  );
}

function Panel({ live, turn }: { readonly live: LiveMatch; readonly turn: Turn | undefined }): JSX.Element {
  const t = texts.value;
  const past = live.past.value !== undefined;
  if (live.outcome.value || live.connection.value === "over") return <p class="idle">{t.isOver}</p>;
  if (!turn) {
    const waiting = live.shown.value.waiting;
    const due = live.due.value.length > 0;
    const deadline = live.due.value[0]?.decision.decision.deadline;
    return (
      <div class="idle">
        <p>
          <Sign name="hourglass" /> {due ? t.beingShown : waiting.length > 0 ? t.waitingOn(waiting.map((seat) => live.names.value.player(seat)).join(", ")) : t.waitingSome} {deadline ? <Countdown until={deadline} /> : null}
        </p>
        {live.playing.value ? (
          <button type="button" onClick={() => live.skip()}>
            <Sign name="skip-forward" /> {t.skipMotion}
          </button>
        ) : null}
        <Trouble live={live} />
      </div>
    );
  }
  if (past) {
    return (
      <div class="idle">
        <p>{t.pastShown}</p>
        <button type="button" class="primary" onClick={() => void live.lookAt(undefined)}>
          {t.toNow}
        </button>
      </div>
    );
  }
  return (
    <div class="question" data-question={turn.id}>
      {live.turns.value.length > 1 ? (
        <div class="tabs" role="tablist">
          {live.turns.value.map((one, at) => (
            <button key={one.id} type="button" role="tab" aria-selected={one === turn} onClick={() => (live.turnAt.value = at)}>
              <Said text={live.names.value.phase(one.step)} most={60} />
            </button>
          ))}
        </div>
      ) : null}
      <Question key={turn.id} live={live} turn={turn} />
    </div>
  );
}

function Question({ live, turn }: { readonly live: LiveMatch; readonly turn: Turn }): JSX.Element {
  const t = texts.value;
  const names = live.names.value;
  const { decision } = turn.decision;
  const move = ready(turn);
  const submit = (): void => void (move && live.submit(turn, move));
  useEffect(() => {
    // Whoever does not want to be asked moves at once, unless something has yet to be chosen.
    if (move && !confirming.value && turn.begun.value && turn.choice.value?.offer.open.length === 0) submit();
  }, [move && valueOf(move)]);
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      const target = event.target instanceof Element ? event.target : undefined;
      if (target?.closest("input, select, textarea, dialog, .popup")) return;
      if (event.key === "Escape" && turn.begun.value) turn.undo();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [turn]);
  const element = useRef<HTMLDivElement>(null);
  const begun = turn.begun.value;
  useEffect(() => {
    // The focus goes to what is asked next, if it was lost with what was pressed; nobody's is taken away.
    if (live.sending.value || !(live.answered || begun) || !isAdrift()) return;
    const asked = [...(element.current?.querySelectorAll<HTMLElement>("[data-ask]") ?? [])];
    (begun ? asked.at(-1) : asked[0])?.focus({ preventScroll: true });
  }, [turn, turn.words.value.length, turn.choice.value === undefined, live.sending.value]);
  return (
    <div class="asked" ref={element}>
      <header class="question-head" role="group" aria-label={`${t.yourTurn}: ${clipped(names.phase(decision.step), 120)}`} tabIndex={-1} data-ask>
        <h2>{t.yourTurn}</h2>
        <span class="step-name">
          <Said text={names.phase(decision.step)} most={120} />
        </span>
        {decision.deadline ? <Countdown until={decision.deadline} /> : null}
      </header>
      {decision.clause !== "" ? <ClauseText stage={live} id={decision.clause} quiet /> : null}
      <Trail turn={turn} />
      <Trouble live={live} />
      {turn.choice.value && (turn.begun.value || turn.decision.offers.length === 1) ? (
        <Chosen live={live} turn={turn} move={move} submit={submit} />
      ) : (
        <Narrow live={live} turn={turn} />
      )}
    </div>
  );
}

const valueOf = (move: Move): string => `${move.name} ${move.arguments.map(({ name, value }) => `${name} ${value ? valueKey(value) : ""}`).join()}`;

/** The move, if nothing is missing. */
function ready(turn: Turn): Move | undefined {
  const choice = turn.choice.value;
  return choice?.ready ? choice.move() : undefined;
}

function Trail({ turn }: { readonly turn: Turn }): JSX.Element | null {
  const t = texts.value;
  if (!turn.begun.value) return null;
  return (
    <p class="trail">
      {turn.words.value.map((words, at) => (
        <span class="chip" key={at}>
          <Said text={words} most={80} />
        </span>
      ))}
      <button type="button" onClick={() => turn.undo()}>
        <Sign name="undo-2" /> {t.takeBack}
      </button>
    </p>
  );
}

/** One offer is left: what is open in it, what it brings, and the button that makes the move. */
function Chosen({ live, turn, move, submit }: { readonly live: LiveMatch; readonly turn: Turn; readonly move: Move | undefined; readonly submit: () => void }): JSX.Element {
  const t = texts.value;
  const names = live.names.value;
  const { offer } = turn.choice.value!;
  const called = move ? names.move(turn.step, terseMove(move)) : names.of(NameKind.MOVE, offer.name, turn.step);
  const foreseen = useSignal<Foreseen | undefined>(undefined);
  const refused = useSignal<RefereeError | undefined>(undefined);
  const key = move && valueOf(move);
  useEffect(() => {
    foreseen.value = undefined;
    refused.value = undefined;
    if (!move) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      live.preview(turn, move, abort.signal).then(
        (told) => (foreseen.value = told),
        (thrown) => {
          if (!abort.signal.aborted && isRefused(thrown)) refused.value = RefereeError.from(thrown);
        },
      );
    }, 120);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key]);
  return (
    <div class="chosen" data-move={offer.name}>
      <h3 tabIndex={-1} data-ask>
        <Said text={called} most={300} />
      </h3>
      {offer.clause !== "" ? <ClauseText stage={live} id={offer.clause} quiet /> : null}
      <Choosers stage={live} turn={turn} />
      {refused.value ? <RefusalView live={live} turn={turn} error={refused.value} /> : null}
      <div class="buttons">
        <button type="button" class="primary" data-confirm disabled={!move || live.sending.value} onClick={submit}>
          <Sign name="check" /> {live.sending.value ? t.sending : t.confirm}
        </button>
      </div>
      <PreviewView live={live} foreseen={foreseen.value} />
    </div>
  );
}

/** Whether an event says what a move brings: that phases come and go is how the rules tell it. */
const isBrought = (event: Happened): boolean => isSpoken(event) && !["moveMade", "phaseBegan", "phaseEnded"].includes(event.kind.case ?? "");

function PreviewView({ live, foreseen }: { readonly live: LiveMatch; readonly foreseen: Foreseen | undefined }): JSX.Element | null {
  const t = texts.value;
  if (!foreseen) return null;
  // What happens several times on end is said once.
  const told: { readonly text: string; readonly times: number }[] = [];
  for (const event of foreseen.events.filter(isBrought)) {
    const text = live.names.value.event(terseEvent(event));
    const last = told.at(-1);
    if (last?.text === text) told[told.length - 1] = { text, times: last.times + 1 };
    else told.push({ text, times: 1 });
  }
  return (
    <section class="preview" aria-live="polite">
      <h4>
        <Sign name="eye" /> {t.preview}
      </h4>
      {told.length === 0 ? <p class="quiet">{t.previewNothing}</p> : null}
      <ul>
        {told.slice(0, 12).map(({ text, times }, at) => (
          <li key={at}>
            <Said text={text} most={200} />{times > 1 ? ` ×${times}` : ""}
          </li>
        ))}
      </ul>
      {foreseen.complete ? null : <p class="quiet">{t.previewMore}</p>}
      <p class="quiet">{foreseen.certainty === "certain" ? t.previewCertain : t.previewLikely}</p>
    </section>
  );
}

/** Several offers are left: their names, what tells them apart, and all of them. */
function Narrow({ live, turn }: { readonly live: LiveMatch; readonly turn: Turn }): JSX.Element {
  const t = texts.value;
  const names = live.names.value;
  const narrowing = turn.narrowing.value;
  const moves = narrowing.moves();
  const groups = new Map<string, ReturnType<typeof narrowing.choosable>[number][]>();
  if (moves.length === 1) for (const one of narrowing.choosable()) groups.set(one.parameter, [...(groups.get(one.parameter) ?? []), one]);
  const called = (move: string): string => names.of(NameKind.MOVE, move, turn.step);
  return (
    <>
      <p class="hint" tabIndex={-1} data-ask>{t.chooseMove}</p>
      {moves.length > 1 ? (
        <div class="move-names">
          {moves.map((move) => {
            const count = narrowing.offers.filter(({ name }) => name === move).length;
            return (
              <button key={move} type="button" class="move-name" data-move={move} onClick={() => turn.choose(move, called(move))}>
                <Said text={called(move)} most={100} />
                {count > 1 ? <span class="count">{count}</span> : null}
              </button>
            );
          })}
        </div>
      ) : (
        [...groups].slice(0, 6).map(([parameter, all]) => (
          <fieldset class="narrow" key={parameter}>
            <legend>
              <Said text={names.of(NameKind.PARAMETER, parameter)} most={80} />
            </legend>
            <div class="options">
              {all.slice(0, 60).map((one) => (
                <button key={valueKey(one.value)} type="button" onClick={() => turn.fix(one, names.value(one.value))}>
                  <Said text={names.value(one.value)} most={200} />
                </button>
              ))}
            </div>
          </fieldset>
        ))
      )}
      <AllMoves live={live} turn={turn} offers={narrowing.offers} />
      <Forbidden key={turn.id} live={live} turn={turn} />
    </>
  );
}

/** Every move in words. */
function AllMoves({ live, turn, offers }: { readonly live: LiveMatch; readonly turn: Turn; readonly offers: readonly Offer[] }): JSX.Element {
  const t = texts.value;
  const names = live.names.value;
  const filter = useSignal("");
  // A small screen belongs to the picture.
  const open = useSignal(offers.length <= 8 && innerWidth > 900);
  const wanted = filter.value.trim().toLowerCase();
  const told = open.value ? offers.map((offer) => ({ offer, words: names.offer(turn.step, offer) })).filter(({ words }) => words.toLowerCase().includes(wanted)) : [];
  return (
    <details class="all-moves" open={open.value} onToggle={({ currentTarget }) => (open.value = currentTarget.open)}>
      <summary>
        <Sign name="list" /> {t.allMoves(offers.length)}
      </summary>
      {offers.length > 8 ? <input type="search" placeholder={t.filter} aria-label={t.filter} value={filter.value} onInput={({ currentTarget }) => (filter.value = currentTarget.value)} /> : null}
      <ul>
        {told.slice(0, MOST_LISTED).map(({ offer, words }, at) => (
          <li key={`${at} ${offer.name}`}>
            <button type="button" data-offer onClick={() => turn.take(offer, words)}>
              <Said text={words} most={300} />
            </button>
          </li>
        ))}
      </ul>
      {told.length > MOST_LISTED ? <p class="quiet">+{told.length - MOST_LISTED}</p> : null}
    </details>
  );
}

/** Moves of the question that are not allowed, and why. */
function Forbidden({ live, turn }: { readonly live: LiveMatch; readonly turn: Turn }): JSX.Element | null {
  const t = texts.value;
  const names = live.names.value;
  const told = useSignal<readonly { readonly move: string; readonly refused: readonly RefusedMove[] }[] | undefined>(undefined);
  const look = async (): Promise<void> => {
    if (told.value) return;
    const found = [];
    for (const { name } of live.ruleset.moves.filter(({ step }) => step === turn.step)) {
      found.push({ move: name, refused: await live.refusals(turn, name, {}, 12).catch(() => []) });
    }
    told.value = found.filter(({ refused }) => refused.length > 0);
  };
  return (
    <details class="forbidden" onToggle={({ currentTarget }) => currentTarget.open && void look()}>
      <summary>
        <Sign name="circle-help" /> {t.whyNotWhole}
      </summary>
      {told.value === undefined ? <p class="quiet">{t.loading}</p> : null}
      {told.value?.length === 0 ? <p class="quiet">{t.nothing}</p> : null}
      {told.value?.flatMap(({ move, refused }) => refused.map((one, at) => <RefusedView key={`${move} ${at}`} live={live} names={names} step={turn.step} move={move} refused={one} />))}
    </details>
  );
}

/** Why a whole move is refused, and what could be done instead. */
function RefusalView({ live, turn, error }: { readonly live: LiveMatch; readonly turn: Turn | undefined; readonly error: RefereeError }): JSX.Element {
  const t = texts.value;
  const names = live.names.value;
  const { refusal } = error;
  return (
    <section class="trouble" role="alert">
      <p class="trouble-title">
        <Sign name="triangle-alert" /> {refusal ? t.refusedTitle : t.failedTitle}
      </p>
      <p>
        <Said text={textOf(error)} />
      </p>
      {refusal?.clause ? <ClauseText stage={live} id={refusal.clause.id} /> : null}
      {refusal ? <Grounds names={names} of={{ ...refusal, condition: "" }} hasClause={refusal.clause !== undefined} /> : null}
      {turn && refusal && refusal.alternatives.length > 0 ? (
        <>
          <p class="trouble-title">{t.instead}</p>
          <div class="options">
            {refusal.alternatives.slice(0, 4).map((move) => (
              <button key={valueOf(move)} type="button" data-alternative onClick={() => void live.submit(turn, move)}>
                <Said text={names.move(turn.step, move)} most={200} />
              </button>
            ))}
          </div>
        </>
      ) : null}
    </section>
  );
}

function Trouble({ live }: { readonly live: LiveMatch }): JSX.Element | null {
  return live.refused.value ? <RefusalView live={live} turn={live.turn.value} error={live.refused.value} /> : null;
}
