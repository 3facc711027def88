import "../parts/tables.css";
import "./markdown.css";
import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import { CopyButton } from "../parts/copy.tsx";
import { type Block, type Inline, readMarkdown } from "./read-markdown.ts";
import { Text } from "./text.tsx";

/** Shows foreign Markdown as nodes of its parts. Nothing is loaded for it, and each link says where it leads. */
export function Markdown({ text }: { readonly text: string }): VNode {
  const blocks = useMemo(() => readMarkdown(text), [text]);
  return (
    <div class="markdown">
      <Blocks blocks={blocks} />
    </div>
  );
}

/** Whether rendering a text as Markdown changes how it looks. */
export function hasMarks(text: string): boolean {
  return readMarkdown(text).some(
    (block) => block.kind !== "paragraph" || block.parts.some(({ kind }) => kind !== "text"),
  );
}

function Blocks({ blocks }: { readonly blocks: readonly Block[] }): VNode {
  return (
    <>
      {blocks.map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
    </>
  );
}

function BlockView({ block }: { readonly block: Block }): VNode {
  switch (block.kind) {
    case "paragraph":
      return (
        <p>
          <Inlines parts={block.parts} />
        </p>
      );
    case "heading":
      // The page has its own headings: every heading of an answer has the level below them.
      return (
        <h2>
          <Inlines parts={block.parts} />
        </h2>
      );
    case "rule":
      return <hr />;
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case "code":
      return (
        <div class="markdown-code">
          <pre tabIndex={0} role="region" aria-label="Code">
            <Text value={block.text} />
          </pre>
          <CopyButton text={block.text} label="the code" />
        </div>
      );
    case "list": {
      const items = block.items.map((item, at) => (
        <li key={at}>
          <Blocks blocks={item} />
        </li>
      ));
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case "table":
      return (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, at) => (
                  <th key={at} scope="col">
                    <Inlines parts={cell} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column}>
                      <Inlines parts={cell} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    default:
      return block satisfies never;
  }
}

function Inlines({ parts }: { readonly parts: readonly Inline[] }): VNode {
  return (
    <>
      {parts.map((part, at) => (
        <InlineView key={at} part={part} />
      ))}
    </>
  );
}

function InlineView({ part }: { readonly part: Inline }): VNode {
  switch (part.kind) {
    case "text":
      return <Text value={part.text} />;
    case "code":
      return (
        <code>
          <Text value={part.text} />
        </code>
      );
    case "strong":
      return (
        <strong>
          <Inlines parts={part.parts} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Inlines parts={part.parts} />
        </em>
      );
    case "del":
      return (
        <del>
          <Inlines parts={part.parts} />
        </del>
      );
    case "link":
      return (
        <Link href={part.href} written={`[${part.text}](${part.href})`}>
          <Text value={part.text === "" ? part.href : part.text} />
        </Link>
      );
    case "picture":
      return (
        <Link href={part.href} written={`![${part.text}](${part.href})`}>
          A picture that is not loaded{part.text !== "" && ": "}
          <Text value={part.text} />
        </Link>
      );
    default:
      return part satisfies never;
  }
}

/** A link into the web, with its host beside it; any other address stays as it was written. */
function Link({
  href,
  written,
  children,
}: {
  readonly href: string;
  readonly written: string;
  readonly children: ComponentChildren;
}): VNode {
  const url = URL.parse(href);
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return <Text value={written} />;
  return (
    <>
      <a href={url.href} title={url.href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>{" "}
      <span class="dim markdown-host">
        (<Text value={url.host} oneLine />)
      </span>
    </>
  );
}
