import { useSignal } from "@preact/signals";
import type { ComponentType, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Connection, connection, startLive } from "../net/live.ts";
import { session } from "../net/session.ts";
import { Fault, Loading } from "../parts/states.tsx";
import { address, decodeSegment, toHref } from "./address.ts";
import { Closed } from "./closed.tsx";
import { Help } from "./help.tsx";
import { helpOpen, startKeys } from "./keys.ts";
import { LiveRegion } from "./live-region.tsx";
import type { PageProps } from "./page-props.ts";
import { findPage, type PageEntry, pages } from "./pages.ts";
import { pendingQuestions, watchQuestions } from "./pending.ts";
import { nextTheme, setTheme, type Theme, theme } from "./theme.ts";

/** The whole console: what is around every page, and the page. */
export function App(): VNode {
  useEffect(() => startKeys(new Map(pages.map(({ key, path }) => [key, toHref(path)]))), []);
  return (
    <>
      {session.value === "open" ? <Console /> : <Closed />}
      <Help />
      <LiveRegion />
    </>
  );
}

function Console(): VNode {
  useEffect(startLive, []);
  useEffect(watchQuestions, []);
  const segments = address.value.path.split("/").map(decodeSegment);
  const page = findPage(address.value);
  const list = useRef<HTMLElement>(null);
  // On a narrow screen the list of pages is a row that scrolls.
  useEffect(
    () =>
      list.current
        ?.querySelector('[aria-current="page"]')
        ?.scrollIntoView({ block: "nearest", inline: "center" }),
    [page, pendingQuestions.value],
  );
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={skip}>
        Skip to the page
      </a>
      <header class="side">
        <a class="brand" href={toHref("")} aria-label="haft, the page Now">
          <svg viewBox="0 0 32 32" width="18" height="18" aria-hidden="true">
            <path d="M4 22h24M8 22v-4a8 8 0 0 1 16 0v4" />
          </svg>
          haft
        </a>
        <nav aria-label="Pages" ref={list}>
          {pages.map((one) => (
            <a
              key={one.path}
              href={toHref(one.path)}
              aria-current={one === page ? "page" : undefined}
              aria-keyshortcuts={`g ${one.key}`}
            >
              {one.title}
              {one.path === "questions" && <Badge count={pendingQuestions.value} />}
            </a>
          ))}
        </nav>
        <div class="side-foot">
          <Connected />
          <button
            type="button"
            class="quiet"
            aria-label={`Theme: ${theme.value}`}
            onClick={() => setTheme(nextTheme(theme.value))}
          >
            <span aria-hidden="true">{themeSigns[theme.value]}</span>
            <span class="theme-name"> {theme.value}</span>
          </button>
          <button
            type="button"
            class="quiet keys-button"
            aria-keyshortcuts="?"
            onClick={() => {
              helpOpen.value = true;
            }}
          >
            Keys <kbd>?</kbd>
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {page === undefined ? (
          <NoPage />
        ) : (
          <LoadedPage
            key={page.path}
            page={page}
            rest={segments.slice(1).filter((one) => one !== undefined)}
            query={address.value.query}
          />
        )}
      </main>
    </div>
  );
}

/** The fragment is not for this: it is where a link's code would be. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Badge({ count }: { readonly count: number }): VNode | null {
  if (count === 0) return null;
  return (
    <span class="badge">
      {count > 99 ? "99+" : count}
      <span class="unseen"> waiting</span>
    </span>
  );
}

const themeSigns: Readonly<Record<Theme, string>> = { system: "◐", light: "○", dark: "●" };

const connectionWords: Readonly<Record<Connection, string>> = {
  connecting: "Connecting",
  live: "Live",
  paused: "Paused",
  offline: "Offline",
};

function Connected(): VNode {
  const state = connection.value;
  return (
    <p class="connection" data-state={state} role="status">
      {connectionWords[state]}
    </p>
  );
}

/** The part of a page that is loaded when it is first seen. */
function LoadedPage({ page, ...props }: PageProps & { readonly page: PageEntry }): VNode {
  const Loaded = useSignal<ComponentType<PageProps> | undefined>(undefined);
  const failed = useSignal(false);
  const load = () => {
    failed.value = false;
    page.load().then(
      (module) => {
        Loaded.value = module.default;
      },
      () => {
        failed.value = true;
      },
    );
  };
  useEffect(load, [page]);
  if (failed.value)
    return (
      <Fault
        fault={{
          error: "Cannot load this page: haft has stopped, or was updated. Load the tab again.",
          code: "CONSOLE_OFFLINE",
        }}
        retry={() => location.reload()}
      />
    );
  return Loaded.value === undefined ? <Loading /> : <Loaded.value {...props} />;
}

function NoPage(): VNode {
  return (
    <div class="page">
      <h1>No such page</h1>
      <p>
        The console has no page at this address. Go to <a href={toHref("")}>Now</a> or{" "}
        <a href={toHref("calls")}>Calls</a>.
      </p>
    </div>
  );
}
