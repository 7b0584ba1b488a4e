/**
 * The page.
 *
 * In: the address. Out: the screen that it names, under a bar with what is needed everywhere.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import { render, type JSX } from "preact";
import { useEffect } from "preact/hooks";
import { callerOf } from "referee-client";
import "./style/base.css";
import "./style/table.css";
import { hostToken, isPlayers, keepKey, playerToken } from "./keys.ts";
import { myMatches } from "./lobby/mine.ts";
import { titleOf } from "./lobby/title.ts";
import { openMatch } from "./match/open.ts";
import { Dialog, Failure } from "./parts/controls.tsx";
import { Sign } from "./parts/icon.tsx";
import { later } from "./parts/later.tsx";
import { startListening } from "./parts/online.ts";
import { Said } from "./parts/text.tsx";
import { go, route, startRouting, to } from "./route.ts";
import { referee, withToken } from "./server.ts";
import { confirming, followOthers, language, motion, theme, type Language, type Motion, type Theme } from "./settings.ts";
import { texts, textsCame } from "./texts.ts";

// Each screen comes in a file of its own: whoever follows a link to a table does not wait for the book.
const HomeScreen = later(async () => (await import("./lobby/home.tsx")).HomeScreen);
const HostScreen = later(async () => (await import("./lobby/host.tsx")).HostScreen);
const ClaimScreen = later(async () => (await import("./lobby/claim.tsx")).ClaimScreen);
const MatchScreen = later(async () => (await import("./match/screen.tsx")).MatchScreen);
const RulesScreen = later(async () => (await import("./book/screen.tsx")).RulesScreen);
const ProofScreen = later(async () => (await import("./proof/screen.tsx")).ProofScreen);
const ReplayScreen = later(async () => (await import("./replay/screen.tsx")).ReplayScreen);

function Screen(): JSX.Element {
  const now = route.value;
  switch (now.screen) {
    case "home":
      return <HomeScreen />;
    case "host":
      return <HostScreen key={now.ruleset} ruleset={now.ruleset} />;
    case "match":
      return <MatchScreen key={`${now.match} ${now.seat}`} match={now.match} seat={now.seat} at={now.at} />;
    case "claim":
      return <ClaimScreen seat={now.seat} code={now.code} ruleset={now.ruleset} />;
    case "token":
      return <TokenScreen match={now.match} token={now.token} />;
    case "open":
      return <OpenScreen code={now.code} />;
    case "rules":
      return <RulesScreen ruleset={now.ruleset} query={now.query} />;
    case "proof":
      return <ProofScreen ruleset={now.ruleset} query={now.query} />;
    case "replay":
      return <ReplayScreen />;
    case "about":
      return (
        <main class="narrow-page">
          <h1>{texts.value.about}</h1>
          <p>{texts.value.aboutText}</p>
          <p>{texts.value.iconsBy}</p>
        </main>
      );
    case "lost":
      return (
        <main class="narrow-page">
          <p>{texts.value.lostPage}</p>
          <p><a href={to.home}>{texts.value.home}</a></p>
        </main>
      );
  }
}

/** A token that a link brought is kept, and the screen that it opens is shown. */
function TokenScreen({ match, token }: { readonly match: string; readonly token: string }): JSX.Element {
  const failed = useSignal<unknown>(undefined);
  const take = async (): Promise<void> => {
    if (callerOf(token) === "host") {
      hostToken.value = token;
      go(match === "" ? to.home : to.match(match), true);
      return;
    }
    if (isPlayers(token)) {
      playerToken.value = token;
      go(to.home, true);
      return;
    }
    const found = await withToken(token).matches.getMatch({ name: match });
    keepKey({ match, seat: 0, token, title: found.match!.ruleset });
    go(to.match(match, 0), true);
  };
  useEffect(() => void take().catch((thrown: unknown) => (failed.value = thrown)), []);
  return <main class="narrow-page">{failed.value !== undefined ? <Failure error={failed.value} /> : <p role="status">{texts.value.loading}</p>}</main>;
}

