import type { JSX } from "preact";
export const ProofScreen = (_: { readonly ruleset: string; readonly query: URLSearchParams }): JSX.Element => <main />;
