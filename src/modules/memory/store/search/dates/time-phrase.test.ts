import { expect, test } from "vitest";
import { readZone } from "../../../../../base/index.ts";
import { asksWhatWasSaid, datesIn, findTimePhrase, isAboutTime } from "./time-phrase.ts";

/** A Sunday. */
const now = Date.UTC(2026, 10, 22, 12);
const day = (at: number | undefined) =>
  at === undefined ? undefined : new Date(at).toISOString().slice(0, 10);

test.for([
  ["what did I say last week", "last week", "2026-11-09", "2026-11-16"],
  ["who called yesterday?", "yesterday", "2026-11-21", "2026-11-22"],
  ["what happened in May", "in May", "2026-05-01", "2026-06-01"],
  ["what happened in December", "in December", "2025-12-01", "2026-01-01"],
  ["in May 2023", "in May 2023", "2023-05-01", "2023-06-01"],
  ["on 7 May 2023", "on 7 May 2023", "2023-05-07", "2023-05-08"],
  ["on May 7th, 2023", "on May 7th, 2023", "2023-05-07", "2023-05-08"],
  ["on 2023-05-07", "on 2023-05-07", "2023-05-07", "2023-05-08"],
  ["two months ago", "two months ago", "2026-09-01", "2026-10-01"],
  ["two weeks ago", "two weeks ago", "2026-11-04", "2026-11-13"],
  ["in the last three days", "in the last three days", "2026-11-19", "2026-11-22"],
  ["since Monday", "since Monday", "2026-11-16", "2026-11-22"],
  ["between March and June", "between March and June", "2026-03-01", "2026-07-01"],
  ["from March to June 2024", "from March to June 2024", "2024-03-01", "2024-07-01"],
  ["this weekend", "this weekend", "2026-11-21", "2026-11-23"],
  ["what have I got next week", "next week", "2026-11-23", "2026-11-30"],
  ["where do I have to be tomorrow", "tomorrow", "2026-11-23", "2026-11-24"],
  ["was ist nächsten Monat", "nächsten Monat", "2026-12-01", "2027-01-01"],
  ["下周有什么安排", "下周", "2026-11-23", "2026-11-30"],
  ["last Friday", "last Friday", "2026-11-20", "2026-11-21"],
  ["in 2022", "in 2022", "2022-01-01", "2023-01-01"],
  ["letzte Woche", "letzte Woche", "2026-11-09", "2026-11-16"],
  ["vor zwei Wochen", "vor zwei Wochen", "2026-11-04", "2026-11-13"],
  ["im Mai", "im Mai", "2026-05-01", "2026-06-01"],
  ["上周我做了什么", "上周", "2026-11-09", "2026-11-16"],
  ["昨天", "昨天", "2026-11-21", "2026-11-22"],
  ["五月", "五月", "2026-05-01", "2026-06-01"],
  ["2023年5月7日", "2023年5月7日", "2023-05-07", "2023-05-08"],
  ["三天前", "三天前", "2026-11-19", "2026-11-20"],
] as const)("findTimePhrase() reads %s", ([query, phrase, since, until]) => {
  const time = findTimePhrase(query, now);
  expect([time?.phrase, day(time?.since), day(time?.until)]).toEqual([phrase, since, until]);
});

test.for([
  "May I ask you",
  "it may rain",
  "what marches",
  "before Christmas",
  "the week before 3 August",
  "room 2023",
])("findTimePhrase() reads no time in %s", (query) => {
  expect(findTimePhrase(query, now)).toBeUndefined();
});

test("isAboutTime() tells a question for a time from one that says it", () => {
  expect(isAboutTime("When did we meet in May?")).toBe(true);
  expect(isAboutTime("我什么时候去的")).toBe(true);
  expect(isAboutTime("Whom did we meet in May?")).toBe(false);
});

test("asksWhatWasSaid() tells a question for what was said then from one about what is then", () => {
  expect(
    ["What did I tell you last week?", "was habe ich im Mai gesagt", "上周我说了什么"].map(asksWhatWasSaid),
  ).toEqual([true, true, true]);
  expect(["Which lease ends in December?", "Who called yesterday?"].map(asksWhatWasSaid)).toEqual([
    false,
    false,
  ]);
});

test("datesIn() reads the dates that a text tells, with as much of them as it says", () => {
  expect(
    datesIn("It ends on 31 December, as in May 2024; I may pay by 2026-12-15, or in Juli, or 十二月三日"),
  ).toEqual([
    { month: 11, day: 31, year: undefined },
    { month: 4, day: undefined, year: 2024 },
    { month: 11, day: 15, year: 2026 },
    { month: 6, day: undefined, year: undefined },
    { month: 11, day: undefined, year: undefined },
  ]);
});

test.for([
  ["what is on tomorrow?", "2026-11-23T00:00-08:00", "2026-11-24T00:00-08:00"],
  ["what did I say yesterday?", "2026-11-21T00:00-08:00", "2026-11-22T00:00-08:00"],
  ["what is on this week?", "2026-11-16T00:00-08:00", "2026-11-23T00:00-08:00"],
  ["what happened in July?", "2026-07-01T00:00-07:00", "2026-08-01T00:00-07:00"],
  ["since 8 November", "2026-11-08T00:00-08:00", "2026-11-22T19:00-08:00"],
])(
  "findTimePhrase() begins days at midnight where people are: %s",
  ([query = "", since = "", until = ""]) => {
    // It is Sunday evening in Los Angeles, and Monday in UTC.
    const found = findTimePhrase(query, Date.parse("2026-11-23T03:00:00Z"), readZone("America/Los_Angeles"));
    expect(found).toMatchObject({ since: Date.parse(since), until: Date.parse(until) });
  },
);
