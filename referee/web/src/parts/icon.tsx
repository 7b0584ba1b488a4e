/**
 * Icons.
 *
 * In: names of icons of pieces and signs of buttons. Out: drawings. The icons of pieces come in a file of their own, after the
 * first picture; until then pieces show their letters.
 *
 * @module
 */
import { signal } from "@preact/signals";
import { h, type JSX } from "preact";
import { SIGNS, type SignName } from "./signs.ts";

export const loadedIcons = signal<Readonly<Record<string, string>>>({});
let asked = false;

/** Brings the icons of pieces. */
export function loadIcons(): void {
  if (asked) return;
  asked = true;
  import("../model/icons.ts").then(
    ({ ICONS }) => (loadedIcons.value = ICONS),
    // Letters stand in their places; the next table asks again.
    () => (asked = false),
  );
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
