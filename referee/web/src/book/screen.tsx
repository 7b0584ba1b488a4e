import type { JSX } from "preact";
export const RulesScreen = (_: { readonly ruleset: string; readonly query: URLSearchParams }): JSX.Element => <main />;
