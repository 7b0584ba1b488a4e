/**
 * Choosers of what is open in an offer: pieces of a bag, pieces over places, a number, one of some values.
 *
 * In: a turn whose last offer has open parameters. Out: controls that say what remains, and what breaks a limit.
 *
 * @module
 */
import type { JSX } from "preact";
import {
  amountState,
  bag,
  bagState,
  countsOf,
  fillBag,
  fillSpread,
  integer,
  placeKey,
  rowKey,
  sameValue,
  sharesOf,
  spreadState,
  spreadValue,
  valueKey,
  type Counts,
  type SharePart,
} from "referee-client";
import { NameKind, type AmountDomain, type BagDomain, type OpenParameter, type SpreadDomain, type Value, type ValuesDomain } from "referee-client/v1";
import { colourStyle } from "../model/looks.ts";
import { Icon, Sign } from "../parts/icon.tsx";
import { Said, clipped } from "../parts/text.tsx";
import { language } from "../settings.ts";
import { texts } from "../texts.ts";
import type { Stage } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** As many values as are shown as buttons; more of them are a list. */
const MOST_BUTTONS = 12;

/** Whether there is anything to choose: of nothing at all, nothing is chosen. */
const isOpen = ({ domain }: OpenParameter): boolean => domain.case !== "bag" || domain.value.available.some(({ count }) => count > 0);

/** All that is open in the offer that is left. */
export function Choosers({ stage, turn }: { readonly stage: Stage; readonly turn: Turn }): JSX.Element | null {
  const choice = turn.choice.value;
  if (!choice || choice.offer.open.length === 0) return null;
  return (
    <div class="choosers">
      {choice.offer.open.filter(isOpen).map((parameter) => (
        <Chooser key={parameter.name} stage={stage} turn={turn} parameter={parameter} value={choice.chosen.get(parameter.name)} unsure={choice.verdict(parameter.name) === "unsure"} />
      ))}
    </div>
  );
}

interface Props<D> {
  readonly stage: Stage;
  readonly domain: D;
  readonly value: Value | undefined;
  readonly set: (value: Value | undefined) => void;
  readonly label: string;
  /** Whether the limits are others by now, because of what else is chosen: only the referee knows them. */
  readonly unsure: boolean;
}

function Chooser({ stage, turn, parameter, value, unsure }: { readonly stage: Stage; readonly turn: Turn; readonly parameter: OpenParameter; readonly value: Value | undefined; readonly unsure: boolean }): JSX.Element {
  const { name, domain } = parameter;
  const label = stage.names.value.of(NameKind.PARAMETER, name);
  const common = { stage, value, label, unsure, set: (value: Value | undefined) => turn.set(name, value) };
  return (
    <fieldset class="chooser" data-parameter={name} data-domain={domain.case}>
      <legend>
        <Said text={label} most={80} />
      </legend>
      {domain.case === "bag" ? <BagChooser {...common} domain={domain.value} /> : null}
      {domain.case === "spread" ? <SpreadChooser {...common} domain={domain.value} /> : null}
      {domain.case === "amount" ? <AmountChooser {...common} domain={domain.value} /> : null}
      {domain.case === "values" ? <ValuesChooser {...common} domain={domain.value} /> : null}
    </fieldset>
  );
}

/** A count with one less and one more. */
function Stepper({ label, count, less, more, of }: { readonly label: string; readonly count: number | string; readonly less: (() => void) | undefined; readonly more: (() => void) | undefined; readonly of?: number | undefined }): JSX.Element {
  const t = texts.value;
  return (
    <span class="stepper">
      <button type="button" class="step" onClick={less} disabled={!less} aria-label={t.oneLess(clipped(label, 80))}>
        <Sign name="minus" />
      </button>
      <output>
        {count}
        {of === undefined ? null : <small> / {of}</small>}
      </output>
      <button type="button" class="step" onClick={more} disabled={!more} aria-label={t.oneMore(clipped(label, 80))}>
        <Sign name="plus" />
      </button>
    </span>
  );
}

