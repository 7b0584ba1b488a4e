/**
 * Where a token of this browser is kept and forgotten.
 *
 * In: the signal that keeps it, and what to say. Out: a box with a form, which never shows the token.
 *
 * @module
 */
import { useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { Sign } from "../parts/icon.tsx";
import { texts } from "../texts.ts";

interface TokenBoxProps {
  /** Whose: names its parts in the document. */
  readonly name: string;
  readonly token: Signal<string>;
  readonly isGood: (token: string) => boolean;
  /** Whether the referee does not know the one that is kept. */
  readonly unknown: boolean;
  readonly said: Readonly<Record<"title" | "why" | "label" | "known" | "gone" | "wrong" | "forget", string>>;
}

export function TokenBox({ name, token, isGood, unknown, said }: TokenBoxProps): JSX.Element {
  const typed = useSignal("");
  const wrong = useSignal(false);
  const keep = (event: Event): void => {
    event.preventDefault();
    const given = typed.value.trim();
    wrong.value = !isGood(given);
    if (!wrong.value) {
      token.value = given;
      typed.value = "";
    }
  };
  return (
    <section class={`token-box ${name}-box`}>
      <h2>
        <Sign name="key-round" /> {said.title}
      </h2>
      {token.value !== "" ? (
        <p>
          {unknown ? <span class="bad">{said.gone}</span> : said.known}{" "}
          <button type="button" onClick={() => (token.value = "")}>{said.forget}</button>
        </p>
      ) : (
        <form class="form" onSubmit={keep}>
          <p class="quiet">{said.why}</p>
          <label>
            {said.label}
            <input name={`${name}-token`} type="password" autoComplete="off" spellcheck={false} value={typed.value} aria-invalid={wrong.value} onInput={({ currentTarget }) => (typed.value = currentTarget.value)} />
          </label>
          {wrong.value ? <p class="bad" role="alert">{said.wrong}</p> : null}
          <div class="buttons">
            <button type="submit">{texts.value.hostKeep}</button>
          </div>
        </form>
      )}
    </section>
  );
}
