/** Unix ms of an ISO 8601 date, of "1:56 pm on 8 May, 2023", or of what `Date` reads. Undefined: none of these. */
export function parseSpokenTime(text: string): number | undefined {
  const [, time, date] = /^(\d{1,2}:\d{2} ?[ap]m) on (.+)$/i.exec(text.trim()) ?? [];
  const at =
    time === undefined ? Date.parse(text) : Date.parse(`${date} ${time.replace(/ ?([ap]m)$/i, " $1")} UTC`);
  return Number.isNaN(at) ? undefined : at;
}
