import type { VNode } from "preact";
import type { ContentBlock } from "../../../../src/kernel/index.ts";
import { Arguments } from "../../parts/arguments.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { Section } from "../../parts/section.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { Fault } from "../../parts/states.tsx";
import { toHref } from "../../shell/address.ts";
import { formatCount, formatMs } from "../../text/format.ts";
import { LongText, Text } from "../../text/text.tsx";
import type { Result } from "./tool-types.ts";

/** What came of a call, by its type: text, an object by its keys, pictures; or the error with its code. */
export function ResultView({ result }: { readonly result: Result }): VNode {
  const { callId, durationMs, notes, text, artifact, success } = result;
  return (
    <Section title="What came of it" aside={<CopyButton text={text} label="the result" />}>
      <p class="result-head">
        <StateMark state={success ? "completed" : "failed"} />
        <span class="dim">{formatMs(durationMs)}</span>
        <a href={toHref(`calls/${encodeURIComponent(callId)}`)}>The call in the ledger</a>
        {result.trust === "untrusted" && <span class="warning">somebody outside could have written it</span>}
      </p>
      {notes.map((note) => (
        <p key={note} class="dim">
          <Text value={note} />
        </p>
      ))}
      {result.success ? (
        <Value value={result.result} content={result.content} />
      ) : (
        <>
          <Fault fault={result} />
          {result.stillRunning === true && <p class="warning">It did not stop when it was told to.</p>}
          {result.partial !== undefined && (
            <LongText value={result.partial} label="What it put out" colours />
          )}
        </>
      )}
      {artifact !== undefined && (
        <p class="dim">
          All of it is {formatCount(artifact.chars)} characters:{" "}
          <code>
            <Text value={artifact.id} />
          </code>
        </p>
      )}
    </Section>
  );
}

function Value({
  value,
  content,
}: {
  readonly value: unknown;
  readonly content: readonly ContentBlock[] | undefined;
}): VNode {
  if (content !== undefined && content.length > 0)
    return (
      <>
        {content.map((block, at) => (
          <Block key={at} block={block} />
        ))}
      </>
    );
  if (typeof value === "string") return <LongText value={value} label="The result" colours />;
  if (value === undefined || value === null) return <p class="dim">It answered nothing.</p>;
  if (typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0)
    return <Arguments params={value} />;
  return <LongText value={JSON.stringify(value, null, 2) ?? ""} label="The result" />;
}

/** Pictures that a browser shows and that can hold no code. */
const pictures: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

function Block({ block }: { readonly block: ContentBlock }): VNode {
  if (block.type === "text") return <LongText value={block.text} label="The result" colours />;
  if (block.type === "image" && pictures.has(block.mimeType))
    return (
      <img
        class="result-picture"
        src={`data:${block.mimeType};base64,${block.data}`}
        alt="A picture of the tool's"
      />
    );
  return <LongText value={JSON.stringify(block, null, 2)} label={`The result: ${block.type}`} />;
}
