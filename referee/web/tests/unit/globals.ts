/** What modules of the page ask a browser for when they are loaded. */
const kept = new Map<string, string>();
Object.assign(globalThis, {
  localStorage: { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) },
  matchMedia: () => ({ matches: false }),
  document: { documentElement: { dataset: {}, lang: "" } },
  navigator: { languages: ["en"] },
  location: { hash: "", href: "http://page/#/" },
  history: { replaceState: () => undefined },
});