function RowName({ stage, table, row }: { readonly stage: Stage; readonly table: string; readonly row: string }): JSX.Element {
  const look = stage.layout.looks.row(table, row);
  return (
    <span class="row-name" style={colourStyle(look.colour)}>
      <span class={`dot ${look.outline}`}>
        <Icon name={look.icon} label={stage.layout.looks.label(table, row, language.value)} />
      </span>
      <Said text={stage.names.value.row({ table, row })} most={80} />
    </span>
  );
}

function BagChooser({ stage, domain, value, set, unsure }: Props<BagDomain>): JSX.Element {
  const t = texts.value;
  const counts: Counts = value?.kind.case === "bag" ? countsOf(value.kind.value) : {};
  const state = bagState(domain, counts);
  const put = (row: string, by: number): void => set(bag(domain.table, { ...counts, [row]: (counts[row] ?? 0) + by }));
  const problem = state.problems.find(({ limit }) => limit !== "least");
  return (
    <>
      <p class="limits">
        {unsure ? t.dependsOnRest : t.chooseAtMost(domain.least, domain.most)}
        {domain.kinds === undefined ? "" : `, ${t.kindsAtMost(domain.kinds)}`}
        {domain.loose ? `, ${t.looseAtMost(domain.loose.pieces, domain.loose.kinds)}` : ""}
      </p>
      <ul class="rows">
        {domain.available.map(({ row, count }) => (
          <li key={row}>
            <RowName stage={stage} table={domain.table} row={row} />
            <Stepper
              label={stage.names.value.row({ table: domain.table, row })}
              count={counts[row] ?? 0}
              of={count}
              less={(counts[row] ?? 0) > 0 ? () => put(row, -1) : undefined}
              more={(unsure ? (counts[row] ?? 0) < count : (state.canAdd[row] ?? 0) > 0) ? () => put(row, 1) : undefined}
            />
          </li>
        ))}
      </ul>
      <p class="remains" data-complete={unsure || state.complete || undefined} aria-live="polite">
        {unsure ? null : problem ? (problem.limit === "deadlock" ? t.deadlock : t.tooMany("by" in problem ? problem.by : 1)) : t.remains(state.remaining.least, state.remaining.most)}
      </p>
      <span class="small-buttons">
        <button type="button" onClick={() => set(bag(domain.table, fillBag(domain)))}>{t.fillUp}</button>
        <button type="button" onClick={() => set(bag(domain.table, {}))}>{t.clear}</button>
      </span>
    </>
  );
}

