import { systemZone, type Zone } from "../../../../../base/index.ts";
import { months, weekdays } from "./spelled-date.ts";

/** Unix ms: from, and until just before. */
export interface Span {
  readonly since: number;
  readonly until: number;
}

export interface TimePhrase extends Span {
  /** The phrase as the query has it. */
  readonly phrase: string;
  /** The month or day that it names, whichever the year. */
  readonly date?: CalendarDate | undefined;
}

/** What is said of a date: a month, and perhaps its day and year. */
export interface CalendarDate {
  readonly year?: number | undefined;
  /** The month, from 0 on. */
  readonly month: number;
  readonly day?: number | undefined;
}

/**
 * The time that a query speaks of, in English, German or Chinese: "last week", "in May", "on 7 May 2023", "two months
 * ago", "since Monday", "zwischen März und Juni", 上周. Days begin at midnight in the zone. A month without a year is the
 * last one that has begun. Undefined where it speaks of none, or is not understood.
 */
export function findTimePhrase(query: string, now: number, zone: Zone = systemZone): TimePhrase | undefined {
  const found = findInWallTime(query, zone.toWallTime(now));
  if (found === undefined) return undefined;
  return { ...found, since: zone.fromWallTime(found.since), until: zone.fromWallTime(found.until) };
}

function findInWallTime(query: string, now: number): TimePhrase | undefined {
  if (!anyMoment.test(query)) return undefined;
  const between = betweenTwo.exec(query);
  if (between !== null) {
    const [phrase, from = "", to = ""] = between;
    const last = findSpan(to, now);
    const first = findSpan(from, last?.since ?? now);
    if (first !== undefined && last !== undefined && first.since < last.until) {
      return { phrase, since: first.since, until: last.until };
    }
  }
  // "The week before 3 August" is none of the times that are read here.
  if (reckonedFrom.test(query)) return undefined;
  const bounded = boundedByOne.exec(query);
  if (bounded !== null) {
    const [phrase, word = "", what = ""] = bounded;
    const span = findSpan(what, now);
    if (span !== undefined) return { phrase, ...boundBy(word.toLowerCase(), span, now) };
  }
  const single = oneTime.exec(query);
  if (single === null) return undefined;
  const said = single[1] ?? single[2] ?? "";
  const span = findSpan(said, now);
  return span && { phrase: single[0].trim(), ...span, date: findCalendarDate(said) };
}

/** The dates that a text tells, in the words that {@link findTimePhrase} reads: "31 December", "im Juli", 2026-12-15. */
export function datesIn(text: string): CalendarDate[] {
  return [...text.matchAll(toldDates)].flatMap(([told]) => findCalendarDate(told) ?? []);
}

/** Questions for what was said, or kept, at some time: "what did I tell you last week". */
export function asksWhatWasSaid(query: string): boolean {
  return saying.test(query);
}

const saying =
  /\b(?:did|have|had)\b.*\b(?:say|tell|mention|talk|discuss|speak|share|chat|note|ask|remember|store|save|report)\b|\b(?:said|told|mentioned|talked|discussed|spoke|spoken|shared|chatted|noted|asked|remembered|stored|saved|reported)\b|\bremember from\b|\b(?:gesagt|erzählt|erwähnt|besprochen|gesprochen|geredet|notiert|gemerkt|gefragt|berichtet|sagte|erzählte|erwähnte)n?\b|说|告诉|提到|提过|聊|讲/iu;

/** It asks for a time, rather than saying one. */
export function isAboutTime(query: string): boolean {
  return /^\W*(?:when\b|(?:what|which) (?:date|day|time|month|year|week)\b|how long\b|wann\b|seit wann\b)|什么时候|何时|哪天|哪年|几月/iu.test(
    query,
  );
}

/** The text says when something was, or will be. */
export function saysTime(text: string): boolean {
  return timeWords.test(text);
}

const timeWords =
  /\b(?:yesterday|today|tomorrow|tonight|last|next|ago|weeks?|weekend|months?|years?|since|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|morning|recently|gestern|heute|morgen|vor|seit|letzte[nrs]?|woche|monat|jahr)\b|\d月|[昨今明前]天|上周|下周|去年|明年|星期|周[一二三四五六日末]/iu;

