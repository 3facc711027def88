import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { showInvisible } from "../../../../src/base/index.ts";
import type { MemoryDetail } from "../../../../src/server/console/api/index.ts";
import { ask, type Given } from "../../net/api.ts";
import { Facts } from "../../parts/facts.tsx";
import { Section } from "../../parts/section.tsx";
import { Fault } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useAct } from "../../parts/use-act.ts";
import { useOpener } from "../../parts/use-opener.ts";
import { toHref } from "../../shell/address.ts";
import { Text } from "../../text/text.tsx";
import { type Change, memoryPermissions, toChange } from "./change.ts";

type Entry = MemoryDetail["entry"];
type Told = Omit<NonNullable<Given<"POST /memory/entries/:id/facts">["body"]>, "agent" | "revision">;

const tiers = ["core", "working", "archival", "log"] as const;

/** The form's values, and the entry that they were first taken from. */
interface Draft {
  readonly from: Entry;
  readonly title: string;
  readonly category: string;
  readonly tags: string;
  readonly names: string;
  readonly tier: Entry["tier"];
  readonly permission: Entry["permission"];
  readonly pinned: boolean;
}

/** The facts of an entry beside its text, or the form that changes them. */
export function EntryFacts({ change, own }: { readonly change: Change; readonly own: boolean }): VNode {
  const { entry, agent } = change;
  const [draft, setDraft] = useState<Draft>();
  const opener = useOpener(draft !== undefined);
  const mayEdit = own && entry.deletedAt === undefined;
  if (draft !== undefined && mayEdit)
    return (
      <Section title="Facts">
        <FactsForm change={change} draft={draft} setDraft={setDraft} />
      </Section>
    );
  return (
    <Section
      title="Facts"
      aside={
        mayEdit && (
          <button ref={opener} type="button" class="quiet" onClick={() => setDraft(toDraft(entry))}>
            Change<span class="unseen"> the facts</span>
          </button>
        )
      }
    >
      <Facts facts={listFacts(entry, agent)} />
    </Section>
  );
}

function FactsForm({
  change,
  draft,
  setDraft,
}: {
  readonly change: Change;
  readonly draft: Draft;
  readonly setDraft: (draft: Draft | undefined) => void;
}): VNode {
  const { entry, reload } = change;
  const act = useAct();
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector("input")?.focus(), []);
  // Somebody else changed the entry meanwhile: saving would overwrite facts that were never shown.
  const changed = draft.from.revision !== entry.revision;
  const told = listTold(draft);
  const isSame = Object.keys(told).length === 0;
  const save = () =>
    act.run(async () => {
      try {
        await ask("POST /memory/entries/:id/facts", {
          segments: { id: entry.id },
          body: { ...toChange(change), ...told },
        });
      } finally {
        reload();
      }
      setDraft(undefined);
      return "Saved.";
    });
  const field = (name: "title" | "category" | "tags" | "names", label: string) => (
    <label>
      <span class="dim">{label}</span>
      <input
        value={draft[name]}
        autoComplete="off"
        readOnly={act.busy}
        onInput={(event) => setDraft({ ...draft, [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <form
      ref={form}
      class="facts-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!changed && !isSame) save();
      }}
    >
      {field("title", "Title")}
      {field("category", "Category")}
      {field("tags", "Tags, with commas between them")}
      {field("names", "Names that mean it, with commas between them")}
      <label>
        <span class="dim">Tier</span>
        <select
          value={draft.tier}
          onChange={({ currentTarget: { value } }) =>
            setDraft({ ...draft, tier: tiers.find((one) => one === value) ?? draft.tier })
          }
        >
          {tiers.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        <span class="dim">Agents may</span>
        <select
          value={draft.permission}
          onChange={({ currentTarget: { value } }) =>
            setDraft({
              ...draft,
              permission: memoryPermissions.find((one) => one === value) ?? draft.permission,
            })
          }
        >
          {memoryPermissions.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label class="facts-check">
        <input
          type="checkbox"
          class="check"
          checked={draft.pinned}
          onChange={(event) => setDraft({ ...draft, pinned: event.currentTarget.checked })}
        />
        Pinned: in every prompt, first
      </label>
      {act.fault !== undefined && <Fault fault={act.fault} />}
      {changed && (
        <div class="memory-conflict" role="alert">
          <p>The entry was changed while you wrote.</p>
          <div class="memory-acts">
            <button type="button" onClick={() => setDraft({ ...draft, from: entry })}>
              Go on with mine, over that
            </button>
            <button type="button" onClick={() => setDraft(toDraft(entry))}>
              Drop mine, edit that
            </button>
          </div>
        </div>
      )}
      <div class="memory-acts">
        <button type="submit" class="save" disabled={act.busy || changed || isSame}>
          {act.busy ? "Saving…" : "Save the facts"}
        </button>
        <button type="button" onClick={() => setDraft(undefined)}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function toDraft(entry: Entry): Draft {
  const { title = "", category = "", tags, names, tier, permission, pinned } = entry;
  const join = (words: readonly string[]) => words.join(", ");
  return { from: entry, title, category, tags: join(tags), names: join(names), tier, permission, pinned };
}

/** The facts that are not those of the entry. */
function listTold(draft: Draft): Told {
  const before = toDraft(draft.from);
  const split = (words: string) => [...new Set(words.split(",").map((word) => word.trim()))].filter(Boolean);
  return {
    ...(draft.title !== before.title && { title: draft.title }),
    ...(draft.category !== before.category && { category: draft.category }),
    ...(draft.tags !== before.tags && { tags: split(draft.tags) }),
    ...(draft.names !== before.names && { names: split(draft.names) }),
    ...(draft.tier !== before.tier && { tier: draft.tier }),
    ...(draft.permission !== before.permission && { permission: draft.permission }),
    ...(draft.pinned !== before.pinned && { pinned: draft.pinned }),
  };
}

function listFacts(entry: Entry, agent: string) {
  const { author } = entry;
  return [
    ["Id", <Text value={entry.id} oneLine />],
    ["Label", entry.label !== undefined && <Text value={entry.label} oneLine />],
    ["Names", entry.names.length > 0 && <Text value={entry.names.join(", ")} oneLine />],
    ["Category", entry.category !== undefined && <Text value={entry.category} oneLine />],
    ["Tags", entry.tags.length > 0 && <Text value={entry.tags.join(", ")} oneLine />],
    ["Agents may", <Text value={entry.permission} oneLine />],
    ["From", entry.trust === "untrusted" ? <span class="warning">outside</span> : "here"],
    ["By", <Text value={author.by} oneLine />],
    [
      "Call",
      author.callId !== undefined && (
        <a href={toHref(`calls/${encodeURIComponent(author.callId)}`)}>
          <Text value={author.callId} oneLine />
        </a>
      ),
    ],
    ["Said", <Time at={entry.at} seconds={false} />],
    ["Changed", <Time at={entry.changedAt} seconds={false} />],
    ["Valid from", entry.validFrom !== undefined && <Time at={entry.validFrom} seconds={false} />],
    ["Valid until", entry.validTo !== undefined && <Time at={entry.validTo} seconds={false} />],
    [
      "Told right by",
      entry.supersededBy !== undefined && (
        <a
          href={toHref(`memory/entry/${encodeURIComponent(entry.supersededBy)}`, { agent })}
          title={showInvisible(entry.supersededBy)}
        >
          a newer entry
        </a>
      ),
    ],
  ] as const;
}
