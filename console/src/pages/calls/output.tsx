import type { VNode } from "preact";
import { shellWord } from "../../../../src/base/index.ts";
import { type AnswerTo, saveFile } from "../../net/api.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Fault, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useAct } from "../../parts/use-act.ts";
import { toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import { formatCount } from "../../text/format.ts";
import { LongText } from "../../text/text.tsx";

type Output = AnswerTo<"GET /calls/:id/output">;

/** The whole output of a call, a part at a time. */
export function OutputPage({ id, query }: { readonly id: string; readonly query: URLSearchParams }): VNode {
  const offset = query.get("offset");
  const { answer, fault, reload } = useAnswer("GET /calls/:id/output", {
    segments: { id },
    query: offset === null ? {} : { offset },
  });
  return (
    <Page
      title="The whole output"
      command={answer?.command ?? `haft audit ${shellWord(id)}`}
      class="output-page"
      head={
        <a href={toHref(`calls/${encodeURIComponent(id)}`)} class="to-all">
          The call
        </a>
      }
    >
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? fault === undefined && <Loading /> : <Part id={id} output={answer} />}
    </Page>
  );
}

function Part({ id, output }: { readonly id: string; readonly output: Output }): VNode {
  const { text, offset, totalChars, before, after, bytes, createdAt, trust } = output;
  const act = useAct();
  const to = (at: number) => toHref(`calls/${encodeURIComponent(id)}/output`, { offset: String(at) });
  const last = Math.max(0, totalChars - text.length);
  const where = `characters ${formatCount(offset + 1)} to ${formatCount(offset + text.length)}`;
  return (
    <>
      <p class="dim">
        {formatCount(bytes)} bytes, kept <Time at={createdAt} />
        {trust === "untrusted" && (
          <>
            , <span class="warning">from outside</span>
          </>
        )}
      </p>
      <div class="actions">
        <CopyButton text={text} label={where} show="Copy this part" />
        <button
          type="button"
          disabled={act.busy}
          onClick={() =>
            act.run(async () => {
              const name = await saveFile("GET /calls/:id/output/file", { segments: { id } });
              return `Saved as ${name}.`;
            })
          }
        >
          {act.busy ? "Saving…" : "Save all of it"}
        </button>
      </div>
      <Outcome act={act} />
      <nav class="output-parts" aria-label="Parts of the output">
        <span>
          {where[0]?.toUpperCase()}
          {where.slice(1)} of {formatCount(totalChars)}
        </span>
        {before !== undefined && <a href={to(0)}>First</a>}
        {before !== undefined && <a href={to(before)}>Before</a>}
        {after !== undefined && <a href={to(after)}>After</a>}
        {after !== undefined && <a href={to(last)}>Last</a>}
      </nav>
      <LongText key={offset} value={text} label={`The output, ${where}`} colours />
    </>
  );
}
