import type { JSX } from "preact";
export const ReplayScreen = (): JSX.Element => <main />;
