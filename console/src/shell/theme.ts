import { signal } from "@preact/signals";

/** `system`: as the browser says. */
export type Theme = "system" | "light" | "dark";

const storageKey = "haft-theme";
const themes: readonly Theme[] = ["system", "light", "dark"];

export const theme: { readonly value: Theme } = signal<Theme>("system");

/** Takes the theme that was chosen in this browser. */
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

/** The theme after this one. */
export function nextTheme(current: Theme): Theme {
  return themes[(themes.indexOf(current) + 1) % themes.length] ?? "system";
}
