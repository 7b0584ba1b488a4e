/**
 * The screen that replays the file of a record.
 *
 * In: a file of whoever looks. Out: the table with a slider, the log, the result.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { readRecord } from "referee-client";
import { History } from "../match/history.tsx";
import { Log } from "../match/log.tsx";
import { Result } from "../match/result.tsx";
import { Said, textOf } from "../parts/text.tsx";
import { referee } from "../server.ts";
import { Where } from "../match/where.tsx";
import { TableView } from "../table/table.tsx";
import { texts } from "../texts.ts";
import { RecordStage } from "./record.ts";

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export function ReplayScreen(): JSX.Element {
  const t = texts.value;
  const stage = useSignal<RecordStage | undefined>(undefined);
  const other = useSignal(false);
  const wrong = useSignal("");
  const open = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    wrong.value = "";
    try {
      const record = await readRecord(await file.text());
      const { ruleset: id, players, modules, options, digest } = record.header;
      const configuration = { players, modules: [...modules], options: Object.entries(options).map(([option, value]) => ({ option, value: BigInt(value) })) };
      const { ruleset } = await referee.value.rulesets.getRuleset({ name: `rulesets/${id}`, configuration });
      other.value = hex(ruleset!.digest) !== digest;
      stage.value = new RecordStage(record, ruleset!);
    } catch (thrown) {
      wrong.value = textOf(thrown);
    }
  };
  const shown = stage.value;
  if (!shown) {
    return (
      <main class="narrow-page">
        <h1>{t.replayFile}</h1>
        <p>{t.replayWhy}</p>
        <p>
          <label>
            <span class="sr">{t.chooseFile}</span>
            <input type="file" accept=".jsonl,.json,.txt" onChange={({ currentTarget }) => void open(currentTarget.files?.[0])} />
          </label>
        </p>
        {wrong.value !== "" ? (
          <p class="bad" role="alert">
            <Said text={t.replayWrong(wrong.value)} />
          </p>
        ) : null}
        <p class="quiet">{t.unverified}</p>
      </main>
    );
  }
  const atEnd = (shown.past.value?.eventCount ?? 0) >= shown.events.value.length;
  return (
    <main class="match">
      <h1 class="sr">{t.replayFile}</h1>
      <div class="stage">
        {other.value ? <p class="banner warn">{t.replayDigest}</p> : null}
        <Where stage={shown} />
        <TableView stage={shown} />
      </div>
      <aside class="side">
        <section class="moves">
          {atEnd && shown.outcome.value ? <Result stage={shown} outcome={shown.outcome.value} /> : <p class="quiet">{t.unverified}</p>}
        </section>
        <section class="log-box" aria-label={t.log}>
          <h2>
            {t.log} <small class="hint">{t.newestFirst}</small>
          </h2>
          <Log stage={shown} />
        </section>
      </aside>
      <History stage={shown} address={undefined} />
    </main>
  );
}
