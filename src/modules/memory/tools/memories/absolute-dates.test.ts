import { expect, test } from "vitest";
import { withAbsoluteDates } from "./absolute-dates.ts";

const sunday = "2026-11-22";
const wednesday = "2026-11-18";

test.each([
  ["Dentist tomorrow at nine.", "Dentist tomorrow (2026-11-23) at nine."],
  ["Yesterday we met.", "Yesterday (2026-11-21) we met."],
  ["Ada called last night", "Ada called last night (2026-11-21)"],
  ["the day after tomorrow, not tomorrow", "the day after tomorrow (2026-11-24), not tomorrow (2026-11-23)"],
  ["leaves this evening", "leaves this evening (2026-11-22)"],
  ["yesterday's meeting", "yesterday's (2026-11-21) meeting"],
  ["the report is due next Friday", "the report is due next Friday (2026-11-27)"],
  ["moved 3 days ago", "moved 3 days ago (2026-11-19)"],
  ["moved a week ago", "moved a week ago (2026-11-15)"],
  ["started two months ago", "started two months ago (2026-09)"],
  ["started ten years ago", "started ten years ago (2016)"],
  ["ends two weeks from now", "ends two weeks from now (2026-12-06)"],
  ["on holiday next week", "on holiday next week (week of 2026-11-23)"],
  ["hiked last weekend", "hiked last weekend (weekend of 2026-11-14)"],
  ["new job last month", "new job last month (2026-10)"],
  ["graduates next year", "graduates next year (2027)"],
  ["Tea.\nToday: coffee", "Tea.\nToday (2026-11-22): coffee"],
])("withAbsoluteDates() dates %s", (text, dated) => {
  expect(withAbsoluteDates(text, sunday)).toBe(dated);
});

test.each([
  ["next Friday", "next Friday (said on 2026-11-18)"],
  ["next Tuesday", "next Tuesday (2026-11-24)"],
  ["last Monday", "last Monday (said on 2026-11-18)"],
  ["last Friday", "last Friday (2026-11-13)"],
  ["this Friday", "this Friday (2026-11-20)"],
  ["this Monday", "this Monday (said on 2026-11-18)"],
  ["learnt it in three months", "learnt it in three months (said on 2026-11-18)"],
])("withAbsoluteDates() says when it was said where there are two readings: %s", (text, dated) => {
  expect(withAbsoluteDates(text, wednesday)).toBe(dated);
});

test.each([
  "yesterday's news",
  'She sang "Yesterday" and "see you tomorrow".',
  "She said “call me tomorrow”.",
  "run `date -d yesterday`",
  "```\nlog today\n```",
  "https://example.com/today and /var/log/yesterday",
  "reads USA Today every Friday, on Fridays and on Friday",
  "the song Yesterday",
  "the last week of May, the next day, every last month",
  "last week of May",
  "tomorrow (2026-11-23)",
  "tomorrow (the 23rd)",
  "a today-only offer, nowadays, todayish",
  "in a few days, a couple of weeks ago, in 3 minutes",
  "",
])("withAbsoluteDates() leaves alone: %s", (text) => {
  expect(withAbsoluteDates(text, sunday)).toBe(text);
});

test("withAbsoluteDates() adds nothing to what it made, and takes time in proportion to the text", () => {
  const text = "today and next month, 2 weeks ago, in two days, last Friday's lunch, this week. Tomorrow!";
  const once = withAbsoluteDates(text, sunday);
  expect(withAbsoluteDates(once, "2030-01-01")).toBe(once);
  for (const [index, date] of ["2024-02-28", "2026-12-31", "2027-01-01"].entries()) {
    const days = ["2024-02-29", "2027-01-01", "2027-01-02"];
    expect(withAbsoluteDates("tomorrow", date)).toBe(`tomorrow (${days[index]})`);
  }
  expect(withAbsoluteDates("last month", "2026-01-15")).toBe("last month (2025-12)");
  for (const piece of ["the day ", '"', "`", "in a ", "last ", "“", "yesterday's "]) {
    const long = piece.repeat(20_000);
    expect(withAbsoluteDates(long, sunday).length).toBeGreaterThanOrEqual(long.length);
  }
});
