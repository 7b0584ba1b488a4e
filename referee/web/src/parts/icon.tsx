/**
 * Icons.
 *
 * In: names of icons of pieces and signs of buttons. Out: drawings. The icons of pieces come one by one, after the
 * first picture, and only those that a ruleset names; until then pieces show their letters.
 *
 * @module
 */
import { signal } from "@preact/signals";
import { h, type JSX } from "preact";
import { referee } from "../server.ts";
import { SIGNS, type SignName } from "./signs.ts";

export const loadedIcons = signal<Readonly<Record<string, string>>>({});
const asked = new Set<string>();

/** Brings icons of pieces, as far as they have not come yet and there are such icons. */
export async function loadIcons(names: ReadonlySet<string>): Promise<void> {
  const wanted = [...names].filter((name) => !asked.has(name));
  if (wanted.length === 0) return;
  for (const name of wanted) asked.add(name);
  const brought = await Promise.all(wanted.map(drawingOf));
  loadedIcons.value = { ...loadedIcons.value, ...Object.fromEntries(brought.flatMap((path, at) => (path === undefined ? [] : [[wanted[at]!, path]]))) };
}

/** The path of an icon. What was on its way over a connection that has died is asked for anew when connections are: it would hold one of the few for ever. */
async function drawingOf(name: string): Promise<string | undefined> {
  for (;;) {
    const one = referee.peek().line.begin();
    try {
      const address = (await import("./icon-files.ts")).ADDRESSES.get(name);
      if (address === undefined) return undefined;
      const answer = await fetch(address, { signal: one.signal });
      if (!answer.ok) throw new Error(`${answer.status}`);
      return / d="([^"]+)"/.exec(await answer.text())?.[1];
    } catch {
      if (one.signal.aborted) continue;
      // Letters stand in its place; the next table asks again.
      asked.delete(name);
      return undefined;
    } finally {
      one.end();
    }
  }
}

/** An icon of a piece, or its letters. */
export function Icon({ name, label }: { readonly name: string | undefined; readonly label: string }): JSX.Element {
  const path = name === undefined ? undefined : loadedIcons.value[name];
  if (path === undefined) return <span class="letters" aria-hidden="true">{label}</span>;
  return (
    <svg class="icon" viewBox="0 0 512 512" aria-hidden="true" focusable="false">
      <path d={path} />
    </svg>
  );
}

/** A sign on a button. */
export function Sign({ name }: { readonly name: SignName }): JSX.Element {
  return (
    <svg class="sign" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {SIGNS[name].map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}
