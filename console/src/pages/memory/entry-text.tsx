import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ask } from "../../net/api.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Section } from "../../parts/section.tsx";
import { Fault } from "../../parts/states.tsx";
import { useAct } from "../../parts/use-act.ts";
import { useOpener } from "../../parts/use-opener.ts";
import { LongText } from "../../text/text.tsx";
import { type Change, toChange } from "./change.ts";

/** A text that is written, and the revision that it was begun from. */
interface Draft {
  readonly text: string;
  readonly revision: number;
}

/** The text of an entry, or the editor for it. */
export function EntryText({ change }: { readonly change: Change }): VNode {
  const { entry } = change;
  const [draft, setDraft] = useState<Draft>();
  const opener = useOpener(draft !== undefined);
  if (draft !== undefined && entry.deletedAt === undefined)
    return (
      <Section title="Text">
        <Editor change={change} draft={draft} setDraft={setDraft} />
      </Section>
    );
  return (
    <Section
      title="Text"
      aside={
        <span class="memory-acts">
          <CopyButton text={entry.text} label="the text" />
          {entry.deletedAt === undefined && (
            <button
              ref={opener}
              type="button"
              class="quiet"
              onClick={() => setDraft({ text: entry.text, revision: entry.revision })}
            >
              Edit
            </button>
          )}
        </span>
      }
    >
      <LongText value={entry.text} label="The text" />
    </Section>
  );
}

function Editor({
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
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  // Somebody else changed the entry meanwhile: saving would overwrite a text that was never shown.
  const changed = draft.revision !== entry.revision;
  const save = () =>
    act.run(async () => {
      try {
        await ask("POST /memory/entries/:id/edit", {
          segments: { id: entry.id },
          body: { ...toChange(change), revision: draft.revision, text: draft.text },
        });
      } finally {
        reload();
      }
      setDraft(undefined);
      return "Saved.";
    });
  return (
    <form
      class="memory-editor"
      onSubmit={(event) => {
        event.preventDefault();
        if (!changed && draft.text !== "") save();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      }}
    >
      <textarea
        ref={field}
        aria-label="The text of the entry"
        value={draft.text}
        rows={Math.min(24, Math.max(6, draft.text.split("\n").length + 2))}
        spellcheck={false}
        readOnly={act.busy}
        onInput={(event) => setDraft({ ...draft, text: event.currentTarget.value })}
      />
      {act.fault !== undefined && <Fault fault={act.fault} />}
      {changed && (
        <div class="memory-conflict" role="alert">
          <p>The entry was changed while you wrote. Now it says:</p>
          <LongText value={entry.text} label="The text as it is now" />
          <div class="memory-acts">
            <button type="button" onClick={() => setDraft({ ...draft, revision: entry.revision })}>
              Go on with mine, over that
            </button>
            <button type="button" onClick={() => setDraft({ text: entry.text, revision: entry.revision })}>
              Drop mine, edit that
            </button>
          </div>
        </div>
      )}
      <div class="memory-acts">
        <button
          type="submit"
          class="save"
          disabled={act.busy || changed || draft.text === "" || draft.text === entry.text}
        >
          {act.busy ? "Saving…" : "Save"}
        </button>
        <button type="button" onClick={() => setDraft(undefined)}>
          Cancel
        </button>
        <span class="dim">What it says now is kept in its history.</span>
      </div>
    </form>
  );
}
