/**
 * Proofreading a ruleset.
 *
 * In: a ruleset on offer. Out: what its scenarios prove of it, its phases as a graph, its revisions, and what differs between two of
 * them.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { inLanguage } from "referee-client";
import { ArtifactKind, type Revision } from "referee-client/v1";
import { configurationOf, configured } from "../book/screen.tsx";
import { titleOf } from "../lobby/title.ts";
import { Failure, useLoading } from "../parts/controls.tsx";
import { Said, clipped } from "../parts/text.tsx";
import { referee } from "../server.ts";
import { language } from "../settings.ts";
import { texts } from "../texts.ts";
import { Coverage } from "./coverage.tsx";

/** A graph beyond this is no picture any more. */
const MOST_BYTES = 6_000_000;

export function ProofScreen({ ruleset: id, query }: { readonly ruleset: string; readonly query: URLSearchParams }): JSX.Element {
  const t = texts.value;
  const name = `rulesets/${id}`;
  const { loading, again } = useLoading(async () => {
    const { rulesets } = await referee.value.rulesets.listRulesets({ pageSize: 1000 });
    const { revisions } = await referee.value.rulesets.listRevisions({ name, pageSize: 1000 });
    return { summary: rulesets.find((one) => one.name === name), revisions };
  }, [id]);
  if (loading.state === "loading") return <main class="narrow-page"><p role="status">{t.loading}</p></main>;
  if (loading.state === "failed") return <main class="narrow-page"><Failure error={loading.error} again={again} /></main>;
  return (
    <main class="home">
      <div>
        <p class="quiet">{t.proofread}</p>
        <h1>
          <Said text={titleOf(loading.value.summary, name)} most={100} />
        </h1>
      </div>
      <Coverage name={name} query={query} />
      <Compare name={name} revisions={loading.value.revisions} query={query} />
      <Phases name={name} query={query} />
    </main>
  );
}

function Phases({ name, query }: { readonly name: string; readonly query: URLSearchParams }): JSX.Element {
  const t = texts.value;
  const { loading, again } = useLoading(async () => {
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const { data } of referee.value.rulesets.getArtifact({ name, ...(await configurationOf(name, query)), kind: ArtifactKind.GRAPH_SVG })) {
      parts.push(data);
      size += data.length;
      if (size > MOST_BYTES) return undefined;
    }
    // As an image a drawing runs nothing and asks for nothing, whoever made it.
    const text = new TextDecoder().decode(await new Blob(parts as BlobPart[]).arrayBuffer());
    return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  }, [name, query.toString(), language.value]);
  return (
    <section>
      <h2>{t.phases}</h2>
      {loading.state === "loading" ? <p role="status">{t.loading}</p> : null}
      {loading.state === "failed" ? <Failure error={loading.error} again={again} /> : null}
      {loading.state === "done" ? (
        loading.value === undefined ? (
          <p>{t.graphNone}</p>
        ) : (
          <div class="graph" tabIndex={0} role="group" aria-label={t.phases}>
            <img src={loading.value} alt={t.phases} />
          </div>
        )
      ) : null}
    </section>
  );
}

const called = ({ name, version, channels }: Revision): string => `${version} · ${name.split("/").at(-1)!.slice(0, 10)}${channels.length > 0 ? ` · ${channels.join(", ")}` : ""}`;

function Compare({ name, revisions, query }: { readonly name: string; readonly revisions: readonly Revision[]; readonly query: URLSearchParams }): JSX.Element {
  const t = texts.value;
  const before = useSignal(query.get("before") ?? revisions[1]?.name ?? revisions[0]?.name ?? name);
  const after = useSignal(query.get("after") ?? revisions[0]?.name ?? name);
  const chosen = useSignal<readonly string[]>((query.get("with") ?? "").split(",").filter((id) => id !== ""));
  // Each revision has modules of its own.
  const { loading: offered } = useLoading(async () => (await referee.value.rulesets.getRuleset({ name: after.value })).ruleset?.modules ?? [], [after.value]);
  const modules = offered.state === "done" ? offered.value : [];
  const wanted = offered.state === "done" ? chosen.value.filter((id) => modules.some((one) => one.id === id)) : chosen.value;
  const { loading, again } = useLoading(async () => {
    const asked = await configured(name, 0, wanted);
    // The first is the base game for as many players.
    const both = "configuration" in asked ? { beforeConfiguration: { players: asked.configuration.players }, afterConfiguration: asked.configuration } : {};
    return referee.value.rulesets.diffRevisions({ before: before.value, after: after.value, pageSize: 200, ...both });
  }, [before.value, after.value, wanted.join()]);
  const pick = (label: string, side: typeof before): JSX.Element => (
    <label>
      {label}
      <select value={side.value} onChange={({ currentTarget }) => (side.value = currentTarget.value)}>
        {revisions.map((revision) => (
          <option key={revision.name} value={revision.name}>
            {clipped(called(revision), 80)} {revision.current ? `(${t.current})` : revision.yanked ? `(${t.withdrawn})` : ""}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <section>
      <h2>{t.compare}</h2>
      <div class="form">
        {pick(t.before, before)}
        {pick(t.after, after)}
        {modules.length > 0 ? (
          <fieldset>
            <legend>
              {t.after}: {t.modules}
            </legend>
            {modules.map(({ id, titles }) => (
              <label class="check" key={id}>
                <input
                  type="checkbox"
                  name={`with-${id}`}
                  checked={chosen.value.includes(id)}
                  onChange={({ currentTarget }) => (chosen.value = currentTarget.checked ? [...chosen.value, id] : chosen.value.filter((other) => other !== id))}
                />
                <Said text={inLanguage(titles, language.value) ?? id} most={100} />
              </label>
            ))}
          </fieldset>
        ) : null}
      </div>
      {loading.state === "failed" ? <Failure error={loading.error} again={again} /> : null}
      {loading.state === "done" ? (
        <div class="diff">
          <p role="status">{t.differences(loading.value.differenceCount)}</p>
          {loading.value.differences.map((one, at) => (
            <article class="diff-one" key={at}>
              <h3>
                <span class="chip">{t.topics[one.topic]}</span> <code>{clipped(one.subject.join(" · "), 200)}</code>
              </h3>
              <div class="diff-sides">
                <pre data-side="before" aria-label={t.before}>{one.before === undefined ? "—" : clipped(one.before, 4000)}</pre>
                <pre data-side="after" aria-label={t.after}>{one.after === undefined ? "—" : clipped(one.after, 4000)}</pre>
              </div>
            </article>
          ))}
        </div>
      ) : null}
    </section>
  );
}
