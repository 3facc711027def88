import type { VNode } from "preact";
import { shellWord } from "../../../../src/base/index.ts";
import type { MemoryDetail } from "../../../../src/server/console/api/index.ts";
import { ask } from "../../net/api.ts";
import { tellChange, useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { GuardedButton } from "../../parts/guarded-button.tsx";
import { Section } from "../../parts/section.tsx";
import { Fault, Loading } from "../../parts/states.tsx";
import { useAct } from "../../parts/use-act.ts";
import { toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import { type Change, toChange } from "./change.ts";
import { EntryFacts } from "./entry-facts.tsx";
import { EntryMarks } from "./entry-list.tsx";
import { EntryText } from "./entry-text.tsx";
import { History } from "./history.tsx";
import { Sharing } from "./sharing.tsx";

/** One entry: its text, how it came to be what it is, and what can be done with it. */
export function EntryPage({ id, agent }: { readonly id: string; readonly agent: string }): VNode {
  const { answer, fault, reload } = useAnswer("GET /memory/entries/:id", {
    segments: { id },
    query: agent === "" ? {} : { agent },
  });
  useLiveReload(["memory"], reload, 300);
  const entry = answer?.entry;
  const name = entry?.title ?? entry?.label ?? (entry === undefined ? "Memory" : `A ${entry.kind}`);
  const command = answer?.command ?? `haft memory show ${shellWord(id)}`;
  return (
    <Page
      title={name}
      command={agent === "" ? command : `${command} --agent ${shellWord(agent)}`}
      class="memory-page"
      head={
        <>
          {entry !== undefined && (
            <p class="memory-facts dim">
              <EntryMarks entry={entry} />
            </p>
          )}
          <a href={toHref("memory", { agent })}>All entries</a>
        </>
      }
    >
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? (
        fault === undefined && <Loading />
      ) : (
        <Detail detail={answer} agent={agent} reload={reload} />
      )}
    </Page>
  );
}

function Detail({
  detail,
  agent,
  reload,
}: {
  readonly detail: MemoryDetail;
  readonly agent: string;
  readonly reload: () => void;
}): VNode {
  const { entry, own, history, shares } = detail;
  const change: Change = {
    entry,
    agent,
    reload: () => {
      reload();
      tellChange({ kind: "memory", id: entry.id });
    },
  };
  return (
    <div class="memory-columns">
      <div class="memory-main">
        <EntryText change={change} />
        {history.length > 0 && (
          <Section title="History">
            <History versions={history} />
          </Section>
        )}
      </div>
      <aside class="memory-side" aria-label="About the entry">
        <Actions change={change} own={own} />
        <EntryFacts change={change} own={own} />
        {own && entry.deletedAt === undefined && <Sharing change={change} shares={shares} />}
        {!own && (
          <p class="dim">
            Another scope shared this entry: what is done with it beside its text is that scope's to decide.
          </p>
        )}
      </aside>
    </div>
  );
}

/** Taking changes back and making them again; putting the entry away. */
function Actions({ change, own }: { readonly change: Change; readonly own: boolean }): VNode | null {
  const act = useAct();
  if (!own) return null;
  const { entry, reload } = change;
  const isDeleted = entry.deletedAt !== undefined;
  const run = (what: "undo" | "redo" | "delete" | "restore", done: string) =>
    act.run(async () => {
      try {
        await ask(`POST /memory/entries/:id/${what}`, {
          segments: { id: entry.id },
          body: toChange(change),
        });
      } finally {
        // After a conflict, too: the page shows what there is now.
        reload();
      }
      return done;
    });
  return (
    <Section title="Actions">
      <div class="memory-acts">
        <GuardedButton
          disabled={act.busy || isDeleted || entry.undoDepth === 0}
          act={() => run("undo", "The last change is taken back.")}
        >
          Undo
        </GuardedButton>
        <GuardedButton
          disabled={act.busy || isDeleted || entry.redoDepth === 0}
          act={() => run("redo", "The change is made again.")}
        >
          Redo
        </GuardedButton>
        {isDeleted ? (
          <GuardedButton disabled={act.busy} act={() => run("restore", "The entry is restored.")}>
            Restore
          </GuardedButton>
        ) : (
          <GuardedButton
            disabled={act.busy}
            act={() => run("delete", "The entry is put away; it can be restored.")}
          >
            Delete
          </GuardedButton>
        )}
      </div>
      {act.done !== undefined && <p class="done">{act.done}</p>}
      {act.fault !== undefined && <Fault fault={act.fault} />}
      <Confirm
        key={entry.revision}
        label="Erase for good"
        name="this entry"
        question="Erase the entry and its whole history? Nothing brings it back."
        yes="Erase it for good"
        act={async () => {
          await ask("POST /memory/entries/:id/erase", {
            segments: { id: entry.id },
            body: toChange(change),
          });
          tellChange({ kind: "memory", id: entry.id });
          return "The entry and its history are erased.";
        }}
        onFault={({ code }) => {
          if (code === "CONSOLE_CHANGED") reload();
        }}
      />
    </Section>
  );
}