function SpreadChooser({ stage, domain, value, set }: Props<SpreadDomain>): JSX.Element {
  const t = texts.value;
  const names = stage.names.value;
  const shares: readonly SharePart[] = value?.kind.case === "spread" ? sharesOf(value.kind.value) : [];
  const state = spreadState(domain, shares);
  const single = domain.pieces.length === 1;
  const inPlace = (place: SharePart["place"], row: SharePart["row"]): number =>
    shares.filter((share) => placeKey(share.place) === placeKey(place) && rowKey(share.row) === rowKey(row)).reduce((sum, { count }) => sum + count, 0);
  const put = (place: SharePart["place"], row: SharePart["row"], by: number): void => {
    const others = shares.filter((share) => placeKey(share.place) !== placeKey(place) || rowKey(share.row) !== rowKey(row));
    set(spreadValue([...others, { place, row, count: inPlace(place, row) + by }]));
  };
  return (
    <>
      <p class="limits">
        {state.unplaced.map(({ row, count }) => (
          <span key={rowKey(row)}>
            <RowName stage={stage} {...row} /> × {count}{" "}
          </span>
        ))}
      </p>
      <ul class="rows">
        {domain.rooms.flatMap(({ place, room }) =>
          place
            ? domain.pieces.flatMap(({ row }) => {
                if (!row) return [];
                const count = inPlace(place, row);
                const canAdd = state.canAdd.some((share) => placeKey(share.place) === placeKey(place) && rowKey(share.row) === rowKey(row));
                // The index tells places of one family from each other; the seat is the own one.
                const index = place.index.filter(({ kind }) => kind.case !== "seat");
                const name = index.length > 0 ? index.map((one) => names.value(one)).join(", ") : names.place(place);
                return [
                  <li key={`${placeKey(place)} ${rowKey(row)}`}>
                    <span class="row-name">
                      <Said text={name} most={80} />
                      {single ? null : <RowName stage={stage} {...row} />}
                    </span>
                    <Stepper label={name} count={count} of={room} less={count > 0 ? () => put(place, row, -1) : undefined} more={canAdd ? () => put(place, row, 1) : undefined} />
                  </li>,
                ];
              })
            : [],
        )}
      </ul>
      <p class="remains" data-complete={state.complete || undefined} aria-live="polite">
        {state.remaining > 0 ? t.unplaced(state.remaining) : t.remains(0, 0)}
        {state.overflow > 0 && domain.overflow ? ` · ${t.overflowGoes(state.overflow, names.place(domain.overflow))}` : ""}
      </p>
      <span class="small-buttons">
        <button type="button" onClick={() => set(spreadValue(fillSpread(domain)))}>{t.fillUp}</button>
        <button type="button" onClick={() => set(spreadValue([]))}>{t.clear}</button>
      </span>
    </>
  );
}

function AmountChooser({ domain, value, set, label }: Props<AmountDomain>): JSX.Element {
  const t = texts.value;
  const chosen = value?.kind.case === "integer" ? value.kind.value : domain.least;
  const state = amountState(domain, chosen);
  const safe = domain.most <= BigInt(Number.MAX_SAFE_INTEGER) && domain.least >= BigInt(Number.MIN_SAFE_INTEGER);
  return (
    <>
      <p class="limits">{t.amountRange(String(domain.least), String(domain.most))}</p>
      <span class="amount-line">
        <Stepper label={label} count={String(chosen)} less={state.less === undefined ? undefined : () => set(integer(state.less!))} more={state.more === undefined ? undefined : () => set(integer(state.more!))} />
        {safe && domain.most > domain.least ? (
          <input
            type="range"
            aria-label={clipped(label, 80)}
            min={Number(domain.least)}
            max={Number(domain.most)}
            step={Number(domain.step > 0n ? domain.step : 1n)}
            value={Number(chosen)}
            onInput={({ currentTarget }) => set(integer(amountState(domain, Math.round(Number(currentTarget.value))).nearest ?? domain.least))}
          />
        ) : null}
      </span>
    </>
  );
}

function ValuesChooser({ stage, domain, value, set, label }: Props<ValuesDomain>): JSX.Element {
  const names = stage.names.value;
  if (domain.values.length > MOST_BUTTONS) {
    const at = domain.values.findIndex((one) => value && sameValue(one, value));
    return (
      <select aria-label={clipped(label, 80)} value={String(at)} onChange={({ currentTarget }) => set(domain.values[Number(currentTarget.value)])}>
        {domain.values.map((one, at) => (
          <option key={valueKey(one)} value={String(at)}>
            {clipped(names.value(one), 120)}
          </option>
        ))}
      </select>
    );
  }
  return (
    <div class="options" role="radiogroup" aria-label={clipped(label, 80)}>
      {domain.values.map((one) => (
        <button key={valueKey(one)} type="button" role="radio" aria-checked={value !== undefined && sameValue(one, value)} onClick={() => set(one)}>
          {one.kind.case === "row" ? <RowName stage={stage} {...one.kind.value} /> : <Said text={names.value(one)} most={120} />}
        </button>
      ))}
    </div>
  );
}
