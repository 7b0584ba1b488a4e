/**
 * What a thing is, and why it cannot be chosen.
 *
 * In: a thing of the picture. Out: its name, its figures, the clauses that speak of it; for a player who is asked something,
 * why no move with it is allowed: the clause, the condition, what it compared.
 *
 * @module
 */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { inLanguage, row as rowValue, seat as seatValue, type Names } from "referee-client";
import { ClauseKind, NameKind, type Parameter, type RefusedMove, type Value } from "referee-client/v1";
import { LiveMatch } from "../match/live.ts";
import type { Stage } from "../match/stage.ts";
import type { Turn } from "../match/turn.ts";
import { wordsOf } from "../match/words.ts";
import { colourStyle } from "../model/looks.ts";
import { thingKey, type Thing } from "../model/pointing.ts";
import { Icon, Sign } from "../parts/icon.tsx";
import { Said, clipped, textOf } from "../parts/text.tsx";
import { to } from "../route.ts";
import { language } from "../settings.ts";
import { texts } from "../texts.ts";
import { inspected } from "./context.ts";

/** Brings what places pop-ups: a table does without until somebody points at it, and asks for it after its first picture. */
const bringPopups = (): Promise<typeof import("../parts/popup.ts")> => import("../parts/popup.ts");

/** As many clauses and reasons as a pop-up bears. */
const MOST = 6;

/** The row that a thing is of, if it is of any. */
const rowOf = (thing: Thing): { readonly table: string; readonly row: string } | undefined =>
  thing.kind === "piece" || thing.kind === "row" ? thing.row : undefined;

/** The pop-up. */
export function Inspector({ stage }: { readonly stage: Stage }): JSX.Element | null {
  const shown = inspected.value;
  const element = useRef<HTMLDivElement>(null);
  const close = (): void => {
    const { pinned, anchor } = inspected.value ?? {};
    inspected.value = undefined;
    if (pinned && anchor?.isConnected) anchor.focus({ preventScroll: true });
  };
  // Whoever points at something later does not wait, and meets no hole in the connection.
  useEffect(() => void bringPopups().catch(() => undefined), []);
  useEffect(() => {
    if (!shown || !element.current) return undefined;
    const { anchor, pinned } = shown;
    const floating = element.current;
    let end = (): void => undefined;
    let gone = false;
    bringPopups().then(
      ({ anchored }) => {
        if (!gone && anchor.isConnected) end = anchored(anchor, floating, pinned);
      },
      // What it says is read where the style sheet puts it.
      () => undefined,
    );
    if (shown.pinned) element.current.focus({ preventScroll: true });
    const key = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      // It closes what is seen, and takes no choice back besides.
      event.stopImmediatePropagation();
      close();
    };
    const press = (event: PointerEvent): void => {
      if (shown.pinned && event.target instanceof Node && !element.current?.contains(event.target) && !shown.anchor.contains(event.target)) inspected.value = undefined;
    };
    addEventListener("keydown", key, true);
    addEventListener("pointerdown", press);
    return () => {
      gone = true;
      end();
      removeEventListener("keydown", key, true);
      removeEventListener("pointerdown", press);
    };
  }, [shown]);
  if (!shown) return null;
  const { thing, pinned } = shown;
  const name = wordsOf(stage, thing);
  const t = texts.value;
  return (
    <div class={pinned ? "popup pinned" : "popup"} ref={element} role={pinned ? "dialog" : "tooltip"} aria-label={clipped(name, 80)} tabIndex={-1}>
      <div class="popup-head">
        <Head stage={stage} thing={thing} name={name} />
        {pinned ? (
          <button class="bare-button" type="button" onClick={close} aria-label={t.close}>
            <Sign name="x" />
          </button>
        ) : null}
      </div>
      <Figures stage={stage} thing={thing} />
      <Clauses stage={stage} thing={thing} />
      {pinned && stage instanceof LiveMatch && stage.isSeat ? <WhyNot key={thingKey(thing)} live={stage} thing={thing} /> : null}
    </div>
  );
}