const dayMs = 86_400_000;
const monthNames = [
  ...months.map((name) => name.toLowerCase()),
  ..."januar februar märz mai juni juli oktober dezember".split(" "),
];
const shortMonths = months.map((name) => name.slice(0, 3).toLowerCase());
const month = `(?:${[...monthNames, "sept", ...shortMonths.filter((name) => name !== "may")].join("|")})\\.?(?![\\p{L}])`;
const weekday = `(?:${weekdays.join("|")})`.toLowerCase();
const numbers = "one two three four five six seven eight nine ten eleven twelve".split(" ");
const germanNumbers = "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split(" ");
const chineseNumbers = "一二三四五六七八九十";
const amount = String.raw`(?:\d{1,3}|an?|a couple of|a few|several|einem|einer|einigen|${[...numbers, ...germanNumbers].join("|")})`;
const unit = String.raw`(?:day|week|month|year|tag|woche|monat|jahr)`;
const day = String.raw`\d{1,2}(?:st|nd|rd|th|\.)?`;
const year = String.raw`(?:19|20)\d\d(?!\d)`;

/** What is a time only after a preposition: "may" is a verb as well, "2023" may be a sum. */
const prepositions = String.raw`\b(?:in|on|during|of|by|around|at|im|am|early|late|this|last|back in|in early|in late|in mid)\s+(?:the\s+)?`;
const dated = `${month}|${weekday}|${year}`;
/** What is a time wherever it stands. */
const named = [
  String.raw`\b\d{4}-\d\d-\d\d\b`,
  String.raw`\b${day}\s+(?:of\s+)?${month}(?:,?\s+${year})?`,
  String.raw`\b(?:${month}|may)\s+${day}(?!\d)(?:,?\s+${year})?`,
  String.raw`\b(?:${month}|may),?\s+${year}`,
  String.raw`\bday before yesterday\b|\byesterday\b|\btoday\b|\btomorrow\b|\bvorgestern\b|\bgestern\b|\bheute\b`,
  String.raw`\b(?:in\s+)?(?:the\s+)?(?:last|past)\s+${amount}\s+${unit}s?\b`,
  String.raw`\b(?:last|this|past|next|coming|letzte[nrs]?|diese[nrs]?|nächste[nrs]?|kommende[nrs]?)\s+(?:week|weekend|month|year|woche|wochenende|monat|jahr)\b`,
  String.raw`\blast\s+${weekday}\b`,
  String.raw`\b${amount}\s+${unit}s?\s+ago\b`,
  String.raw`\bvor\s+${amount}\s+${unit}e?n?\b`,
  String.raw`\d{4}年\d{1,2}月(?:\d{1,2}[日号])?`,
  String.raw`(?:\d{1,2}|十[一二]|[${chineseNumbers}])月(?:\d{1,2}[日号])?`,
  String.raw`(?:\d{1,3}|[${chineseNumbers}两几])(?:天|周|个星期|个月|年)(?:以?前)`,
  "前天|昨天|昨晚|今天|明天|[上下]个?(?:周|星期|月)|这个?(?:周|星期|月)|本周|本月|去年|今年|明年",
].join("|");
const moment = `${named}|${dated}`;
/** Most questions have no moment, and are read no further. */
const anyMoment = new RegExp(moment, "iu");
const betweenTwo = new RegExp(
  String.raw`\b(?:between|from|zwischen|von)\s+(${moment})\s+(?:and|to|until|till|und|bis)\s+(${moment})`,
  "iu",
);
const boundedByOne = new RegExp(
  String.raw`\b(since|after|before|until|seit|nach|vor|bis)\s+(${moment})`,
  "iu",
);
const oneTime = new RegExp(`(?:${prepositions})?(${named})|${prepositions}(${dated})`, "iu");
const toldDates = new RegExp(
  `(?:${prepositions})?(?:${named})|(?<![\\p{L}\\p{N}])(?!may)${month}|${prepositions}may(?![\\p{L}])`,
  "giu",
);
const reckonedFrom = new RegExp(
  String.raw`\b(?:weeks?|weekend|days?|months?|years?|night|morning)\s+(?:before|after|of)\s+(?:${moment})`,
  "iu",
);

