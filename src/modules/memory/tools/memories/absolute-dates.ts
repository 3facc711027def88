/**
 * The text with a date after each time that is only told from the day on which it was said: `tomorrow (2026-11-23)`. Its
 * words stay. What has a date already keeps it; what stands in quotes or in code is left alone, and so are names of
 * things, which are written with a capital. Where the words have two readings, it says when they were said instead.
 *
 * English. A memory in another language stays as it is: when it was said is kept with it.
 *
 * @param today `2026-11-22`
 */
export function withAbsoluteDates(text: string, today: string): string {
  const now = parseDay(today);
  return text.replace(pattern, (whole: string, ...found: unknown[]) => {
    const { phrase, possessive = "", literal } = found.at(-1) as Partial<Record<string, string>>;
    const [offset, all] = found.slice(-3) as [number, string];
    if (literal !== undefined || phrase === undefined) return whole;
    if (!isMeant(phrase, all, offset)) return whole;
    const date = toDate(phrase.toLowerCase().replace(/\s+/g, " "), now);
    return date === undefined ? whole : `${phrase}${possessive} (${date})`;
  });
}

const dayMs = 86_400_000;
const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const numbers = ["a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

const weekday = weekdays.join("|");
const count = `\\d{1,3}|an|${numbers.join("|")}`;
const units = "days?|weeks?|months?|years?";
const phrases = [
  "the day before yesterday",
  "the day after tomorrow",
  "yesterday|today|tonight|tomorrow|last night",
  "this (?:morning|afternoon|evening)",
  `(?:next|last|this) (?:${weekday}|weekend|week|month|year)`,
  `(?:${count}) (?:${units}) (?:ago|from now)`,
  `in (?:${count}) (?:${units})`,
].join("|");
const pattern = new RegExp(
  `(?<literal>"[^"\\n]{0,500}"|“[^“”\\n]{0,500}”|\`\`\`[\\s\\S]*?(?:\`\`\`|$)|\`[^\`\\n]{0,500}\`|\\bhttps?://\\S+)` +
    `|(?<![\\p{L}\\p{N}_'’/-])(?<phrase>${phrases.replaceAll(" ", "\\s+")})(?<possessive>['’]s)?(?!['’]s|[\\p{L}\\p{N}_/-]|\\s{0,9}[(\\[])`,
  "giu",
);

function isMeant(phrase: string, text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - 40), offset);
  const after = text.slice(offset + phrase.length, offset + phrase.length + 20);
  // "the last week of May" and "the next year" are told from something else, "yesterday's news" from nothing.
  if (/^(?:next|last)\b/i.test(phrase) && /\b(?:the|of|every|each)\s+$/i.test(before)) return false;
  if (/^['’]s\s+news\b/i.test(after)) return false;
  if (/^(?:next|last|this)\b/i.test(phrase) && /^\s+(?:of|in)\s+\p{Lu}/u.test(after)) return false;
  const capital = /^\p{Lu}/u.test(phrase);
  return !capital || before.trim() === "" || /[.!?:;\n•*-]\s*$/.test(before);
}

function toDate(phrase: string, now: number): string | undefined {
  const known = fixed[phrase];
  if (known !== undefined) return day(now + known * dayMs);
  const words = phrase.split(" ");
  if (words[0] === "in") return `said on ${day(now)}`;
  if (words.at(-1) === "ago") return inUnits(words[1] ?? "", -parseCount(words[0] ?? ""), now);
  if (words.at(-1) === "now") return inUnits(words[1] ?? "", parseCount(words[0] ?? ""), now);
  const [which = "", what = ""] = words;
  const steps = which === "next" ? 1 : which === "last" ? -1 : 0;
  switch (what) {
    case "week":
      return `week of ${day(findMonday(now) + steps * 7 * dayMs)}`;
    case "weekend":
      return `weekend of ${day(findMonday(now) + (steps * 7 + 5) * dayMs)}`;
    case "month":
    case "year":
      return inUnits(what, steps, now);
    case "morning":
    case "afternoon":
    case "evening":
      return day(now);
    default:
      return onWeekday(weekdays.indexOf(what), steps, now);
  }
}

const fixed: Readonly<Record<string, number>> = {
  "the day before yesterday": -2,
  yesterday: -1,
  "last night": -1,
  today: 0,
  tonight: 0,
  tomorrow: 1,
  "the day after tomorrow": 2,
};

function parseCount(word: string): number {
  if (word === "an") return 1;
  const index = numbers.indexOf(word);
  return index < 0 ? Number(word) : Math.max(index, 1);
}

function inUnits(unit: string, amount: number, now: number): string {
  const date = new Date(now);
  switch (unit.replace(/s$/, "")) {
    case "day":
      return day(now + amount * dayMs);
    case "week":
      return day(now + amount * 7 * dayMs);
    case "month":
      return day(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + amount, 1)).slice(0, 7);
    default:
      return String(date.getUTCFullYear() + amount);
  }
}

/** People differ on whether "next Friday", said on a Wednesday, is the one in two days. */
function onWeekday(wanted: number, steps: number, now: number): string {
  const thatWeek = (at: number) => findMonday(at) + ((wanted + 6) % 7) * dayMs;
  if (steps === 0) {
    const same = thatWeek(now);
    return same < now ? `said on ${day(now)}` : day(same);
  }
  const same = thatWeek(now);
  const isAhead = steps > 0 ? same > now : same < now;
  return isAhead ? `said on ${day(now)}` : day(same + steps * 7 * dayMs);
}

function findMonday(at: number): number {
  return at - ((new Date(at).getUTCDay() + 6) % 7) * dayMs;
}

function parseDay(text: string): number {
  return Date.parse(`${text}T00:00:00Z`);
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
