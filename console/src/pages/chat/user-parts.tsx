import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { formatBytes } from "../../../../src/base/index.ts";
import { LongText, Text } from "../../text/text.tsx";
import type { EntryOf } from "./types.ts";
import { Words } from "./words.tsx";

type Part = EntryOf<"user">["parts"][number];
type Picture = Extract<Part, { readonly type: "image" }>;

/** A file as it stands in a message: `formatAttached()` of the server writes it so. */
const attachedFile = /^<file path="([^"\n]*)"(?: \/>|>\n([^]*)\n<\/file>)$/;

/** What a message says, with the texts and pictures of the files that were sent with it. */
export function UserParts({ parts }: { readonly parts: readonly Part[] }): VNode {
  return (
    <>
      {parts.map((part, at) => {
        if (part.type === "image") return <SentPicture key={at} picture={part} />;
        const [, name, text] = attachedFile.exec(part.text) ?? [];
        if (name === undefined) return <Words key={at} text={part.text} label="What you said" />;
        return <SentFile key={at} name={name} text={text} />;
      })}
    </>
  );
}

/** What a message says, in a line. */
export function describeParts(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (part.type === "image") return "a picture";
      const name = attachedFile.exec(part.text)?.[1];
      return name === undefined ? part.text : `the file ${name}`;
    })
    .join(" ");
}

function SentFile({
  name,
  text,
}: {
  readonly name: string;
  /** Undefined: the message has its name alone. */
  readonly text: string | undefined;
}): VNode {
  if (text === undefined)
    return (
      <p class="dim">
        File <Text value={name} oneLine />
      </p>
    );
  return (
    <details class="sent-file">
      <summary>
        File <Text value={name} oneLine />
      </summary>
      <LongText value={text} label="The text of the file" />
    </details>
  );
}

/** Pictures that a browser shows and that can hold no code. */
const shownTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** A picture, in words until somebody wants to see it. */
function SentPicture({ picture: { mimeType, data } }: { readonly picture: Picture }): VNode {
  const [isShown, setShown] = useState(false);
  return (
    <div class="sent-picture">
      <p class="dim">
        A picture (<Text value={mimeType} oneLine />, {formatBytes(Math.floor((data.length * 3) / 4))}){" "}
        {shownTypes.has(mimeType) && (
          <button type="button" class="quiet" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? "Hide" : "Show"}
            <span class="unseen"> the picture</span>
          </button>
        )}
      </p>
      {isShown && <img src={`data:${mimeType};base64,${data}`} alt="What was sent with the message" />}
    </div>
  );
}
