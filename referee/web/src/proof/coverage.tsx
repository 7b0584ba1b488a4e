/**
 * What proves a ruleset.
 *
 * In: a ruleset in one configuration. Out: how many of its clauses are proven, touched, or not seen at all, and of each what is
 * missing, the worst first.
 *
 * @module
 */
import type { JSX } from "preact";
import { ArtifactKind } from "referee-client/v1";
import { configurationOf } from "../book/screen.tsx";
import { Failure, useLoading } from "../parts/controls.tsx";
import { clipped } from "../parts/text.tsx";
import { to } from "../route.ts";
import { referee } from "../server.ts";
import { language } from "../settings.ts";
import { texts } from "../texts.ts";
import { words } from "./words.ts";

/** A clause, as far as it is shown. */
interface Clause {
  readonly id: string;
  /** None of a clause that nobody has to enforce. */
  readonly standing: Standing | null;
  /** Why it is not touched. */
  readonly gaps: readonly string[];
  /** Why it is not proven, if it is touched. */
  readonly missing: readonly ("refusal" | { readonly survive: number } | { readonly proof: string | null })[];
}

interface Covered {
  readonly scenarios_passed: number;
  readonly scenarios_failed: number;
  readonly clauses: readonly Clause[];
}

const STANDINGS = ["gap", "touched", "proven"] as const;
type Standing = (typeof STANDINGS)[number];

/** More clauses than these of one standing are no list that anybody reads. */
const MOST_CLAUSES = 500;

export function Coverage({ name, query }: { readonly name: string; readonly query: URLSearchParams }): JSX.Element {
  const t = words.value;
  const { loading, again } = useLoading(async () => {
    const parts: BlobPart[] = [];
    for await (const { data } of referee.value.rulesets.getArtifact({ name, ...(await configurationOf(name, query)), kind: ArtifactKind.COVERAGE })) parts.push(data as BlobPart);
    return JSON.parse(await new Blob(parts).text()) as Covered;
  }, [name, query.toString(), language.value]);
  return (
    <section>
      <h2>{t.coverage}</h2>
      <p class="quiet">{t.coverageWhy}</p>
      {loading.state === "loading" ? <p role="status">{texts.value.loading}</p> : null}
      {loading.state === "failed" ? <Failure error={loading.error} again={again} /> : null}
      {loading.state === "done" ? <Clauses name={name} covered={loading.value} query={query} /> : null}
    </section>
  );
}

function Clauses({ name, covered, query }: { readonly name: string; readonly covered: Covered; readonly query: URLSearchParams }): JSX.Element {
  const t = words.value;
  return (
    <div class="coverage">
      <p role="status">{t.scenariosRan(covered.scenarios_passed, covered.scenarios_failed)}</p>
      {STANDINGS.map((standing) => {
        const clauses = covered.clauses.filter((clause) => clause.standing === standing);
        return (
          <details key={standing} data-standing={standing} open={standing === "gap" && clauses.length > 0}>
            <summary>{`${t.standings[standing]}: ${clauses.length}`}</summary>
            <ul>
              {clauses.slice(0, MOST_CLAUSES).map((clause) => (
                <li key={clause.id}>
                  <a href={to.rules(name, { ...Object.fromEntries([...query].filter(([key]) => key === "players" || key === "modules")), clause: clause.id })}>{clipped(clause.id, 120)}</a>
                  {lacking(clause).map((word) => (
                    <span class="chip" key={word}>{word}</span>
                  ))}
                </li>
              ))}
            </ul>
          </details>
        );
      })}
    </div>
  );
}

/** What is missing, in words. */
function lacking({ gaps, missing }: Clause): readonly string[] {
  const t = words.value;
  const word = (one: Clause["missing"][number]): string => (typeof one === "string" ? (t.lacking[one] ?? one) : "survive" in one ? t.surviving(one.survive) : t.lacking["proof"]!);
  return [...new Set([...gaps.map((gap) => t.lacking[gap] ?? gap), ...missing.map(word)])];
}
