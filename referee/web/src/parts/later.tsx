/**
 * Screens that come when they are opened.
 *
 * In: how a screen is brought. Out: the screen, and until it is there a word of it; what was brought once is there at once.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { texts } from "../texts.ts";
import { Failure } from "./controls.tsx";

/** A screen that comes in a file of its own, or a part of one, in whose place there is nothing until it is there. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>, isWhole = true): ComponentType<P> {
  let brought: ComponentType<P> | undefined;
  return function Later(props: P): JSX.Element {
    const came = useSignal(brought !== undefined);
    const failed = useSignal<unknown>(undefined);
    const bring = (): void => {
      failed.value = undefined;
      load().then(
        (screen) => {
          brought = screen;
          came.value = true;
        },
        (thrown: unknown) => (failed.value = thrown),
      );
    };
    useEffect(() => {
      if (!came.value) bring();
    }, []);
    if (failed.value !== undefined && !isWhole) return <Failure error={failed.value} again={bring} />;
    if (failed.value !== undefined) return <main class="narrow-page"><Failure error={failed.value} again={bring} /></main>;
    if (!came.value && !isWhole) return <></>;
    const Screen = came.value ? brought : undefined;
    return Screen ? <Screen {...props} /> : <main class="narrow-page"><p role="status">{texts.value.loading}</p></main>;
  };
}