function boundBy(word: string, { since, until }: Span, now: number): Span {
  if (word === "since" || word === "seit") return { since, until: Math.max(now, since) };
  if (word === "after" || word === "nach") return { since: until, until: Math.max(now, until) };
  if (word === "until" || word === "bis") return { since: 0, until };
  return { since: 0, until: since };
}

function findSpan(text: string, now: number): Span | undefined {
  const phrase = text.trim().toLowerCase();
  return exactDate(phrase, now) ?? relative(phrase, now) ?? ago(phrase, now) ?? chinese(phrase, now);
}

function exactDate(phrase: string, now: number): Span | undefined {
  const onlyYear = /^(\d{4})$/.exec(phrase);
  if (onlyYear !== null) return toYear(Number(onlyYear[1]));
  const date = findCalendarDate(phrase);
  if (date === undefined) return undefined;
  const { month, day, year = findLastYear(month, day, now) } = date;
  return day === undefined ? monthSpan(year, month) : toDay(year, month, day);
}

function findCalendarDate(said: string): CalendarDate | undefined {
  const phrase = said.trim().toLowerCase();
  const iso = /(?:^|\s)(\d{4})-(\d\d)-(\d\d)$/.exec(phrase);
  if (iso !== null) return { year: Number(iso[1]), month: Number(iso[2]) - 1, day: Number(iso[3]) };
  const chinese = /^(?:(\d{4})年)?(\d{1,2}|十?[一二三四五六七八九十])月(?:(\d{1,2})[日号])?$/.exec(phrase);
  if (chinese !== null) {
    const [, year, month = "", day] = chinese;
    return { year: toNumber(year), month: chineseCount(month) - 1, day: toNumber(day) };
  }
  const month = (phrase.match(/\p{L}{3,}/gu) ?? []).map(findMonth).find((found) => found >= 0);
  if (month === undefined) return undefined;
  const year = /\b((?:19|20)\d\d)\b/.exec(phrase)?.[1];
  const day = /(?<!\d)(\d{1,2})(?!\d)/.exec(phrase)?.[1];
  return { year: toNumber(year), month, day: toNumber(day) };
}

