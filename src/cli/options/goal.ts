import { InvalidArgumentError, Option } from "commander";

/** What the client of a server is for. */
export function goalOption(): Option {
  return new Option(
    "--goal <text>",
    "what the client is for, in a sentence: the list has the core tools and the packs near it; all others are found and called as ever (default: the configuration's, or none)",
  ).argParser((text: string) => {
    const goal = text.trim();
    if (goal === "") throw new InvalidArgumentError("say what the client is for, in a few words");
    return goal;
  });
}
