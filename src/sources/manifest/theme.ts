import { cutHead } from "../../base/index.ts";
import type { Fields } from "../fields.ts";
import type { Problems } from "../problems.ts";
import { isColour } from "./colour.ts";

const colours = ["color", "bg", "accent", "text"] as const;

/** CSS colours. */
export type Theme = { readonly [Name in (typeof colours)[number]]?: string };

export function readTheme(fields: Fields, problems: Problems): Theme {
  const theme = fields.object("theme");
  if (theme === undefined) return {};
  const found = colours.flatMap((name): [string, string][] => {
    const value = theme.raw(name);
    if (value === undefined) return [];
    if (typeof value === "string" && isColour(value)) return [[name, value]];
    problems.error(
      "THEME_INVALID",
      `Cannot use the theme's ${name} ${cutHead(JSON.stringify(value), 100)}: it is no CSS colour; write one such as "#8b5cf6"`,
      theme.findPlace(name),
    );
    return [];
  });
  theme.refuseOthers();
  return Object.fromEntries(found);
}