function toNumber(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

function relative(phrase: string, now: number): Span | undefined {
  const today = Math.floor(now / dayMs) * dayMs;
  const days = (from: number, until: number) => ({
    since: today + from * dayMs,
    until: today + until * dayMs,
  });
  if (/^(?:today|heute)$/.test(phrase)) return days(0, 1);
  if (phrase === "tomorrow") return days(1, 2);
  if (/before yesterday|vorgestern/.test(phrase)) return days(-2, -1);
  if (/^(?:yesterday|gestern)$/.test(phrase)) return days(-1, 0);
  const asked = weekdays.findIndex((name) => phrase.endsWith(name.toLowerCase()));
  const date = new Date(now);
  if (asked >= 0) {
    const back = (date.getUTCDay() - asked + 7) % 7 || 7;
    return days(-back, -back + 1);
  }
  const named =
    /^(last|past|this|next|coming|letzte|diese|nächste|kommende)\p{L}* (weekend|week|month|year|wochenende|woche|monat|jahr)/u.exec(
      phrase,
    );
  if (named === null) return undefined;
  const back = /^(?:this|diese)/.test(phrase) ? 0 : /^(?:next|com|näch|komm)/.test(phrase) ? -1 : 1;
  const kind = named[2] ?? "";
  const monday = -((date.getUTCDay() + 6) % 7);
  if (/end/.test(kind)) {
    // Until the next one begins, "this weekend" is the one that is coming.
    const saturday = monday + 5 - 7 * back;
    return days(saturday, saturday + 2);
  }
  if (/^wee|^woc/.test(kind)) return days(monday - 7 * back, monday - 7 * back + 7);
  if (kind.startsWith("mon")) return monthSpan(date.getUTCFullYear(), date.getUTCMonth() - back);
  return toYear(date.getUTCFullYear() - back);
}

function ago(phrase: string, now: number): Span | undefined {
  const found = new RegExp(`(${amount})\\s+(${unit})`, "u").exec(phrase);
  if (found === null) return undefined;
  const count = parseCount(found[1] ?? "");
  return reckon(count, found[2] ?? "", { now, whole: /last|past/.test(phrase) });
}

/** `whole`: all of that time until now; otherwise about then. */
function reckon(count: number, kind: string, { now, whole }: { now: number; whole: boolean }): Span {
  const date = new Date(now);
  const today = Math.floor(now / dayMs) * dayMs;
  const [year, index] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (/^(?:year|jahr|年)/.test(kind)) {
    return whole ? { since: now - count * 366 * dayMs, until: now } : toYear(year - count);
  }
  if (/^(?:mon|个月)/.test(kind)) {
    return whole ? { since: now - count * 31 * dayMs, until: now } : monthSpan(year, index - count);
  }
  const inDays = /^(?:day|tag|天)/.test(kind) ? 1 : 7;
  if (whole) return { since: today - count * inDays * dayMs, until: now };
  const middle = today - count * inDays * dayMs;
  const around = inDays === 1 ? 0 : 4;
  return { since: middle - around * dayMs, until: middle + (around + 1) * dayMs };
}

function chinese(phrase: string, now: number): Span | undefined {
  const date = new Date(now);
  const back = /^(\d{1,3}|[一二三四五六七八九十两几])(天|周|个星期|个月|年)/.exec(phrase);
  if (back !== null && phrase.endsWith("前")) {
    return reckon(chineseCount(back[1] ?? ""), back[2] ?? "", { now, whole: false });
  }
  const words: Readonly<Record<string, string>> = {
    今天: "today",
    昨天: "yesterday",
    明天: "tomorrow",
    昨晚: "yesterday",
    前天: "day before yesterday",
    本周: "this week",
    本月: "this month",
  };
  const known = words[phrase];
  if (known !== undefined) return relative(known, now);
  if (/^[去今明]年$/.test(phrase))
    return toYear(date.getUTCFullYear() + "去今明".indexOf(phrase[0] ?? "") - 1);
  const kind = phrase.endsWith("月") ? "month" : /[周期]$/.test(phrase) ? "week" : undefined;
  return (
    kind &&
    relative(`${phrase.startsWith("上") ? "last" : phrase.startsWith("下") ? "next" : "this"} ${kind}`, now)
  );
}

function parseCount(said: string): number {
  const number = Number(said);
  if (!Number.isNaN(number)) return number;
  if (said === "a couple of") return 2;
  if (/few|several|einigen/.test(said)) return 3;
  return Math.max(numbers.indexOf(said), germanNumbers.indexOf(said), 0) + 1;
}

function chineseCount(said: string): number {
  if (/^\d+$/.test(said)) return Number(said);
  if (said === "两") return 2;
  if (said === "几") return 3;
  return said.length === 2
    ? 10 + chineseNumbers.indexOf(said[1] ?? "") + 1
    : chineseNumbers.indexOf(said) + 1;
}

const germanMonths: Readonly<Record<string, number>> = { märz: 2, mai: 4, okt: 9, dez: 11 };

function findMonth(word: string): number {
  const known = germanMonths[word] ?? germanMonths[word.slice(0, 3)];
  if (known !== undefined) return known;
  return shortMonths.findIndex((name) => word.startsWith(name));
}

/** The last year in which that month, or that day of it, has begun. */
function findLastYear(index: number, date: number | undefined, now: number): number {
  const year = new Date(now).getUTCFullYear();
  return Date.UTC(year, index, date ?? 1) > now ? year - 1 : year;
}

function toDay(year: number, index: number, date: number): Span | undefined {
  const since = Date.UTC(year, index, date);
  return date < 1 || date > 31 || index < 0 || index > 11 ? undefined : { since, until: since + dayMs };
}

function monthSpan(year: number, index: number): Span {
  return { since: Date.UTC(year, index, 1), until: Date.UTC(year, index + 1, 1) };
}

function toYear(year: number): Span {
  return { since: Date.UTC(year, 0, 1), until: Date.UTC(year + 1, 0, 1) };
}
