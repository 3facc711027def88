import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { formatBytes, showInvisible } from "../../../../src/base/index.ts";
import { Text } from "../../text/text.tsx";
import type { Attachments } from "./use-attachments.ts";

/** Opens the browser's choice of files. */
export function AttachButton({ attached }: { readonly attached: Attachments }): VNode {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        title="Or paste them into the message, or drop them on the page"
        onClick={() => chooser.current?.click()}
      >
        Attach files
      </button>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          attached.add(event.currentTarget.files ?? []);
          // The same file can be chosen again once it was taken off.
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}

/** The files that are sent with the message, each with a way to take it off. */
export function AttachedList({ attached }: { readonly attached: Attachments }): VNode | null {
  const { files, refusal, remove } = attached;
  if (files.length === 0 && refusal === "") return null;
  return (
    <div class="attached">
      {files.length > 0 && (
        <>
          <ul aria-label="Attached files">
            {files.map((file, at) => (
              <li key={`${at} ${file.name}`}>
                <Text value={file.name} oneLine />
                <span class="dim">{formatBytes(file.size)}</span>
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Take off ${showInvisible(file.name)}`}
                  onClick={() => remove(file)}
                >
                  ×
                </button>
              </li>
            ))}
          </ul>
          <p class="dim">What files say counts as data from outside.</p>
        </>
      )}
      {refusal !== "" && (
        <p class="warning" role="alert">
          <Text value={refusal} />
        </p>
      )}
    </div>
  );
}
