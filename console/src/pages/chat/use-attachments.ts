import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatBytes, getErrorMessage } from "../../../../src/base/index.ts";
import type { Given } from "../../net/api.ts";
import { mostFileBytes, mostFiles } from "./attachment-bounds.ts";

type SaidBody = Pick<NonNullable<Given<"POST /chat/send">["body"]>, "text" | "files">;

/** Files that are to be sent with a message. */
export interface Attachments {
  readonly files: readonly File[];
  /** Why some were not taken. Empty: all were. */
  readonly refusal: string;
  /** Whether files are being dragged over the page. */
  readonly isOver: boolean;
  readonly add: (files: Iterable<File>) => void;
  readonly remove: (file: File) => void;
  readonly clear: () => void;
}

/** Keeps the files of a message that is being written. Files that are dropped anywhere on the page are among them. */
export function useAttachments(): Attachments {
  const [state, setState] = useState<Pick<Attachments, "files" | "refusal">>({ files: [], refusal: "" });
  const [isOver, setOver] = useState(false);
  const add = (more: Iterable<File>) => setState(({ files }) => takeFiles(files, [...more]));
  const latest = useRef(add);
  latest.current = add;
  // Without this, the browser opens a file that is dropped beside the field in place of the console.
  useLayoutEffect(() => {
    const over = new AbortController();
    const { signal } = over;
    const listen = (name: "dragover" | "dragleave" | "drop", act: (files: DataTransfer) => void) =>
      document.addEventListener(
        name,
        (event) => {
          const { dataTransfer } = event;
          if (dataTransfer === null || !dataTransfer.types.includes("Files")) return;
          event.preventDefault();
          act(dataTransfer);
        },
        { signal },
      );
    listen("dragover", () => setOver(true));
    listen("dragleave", () => setOver(false));
    listen("drop", ({ files }) => {
      setOver(false);
      latest.current(files);
    });
    return () => over.abort();
  }, []);
  return {
    ...state,
    isOver,
    add,
    remove: (file) => setState(({ files }) => ({ files: files.filter((one) => one !== file), refusal: "" })),
    clear: () => setState({ files: [], refusal: "" }),
  };
}

/** Adds as many files as a message can have, and says which it can't. */
function takeFiles(files: readonly File[], more: readonly File[]): Pick<Attachments, "files" | "refusal"> {
  const taken = [...files];
  const refused: string[] = [];
  let size = files.reduce((sum, file) => sum + file.size, 0);
  for (const file of more) {
    if (taken.length >= mostFiles || size + file.size > mostFileBytes) {
      refused.push(`${file.name} (${formatBytes(file.size)})`);
      continue;
    }
    size += file.size;
    taken.push(file);
  }
  const refusal =
    refused.length === 0
      ? ""
      : `Not attached: ${refused.join(", ")}. A message takes ${mostFiles} files of ${formatBytes(mostFileBytes)} together; put larger ones into the folder of the project and name them.`;
  return { files: taken, refusal };
}

/** Makes the body of a message. Rejects if a file can't be read any more. */
export async function toBody(text: string, files: readonly File[]): Promise<SaidBody> {
  const said = text.trim();
  const read = files.map(async (file) => ({ name: file.name, data: await readBase64(file) }));
  return {
    ...(said !== "" && { text: said }),
    ...(files.length > 0 && { files: await Promise.all(read) }),
  };
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const { result } = reader;
      resolve(typeof result === "string" ? result.replace(/^[^,]*,?/, "") : "");
    });
    reader.addEventListener("error", () =>
      reject(
        new Error(
          `Cannot read "${file.name}": it is a folder, or was moved or changed; attach it again (${getErrorMessage(reader.error)})`,
        ),
      ),
    );
    reader.readAsDataURL(file);
  });
}
