import { InvalidArgumentError } from "commander";

/** A sum in US dollars, for the parser of an option. */
export function toDollars(text: string): number {
  const usd = Number(text);
  if (text.trim() !== "" && usd > 0 && usd <= 1_000_000) return usd;
  throw new InvalidArgumentError("give US dollars, as in 0.50.");
}
