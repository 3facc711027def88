import type { VNode } from "preact";
import { useSettled } from "./use-settled.ts";

/** Time without typing after which a typed text counts. */
const pauseMs = 250;

/** A choice that narrows or orders a list. */
export function Choice({
  label,
  none,
  value,
  choices,
  change,
}: {
  readonly label: string;
  /** The choice of nothing. @default one of the others is always chosen */
  readonly none?: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly change: (value: string) => void;
}): VNode {
  return (
    <select
      aria-label={label}
      data-set={none !== undefined && value !== ""}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
    >
      {none !== undefined && <option value="">{none}</option>}
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

const isSameText = (one: string, other: string) => one.trim() === other.trim();

/** A field that counts once nobody types any more, and at once with Enter or when it is left. */
export function TypedField({
  label,
  placeholder,
  value,
  choices,
  search = false,
  change,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly choices?: readonly string[];
  readonly search?: boolean;
  readonly change: (value: string) => void;
}): VNode {
  const { chosen: typed, choose, settle } = useSettled({ value, change, pauseMs, isSame: isSameText });
  const list = `choices-${label.toLowerCase()}`;
  return (
    <>
      <input
        type="search"
        data-search={search || undefined}
        data-set={typed !== ""}
        aria-label={label}
        aria-keyshortcuts={search ? "/" : undefined}
        placeholder={placeholder}
        value={typed}
        list={choices === undefined ? undefined : list}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => choose(event.currentTarget.value)}
        onChange={settle}
      />
      {choices !== undefined && (
        <datalist id={list}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </>
  );
}
