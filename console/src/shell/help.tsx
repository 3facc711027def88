import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { helpOpen, type KeyHelp } from "./keys.ts";
import { pages } from "./pages.ts";

const keys: readonly KeyHelp[] = [
  { keys: "?", does: "this help" },
  { keys: "/", does: "search" },
  { keys: "j k, ↑ ↓", does: "next, previous row" },
  { keys: "Enter", does: "open the row" },
  { keys: "Home End, Page keys", does: "first, last row; a page on" },
  { keys: "Esc", does: "leave a field, close" },
];

/** All keys of the console. */
export function Help(): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = helpOpen.value;
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open) dialog.current?.close();
  }, [open]);
  const close = () => {
    helpOpen.value = false;
  };
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {[...keys, ...pages.map(({ key, title }) => ({ keys: `g ${key}`, does: title }))].map((one) => (
          <div key={one.keys}>
            <dt>
              <kbd>{one.keys}</kbd>
            </dt>
            <dd>{one.does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={close}>
        Close
      </button>
    </dialog>
  );
}