function Head({ stage, thing, name }: { readonly stage: Stage; readonly thing: Thing; readonly name: string }): JSX.Element {
  const row = rowOf(thing);
  const names = stage.names.value;
  const look = row && stage.layout.looks.row(row.table, row.row);
  const within = row ? names.of(NameKind.TABLE, row.table) : thing.kind === "place" ? names.of(NameKind.PLACE, thing.place.name) : "";
  return (
    <div class="popup-title" style={look ? colourStyle(look.colour) : {}}>
      {row && look ? (
        <span class="art">
          <Icon name={look.icon} label={stage.layout.looks.label(row.table, row.row, language.value)} />
        </span>
      ) : null}
      <div>
        <h2>
          <Said text={name} most={200} />
        </h2>
        {within !== "" && within !== name ? (
          <small>
            <Said text={within} most={80} />
            {thing.kind === "piece" ? (
              <>
                {" · "}
                <Said text={names.place(thing.place)} most={120} />
              </>
            ) : null}
          </small>
        ) : null}
      </div>
    </div>
  );
}

/** All cells of a row that say something, as on the card. */
function Figures({ stage, thing }: { readonly stage: Stage; readonly thing: Thing }): JSX.Element | null {
  const row = rowOf(thing);
  if (!row) return null;
  const names = stage.names.value;
  const cells = stage.catalogue.cells(row.table, row.row).filter(({ value: { kind } }) => !(kind.case === "boolean" && !kind.value) && !(kind.case === "integer" && kind.value === 0n));
  if (cells.length === 0) return null;
  return (
    <dl class="figures-list">
      {cells.map(({ column, value }) => (
        <div key={column.id}>
          <dt>
            <Said text={names.of(NameKind.COLUMN, column.id, row.table)} most={80} />
          </dt>
          <dd>
            <Said text={names.value(value)} most={120} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Clauses({ stage, thing }: { readonly stage: Stage; readonly thing: Thing }): JSX.Element | null {
  const row = rowOf(thing);
  const clauses = row ? stage.catalogue.clausesOf(row.row) : [];
  if (clauses.length === 0) return null;
  return (
    <div class="clauses">
      {clauses.slice(0, MOST).map(({ id, kind }) => (
        <ClauseText key={id} stage={stage} id={id} quiet={kind === ClauseKind.NOTE} />
      ))}
    </div>
  );
}

/** A clause with a link to its place in the rulebook. */
export function ClauseText({ stage, id, quiet }: { readonly stage: Stage; readonly id: string; readonly quiet?: boolean }): JSX.Element {
  const text = stage.names.value.clause(id);
  return (
    <p class={quiet ? "clause quiet" : "clause"}>
      <Said text={text ?? id} most={900} />{" "}
      <ClauseLink stage={stage} id={id} />
    </p>
  );
}

/** The address of a clause in the rulebook of what is played. */
export function clauseAddress(stage: Stage, id: string): string {
  const { summary, configuration } = stage.ruleset;
  return to.rules(summary?.name ?? "", {
    clause: id,
    players: String(configuration?.players ?? 0),
    ...(configuration && configuration.modules.length > 0 ? { modules: configuration.modules.join(",") } : {}),
    ...(summary ? { revision: summary.revision } : {}),
  });
}

/** Where a clause stands in the rulebook, as people find it there; its text and its id for whoever rests upon that. */
export function ClauseLink({ stage, id }: { readonly stage: Stage; readonly id: string }): JSX.Element {
  const names = stage.names.value;
  const text = names.clause(id);
  return (
    <a class="clause-link" href={clauseAddress(stage, id)} target="_blank" rel="noopener" data-clause={id} title={clipped(`${text === undefined ? "" : `${clipped(text, 300)}\n`}${texts.value.openClause}: ${id}`, 420)}>
      <Sign name="book-open" />
      <span class="sr">{texts.value.openClause}: </span>
      <Said text={names.clauseLabel(id)} most={60} />
    </a>
  );
}

/** The value that a parameter would have if it meant this thing. */
function meant({ type }: Parameter, thing: Thing): Value | undefined {
  const row = rowOf(thing);
  if (type?.kind === 3 && row && row.table === type.of) return rowValue(row.table, row.row);
  if (type?.kind === 4 && thing.kind === "seat") return seatValue(thing.seat);
  // Whoever points at the place of a building means the building.
  if (type?.kind === 3 && thing.kind === "place") {
    const index = thing.place.index.find(({ kind }) => kind.case === "row" && kind.value.table === type.of);
    if (index) return index;
  }
  return undefined;
}

interface Reason {
  readonly move: string;
  readonly refused: RefusedMove;
}

function WhyNot({ live, thing }: { readonly live: LiveMatch; readonly thing: Thing }): JSX.Element {
  const t = texts.value;
  const turn = live.turn.value;
  const [reasons, setReasons] = useState<readonly Reason[] | undefined>(undefined);
  const [failed, setFailed] = useState("");
  useEffect(() => {
    if (!turn) return;
    const gone = new AbortController();
    reasonsFor(live, turn, thing, gone.signal).then(
      (found) => gone.signal.aborted || setReasons(found),
      (thrown: unknown) => gone.signal.aborted || setFailed(textOf(thrown)),
    );
    return () => gone.abort();
  }, [turn, thingKey(thing)]);
  if (!turn) return <p class="quiet">{t.whyNotNoTurn}</p>;
  const names = live.names.value;
  return (
    <section class="why-not" aria-live="polite">
      <h3>{t.whyNotTitle}</h3>
      {failed !== "" ? <p class="bad"><Said text={failed} /></p> : null}
      {reasons === undefined && failed === "" ? <p class="quiet">{t.loading}</p> : null}
      {reasons?.length === 0 ? <p class="quiet">{live.marks(thing) ? t.whyNotAllowed : t.whyNotNone}</p> : null}
      {reasons?.map(({ move, refused }, at) => (
        <RefusedView key={at} live={live} names={names} step={turn.step} move={move} refused={refused} />
      ))}
    </section>
  );
}

/** Why one move is not allowed. */
export function RefusedView({ live, names, step, move, refused }: { readonly live: Stage; readonly names: Names; readonly step: string; readonly move: string; readonly refused: RefusedMove }): JSX.Element {
  return (
    <div class="refused">
      <p>
        <b>
          <Said text={names.move(step, { $typeName: "referee.v1.Move", name: move, arguments: refused.fixed })} most={200} />
        </b>
      </p>
      {refused.clause !== "" ? <ClauseText stage={live} id={refused.clause} /> : null}
      <Grounds names={names} of={refused} hasClause={refused.clause !== ""} />
    </div>
  );
}

/** What failed and what it compared, in words; as the rules write it only where there is nothing else to say. */
export function Grounds({ names, of, hasClause }: { readonly names: Names; readonly of: Pick<RefusedMove, "limit" | "condition" | "values">; readonly hasClause: boolean }): JSX.Element {
  const limit = inLanguage(of.limit, language.value);
  const told = of.values.filter(({ label, variable }) => label !== undefined && !variable);
  return (
    <>
      {limit !== undefined ? (
        <p class="condition">
          <Said text={limit} most={200} />
        </p>
      ) : null}
      {told.length > 0 ? (
        <ul class="compared">
          {told.slice(0, 12).map((one, at) => (
            <li key={at}>
              <Said text={names.compared(one)} most={240} />
            </li>
          ))}
        </ul>
      ) : null}
      {!hasClause && limit === undefined && told.length === 0 && of.condition !== "" ? (
        <p class="condition">
          {texts.value.condition}: <code dir="ltr">{clipped(of.condition, 300)}</code>
        </p>
      ) : null}
    </>
  );
}

/** Reasons of all moves of the question that could have to do with a thing, each told once. */
async function reasonsFor(live: LiveMatch, turn: Turn, thing: Thing, signal: AbortSignal): Promise<readonly Reason[]> {
  const types = live.ruleset.moves.filter(({ step }) => step === turn.step);
  const asked = types.flatMap(({ name, parameters }) =>
    parameters.flatMap((parameter) => {
      const value = meant(parameter, thing);
      return value ? [{ name, parameter: parameter.name, value }] : [];
    }),
  );
  const found: Reason[] = [];
  for (const { name, parameter, value } of asked.slice(0, 12)) {
    if (signal.aborted) break;
    const moves = await live.refusals(turn, name, { [parameter]: value }, 8, signal);
    for (const refused of moves) {
      // The same reason for many whole moves is one reason.
      const same = found.find((one) => one.move === name && one.refused.clause === refused.clause && one.refused.condition === refused.condition);
      if (!same) found.push({ move: name, refused });
    }
  }
  return found.slice(0, MOST);
}
