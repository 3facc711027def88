import { signal } from "@preact/signals";

/** A colour theme. `system` follows the browser. */
export type Theme = "system" | "light" | "dark";

const storageKey = "haft-theme";
const themes: readonly Theme[] = ["system", "light", "dark"];

export const theme: { readonly value: Theme } = signal<Theme>("system");

/** Applies the theme that was chosen in this browser. */
export function startTheme(): void {
  const chosen = themes.find((one) => one === localStorage.getItem(storageKey));
  setTheme(chosen ?? "system");
}

export function setTheme(chosen: Theme): void {
  (theme as { value: Theme }).value = chosen;
  if (chosen === "system") {
    delete document.documentElement.dataset["theme"];
    localStorage.removeItem(storageKey);
  } else {
    document.documentElement.dataset["theme"] = chosen;
    localStorage.setItem(storageKey, chosen);
  }
}

/** Returns the theme that comes after this one. */
export function nextTheme(current: Theme): Theme {
  return themes[(themes.indexOf(current) + 1) % themes.length] ?? "system";
}