/** A code that the referee's terminal showed is exchanged for a host's token. */
function OpenScreen({ code }: { readonly code: string }): JSX.Element {
  const failed = useSignal<unknown>(undefined);
  const open = async (): Promise<void> => {
    hostToken.value = (await referee.value.server.claimHost({ code })).hostToken;
    go(to.home, true);
  };
  useEffect(() => void open().catch((thrown: unknown) => (failed.value = thrown)), []);
  return <main class="narrow-page">{failed.value !== undefined ? <Failure error={failed.value} /> : <p role="status">{texts.value.loading}</p>}</main>;
}

function Bar(): JSX.Element {
  const t = texts.value;
  const settings = useSignal(false);
  const live = openMatch.value;
  const title = live ? titleOf(live.ruleset.summary) : "";
  return (
    <header class="bar">
      <a class="brand" href={to.home}>
        <Sign name="house" /> <span>{t.home}</span>
      </a>
      {live ? (
        <span class="bar-title">
          <Said text={title} most={60} />
        </span>
      ) : null}
      <span class="bar-space" />
      {live ? (
        <a class="bar-link" href={rulesOf(live)} target="_blank" rel="noopener">
          <Sign name="book-open" /> <span>{t.readRules}</span>
        </a>
      ) : null}
      <button type="button" class="bar-link" onClick={() => (settings.value = true)} aria-haspopup="dialog">
        <Sign name="settings" /> <span>{t.settings}</span>
      </button>
      {settings.value ? <Settings close={() => (settings.value = false)} /> : null}
    </header>
  );
}

const rulesOf = ({ ruleset: { summary, configuration } }: NonNullable<typeof openMatch.value>): string =>
  to.rules(summary?.name ?? "", {
    players: String(configuration?.players ?? 0),
    ...(configuration && configuration.modules.length > 0 ? { modules: configuration.modules.join(",") } : {}),
  });

function Choices<T extends string>({ label, all, chosen, set }: { readonly label: string; readonly all: Readonly<Record<T, string>>; readonly chosen: T; readonly set: (one: T) => void }): JSX.Element {
  return (
    <fieldset>
      <legend>{label}</legend>
      <div class="options" role="radiogroup" aria-label={label}>
        {(Object.keys(all) as T[]).map((one) => (
          <button key={one} type="button" role="radio" aria-checked={chosen === one} onClick={() => set(one)}>
            {all[one]}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

function Settings({ close }: { readonly close: () => void }): JSX.Element {
  const t = texts.value;
  return (
    <Dialog title={t.settings} close={close}>
      <div class="form">
        <Choices<Language> label={t.languageName} all={{ en: "English", pl: "Polski" }} chosen={language.value} set={(one) => (language.value = one)} />
        <Choices<Theme> label={t.themeName} all={t.themes} chosen={theme.value} set={(one) => (theme.value = one)} />
        <Choices<Motion> label={t.motionName} all={t.motions} chosen={motion.value} set={(one) => (motion.value = one)} />
        <label class="check">
          <input type="checkbox" checked={confirming.value} onChange={({ currentTarget }) => (confirming.value = currentTarget.checked)} />
          {t.confirmName}
        </label>
        <p>
          <a href={to.about} onClick={close}>{t.about}</a>
        </p>
      </div>
    </Dialog>
  );
}

function Page(): JSX.Element {
  const live = openMatch.value;
  const title = live ? titleOf(live.ruleset.summary) : texts.value.title;
  // Whoever looks at another tab sees that it is their turn.
  const asked = live ? live.turn.value !== undefined : (myMatches.value.all ?? []).some(({ asked }) => asked);
  useEffect(() => {
    document.title = `${asked ? "● " : ""}${title.slice(0, 120)}`;
  }, [title, asked]);
  return (
    <>
      <Bar />
      <Screen />
    </>
  );
}

followOthers();
startRouting();
startListening();
void textsCame.then(() => render(<Page />, document.getElementById("page")!));
