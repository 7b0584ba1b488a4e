/**
 * The rulebook of a ruleset in one configuration.
 *
 * In: a ruleset, and in the query its players, modules, revision and the clause that is wanted. Out: sections with their clauses,
 * searched while one types; components with their figures; the whole book as a file.
 *
 * @module
 */
import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Names, inLanguage } from "referee-client";
import { ArtifactKind, NameKind, type Clause, type Ruleset, type Table } from "referee-client/v1";
import { titleOf } from "../lobby/title.ts";
import { Failure, useLoading } from "../parts/controls.tsx";
import { Sign } from "../parts/icon.tsx";
import { saveFile } from "../parts/save.ts";
import { Said, clipped } from "../parts/text.tsx";
import { referee } from "../server.ts";
import { language } from "../settings.ts";
import { texts } from "../texts.ts";

/**
 * A configuration of these modules, for so many players; 0 are as few as the ruleset allows. Nothing at all is the base game, which
 * the referee knows by itself.
 */
export async function configured(ruleset: string, players: number, modules: readonly string[]): Promise<{ configuration: { players: number; modules: string[] } } | Record<never, never>> {
  if (players > 0) return { configuration: { players, modules: [...modules] } };
  if (modules.length === 0) return {};
  const { ruleset: base } = await referee.value.rulesets.getRuleset({ name: ruleset });
  return { configuration: { players: base?.summary?.minPlayers ?? 1, modules: [...modules] } };
}

/** What the query says of the configuration. */
export function configurationOf(ruleset: string, query: URLSearchParams): ReturnType<typeof configured> {
  const players = Number(query.get("players") ?? "0");
  return configured(ruleset, Number.isInteger(players) && players > 0 && players < 100 ? players : 0, (query.get("modules") ?? "").split(",").filter((id) => id !== ""));
}

/** The ruleset, or the revision, that is meant; a revision of another ruleset is not. */
export function nameOf(ruleset: string, query: URLSearchParams): string {
  const revision = query.get("revision") ?? "";
  return revision.startsWith(`rulesets/${ruleset}/`) ? revision : `rulesets/${ruleset}`;
}

export function RulesScreen({ ruleset: id, query }: { readonly ruleset: string; readonly query: URLSearchParams }): JSX.Element {
  const t = texts.value;
  const { loading, again } = useLoading(async () => {
    const name = nameOf(id, query);
    const { ruleset } = await referee.value.rulesets.getRuleset({ name, ...(await configurationOf(name, query)) });
    return ruleset!;
  }, [id, query.toString()]);
  if (loading.state === "loading") return <main class="narrow-page"><p role="status">{t.loading}</p></main>;
  if (loading.state === "failed") return <main class="narrow-page"><Failure error={loading.error} again={again} /></main>;
  return <Book ruleset={loading.value} open={query.get("clause") ?? ""} query={query} />;
}

const anchor = (kind: string, id: string): string => `${kind}-${id}`;

