import { describe, expect, it } from "vitest";
import {
  type DeliveryCount,
  dayIn,
  quarterOf,
  type ReportedProof,
  reportOn,
} from "../../../src/player/proofs/day-report.ts";

const at = (iso: string) => Date.parse(iso);
const delivered = (shownAt: string, delayMs: number): ReportedProof => ({
  ...{ kind: "ad", state: "delivered", shownAt: at(shownAt), delayMs },
});
const counted = (iso: string, what: DeliveryCount["what"], count: number, label = ""): DeliveryCount => ({
  ...{ quarter: quarterOf(at(iso)), what, label, count },
});

describe("a day", () => {
  it.each([
    ["UTC", "2026-01-31", 24, "2026-01-31T00:00:00Z", "2026-02-01T00:00:00Z"],
    ["Asia/Kolkata", "2026-01-31", 24, "2026-01-30T18:30:00Z", "2026-01-31T18:30:00Z"],
    ["Asia/Kathmandu", "2026-01-31", 24, "2026-01-30T18:15:00Z", "2026-01-31T18:15:00Z"],
    ["Europe/Berlin", "2026-03-29", 23, "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"],
    ["Europe/Berlin", "2026-10-25", 25, "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"],
    ["Pacific/Kiritimati", "2026-01-31", 24, "2026-01-30T10:00:00Z", "2026-01-31T10:00:00Z"],
    ["Pacific/Pago_Pago", "2026-01-31", 24, "2026-01-31T11:00:00Z", "2026-02-01T11:00:00Z"],
  ])("in %s, %s, has %i hours, from %s until %s", (timeZone, day, hours, from, until) => {
    const read = dayIn(day, timeZone);
    expect([read.hours.length, read.from, read.until]).toEqual([hours, at(from), at(until)]);
  });

  it("tells an hour that comes twice apart by its offset", () => {
    const hours = dayIn("2026-10-25", "Europe/Berlin").hours.map(({ hour }) => hour);
    expect(hours.slice(0, 5)).toEqual(["00:00", "01:00", "02:00+02:00", "02:00+01:00", "03:00"]);
  });
});

describe("the report of a day", () => {
  const day = dayIn("2026-01-31", "UTC");

  it("counts an item in the hour in which it had been shown in full", () => {
    const report = reportOn(day, [delivered("2026-01-31T09:59:59.999Z", 5), delivered("2026-01-31T10:00:00Z", 5)], []);
    expect(report.hours[9]).toMatchObject({ hour: "09:00", shown: { news: 0, ad: 1 } });
    expect(report.hours[10]).toMatchObject({ hour: "10:00", shown: { news: 0, ad: 1 } });
    expect(report.total.shown.ad).toBe(2);
  });

  it("adds up slots, fills and failures by reason", () => {
    const report = reportOn(
      day,
      [],
      [
        counted("2026-01-31T09:00:00Z", "slot", 3),
        counted("2026-01-31T09:15:00Z", "slot", 4),
        counted("2026-01-31T09:15:00Z", "fill", 2),
        counted("2026-01-31T09:30:00Z", "failed", 1, "stalled"),
        counted("2026-01-31T11:00:00Z", "failed", 2, "stalled"),
        counted("2026-01-31T11:00:00Z", "failed", 1, "crashed"),
      ],
    );
    expect(report.hours[9]).toMatchObject({ slots: 7, fills: 2, failed: { stalled: 1 } });
    expect(report.total).toMatchObject({ slots: 7, fills: 2, failed: { stalled: 3, crashed: 1 } });
  });

  it("tells how long delivered proofs took, and nothing where none was delivered", () => {
    const proofs = Array.from({ length: 100 }, (_, index) => delivered("2026-01-31T09:00:00Z", index + 1));
    const owed: ReportedProof = { kind: "news", state: "owed", shownAt: at("2026-01-31T10:00:00Z"), delayMs: null };
    const report = reportOn(day, [...proofs, owed], []);
    expect(report.hours[9]?.delayMs).toEqual({ p50: 50, p95: 95, p99: 99, max: 100 });
    expect(report.hours[10]).toMatchObject({ delayMs: null, proofs: { owed: 1 }, shown: { news: 1 } });
  });
});