function Book({ ruleset, open, query }: { readonly ruleset: Ruleset; readonly open: string; readonly query: URLSearchParams }): JSX.Element {
  const t = texts.value;
  const names = useComputed(() => Names.ofRuleset(ruleset, { language: language.value })).value;
  const search = useSignal("");
  const failed = useSignal<unknown>(undefined);
  const text = (clause: Clause): string => inLanguage(clause.text, language.value) ?? clause.id;
  useEffect(() => {
    document.getElementById(anchor("clause", open))?.scrollIntoView({ block: "center" });
  }, [open, ruleset]);
  const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const found = ruleset.clauses.filter((clause) => words.every((word) => text(clause).toLowerCase().includes(word) || clause.id.includes(word)));
  const sections = ruleset.sections.map((section) => ({ section, clauses: found.filter((clause) => clause.section === section.id) })).filter(({ clauses }) => clauses.length > 0);
  const jump = (event: Event, id: string): void => {
    event.preventDefault();
    document.getElementById(id)?.scrollIntoView();
    document.getElementById(id)?.focus({ preventScroll: true });
  };
  const save = async (): Promise<void> => {
    try {
      const parts: BlobPart[] = [];
      const name = nameOf(ruleset.summary!.name.slice("rulesets/".length), query);
      const asked = { name, ...(await configurationOf(name, query)), kind: ArtifactKind.BOOK_HTML };
      for await (const { data } of referee.value.rulesets.getArtifact(asked)) parts.push(data as BlobPart);
      saveFile(new Blob(parts, { type: "text/html" }), `${ruleset.summary!.name.replace(/\W+/g, "-")}.html`);
    } catch (thrown) {
      failed.value = thrown;
    }
  };
  return (
    <main class="book">
      <nav class="book-side" aria-label={t.contents}>
        <input type="search" placeholder={t.searchRules} aria-label={t.searchRules} value={search.value} onInput={({ currentTarget }) => (search.value = currentTarget.value)} />
        {words.length > 0 ? <p role="status">{t.found(found.length)}</p> : null}
        <ol>
          {sections.map(({ section }) => (
            <li key={section.id}>
              <a href={anchor("#section", section.id)} onClick={(event) => jump(event, anchor("section", section.id))}>
                <Said text={inLanguage(section.titles, language.value) ?? section.id} most={100} />
              </a>
            </li>
          ))}
          <li>
            <a href="#components" onClick={(event) => jump(event, "components")}>{t.components}</a>
          </li>
        </ol>
        <p>
          <button type="button" onClick={() => void save()}>
            <Sign name="download" /> {t.wholeBook}
          </button>
        </p>
        <p class="quiet">{t.wholeBookWhy}</p>
        {failed.value !== undefined ? <Failure error={failed.value} /> : null}
      </nav>
      <div class="book-body">
        <p class="quiet">{t.rulebook}</p>
        <h1>
          <Said text={titleOf(ruleset.summary)} most={100} />
        </h1>
        {found.length === 0 ? <p>{t.noClause}</p> : null}
        {sections.map(({ section, clauses }) => (
          <section key={section.id} id={anchor("section", section.id)} tabIndex={-1}>
            <h2>
              <Said text={inLanguage(section.titles, language.value) ?? section.id} most={200} />
            </h2>
            {clauses.map((clause) => (
              <div class="book-clause" title={clipped(clause.id, 80)} key={clause.id} id={anchor("clause", clause.id)} data-open={clause.id === open || undefined}>
                <span class="clause-number">{names.clauseStanding(clause.id)?.number}</span>
                <span>
                  {(t.kinds[clause.kind] ?? "") !== "" ? <span class="chip">{t.kinds[clause.kind]}</span> : null} <Marked text={clipped(text(clause), 4000)} words={words} />
                </span>
              </div>
            ))}
          </section>
        ))}
        <section id="components" tabIndex={-1}>
          <h2>{t.components}</h2>
          {ruleset.tables.map((table) => (
            <Component key={table.id} table={table} names={names} />
          ))}
        </section>
      </div>
    </main>
  );
}

/** A text with the words that were searched for. */
function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }): JSX.Element {
  const lower = text.toLowerCase();
  // Texts whose lower case has another length are not marked.
  const at = words.length === 0 || lower.length !== text.length ? -1 : Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0), Infinity);
  if (at < 0 || !Number.isFinite(at)) return <bdi>{text}</bdi>;
  const word = words.find((word) => lower.startsWith(word, at))!;
  return (
    <bdi>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + word.length)}</mark>
      {text.slice(at + word.length)}
    </bdi>
  );
}

function Component({ table, names }: { readonly table: Table; readonly names: Names }): JSX.Element | null {
  const rows = table.rows.filter(({ inPlay }) => inPlay);
  if (rows.length === 0) return null;
  return (
    <details open={rows.length <= 30 && table.columns.length > 0}>
      <summary>
        <b>
          <Said text={names.of(NameKind.TABLE, table.id)} most={80} />
        </b>{" "}
        ({rows.length})
      </summary>
      <div class="component-table" tabIndex={0} role="group" aria-label={clipped(names.of(NameKind.TABLE, table.id), 80)}>
        <table>
          <thead>
            <tr>
              <th scope="col">{names.of(NameKind.TABLE, table.id)}</th>
              {table.columns.map((column) => (
                <th key={column.id} scope="col">
                  <Said text={names.of(NameKind.COLUMN, column.id, table.id)} most={60} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, 400).map((row) => (
              <tr key={row.id}>
                <th scope="row">
                  <Said text={names.row({ table: table.id, row: row.id })} most={100} />
                </th>
                {table.columns.map((column, at) => {
                  const value = row.cells[at];
                  return <td key={column.id}>{value && value.kind.case !== undefined && value.kind.case !== "none" ? <Said text={names.value(value)} most={100} /> : ""}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
