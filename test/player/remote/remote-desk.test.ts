import { describe, expect, it } from "vitest";
import { MOST_COMMAND_BYTES } from "../../../src/player/remote/commands.ts";
import { FRESH_MS, MOST_REFUSALS_TOLD } from "../../../src/player/remote/remote-desk.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { command, NOW, openDesk } from "./desk.ts";

const at = (ms: number) => new Date(ms).toISOString();

describe("a remote command", () => {
  it("is done once, answered, counted and recorded", async () => {
    const { desk, done, recorded, counted } = openDesk(temporaryFolder());
    const { answer } = await desk.take(command({ id: "one" }), "mqtt");
    expect(answer).toEqual({
      ...{ id: "one", command: "restart", at: at(NOW), outcome: "done", reason: null },
      ...{ text: "restart is done", attachment: null },
    });
    expect(done).toEqual(["one"]);
    expect(recorded).toEqual([
      { type: "remote", command: "restart", id: "one", way: "mqtt", outcome: "done", reason: null },
    ]);
    expect(await counted()).toEqual({ "restart done": 1 });
  });

  it.each([
    ["not JSON", Buffer.from("restart"), "malformed"],
    ["not UTF-8", Buffer.from([0xff, 0xfe]), "malformed"],
    ["a list", Buffer.from("[]"), "malformed"],
    ["without an id", command({ id: undefined }), "malformed"],
    ["with an id that is none", command({ id: "../../etc" }), "malformed"],
    ["without a time", command({ at: "yesterday" }), "malformed"],
    ["of no kind that there is", command({ command: "shell" }), "unknown"],
    ["named as what objects have", command({ command: "constructor" }), "unknown"],
    ["with something beside it", command({ path: "/etc/passwd" }), "malformed"],
    ["with a message of control characters", command({ command: "message", text: "a\u0007b" }), "malformed"],
    ["with an empty message", command({ command: "message", text: " \n " }), "malformed"],
    ["with a message that is too long", command({ command: "message", text: "x".repeat(301) }), "malformed"],
    ["with a message of too many lines", command({ command: "message", text: "x\n".repeat(9) }), "malformed"],
    ["with a test card for an hour", command({ command: "test-card", seconds: 3_600 }), "malformed"],
    ["too large", Buffer.alloc(MOST_COMMAND_BYTES + 1, "x"), "too-large"],
  ])("is refused that is %s", async (_what, sent, reason) => {
    const { desk, done } = openDesk(temporaryFolder());
    const { answer } = await desk.take(sent, "mqtt");
    expect([answer.outcome, answer.reason, done]).toEqual(["refused", reason, []]);
  });

  it("is refused that is not in the list", async () => {
    const { desk, done, counted } = openDesk(temporaryFolder(), { allow: ["screenshot"] });
    expect((await desk.take(command(), "socket")).answer.reason).toBe("not-allowed");
    expect([done, await counted()]).toEqual([[], { "restart not-allowed": 1 }]);
  });

  it("is refused that is too old, or from the future", async () => {
    const { desk, done } = openDesk(temporaryFolder());
    for (const sentAt of [NOW - FRESH_MS - 1, NOW + FRESH_MS + 1]) {
      expect((await desk.take(command({ at: at(sentAt) }), "mqtt")).answer.reason).toBe("stale");
    }
    expect(done).toEqual([]);
  });

  it("is judged by the service's clock, and one of this machine by the machine's own", async () => {
    const { desk } = openDesk(temporaryFolder(), { wall: () => NOW - 86_400_000, time: () => NOW });
    expect((await desk.take(command(), "mqtt")).answer.outcome).toBe("done");
    expect((await desk.take(command(), "socket")).answer.reason).toBe("stale");
    expect((await desk.take(command({ at: at(NOW - 86_400_000) }), "socket")).answer.outcome).toBe("done");
  });

  it("is refused that came before, by either way, and after a restart too", async () => {
    const folder = temporaryFolder();
    const first = openDesk(folder);
    const sent = command({ id: "one" });
    await first.desk.take(sent, "mqtt");
    expect((await first.desk.take(sent, "socket")).answer.reason).toBe("replayed");
    first.close();
    const second = openDesk(folder);
    const { answer } = await second.desk.take(sent, "mqtt");
    expect([answer.reason, answer.text, second.done]).toEqual([
      ...["replayed", "this id came before: done: restart is done"],
      [],
    ]);
  });

  it("is refused where more came lately than ids are kept, and ids go that are no longer fresh", async () => {
    let now = NOW;
    const { desk, done } = openDesk(temporaryFolder(), { mostIds: 2, wall: () => now });
    for (const id of ["one", "two", "three"]) await desk.take(command({ id }), "mqtt");
    expect(done).toEqual(["one", "two"]);
    now += 2 * FRESH_MS + 1;
    for (const id of ["four", "five", "six"]) await desk.take(command({ id, at: at(now) }), "mqtt");
    expect(done).toEqual(["one", "two", "four", "five"]);
  });

  it("is done though one came while the clock was years ahead, once as many came as ids are kept", async () => {
    let now = NOW + 10 * 365 * 86_400_000;
    const { desk, done } = openDesk(temporaryFolder(), { mostIds: 2, wall: () => now });
    await desk.take(command({ id: "ahead", at: at(now) }), "mqtt");
    now = NOW;
    for (const id of ["one", "two", "three"]) {
      now += 2 * FRESH_MS + 1;
      await desk.take(command({ id, at: at(now) }), "mqtt");
    }
    expect(done).toEqual(["ahead", "one", "two", "three"]);
  });

  it("is refused where it cannot be remembered", async () => {
    const { desk, done } = openDesk(temporaryFolder(), { mostIds: 10 });
    const full = Object.assign(new Error("disk full"), { code: "SQLITE_FULL" });
    const failing = openDesk(temporaryFolder(), { book: { note: () => fail(full), settle: () => {} } });
    expect((await failing.desk.take(command(), "mqtt")).answer.reason).toBe("storage");
    expect(failing.done).toEqual([]);
    expect((await desk.take(command(), "mqtt")).answer.outcome).toBe("done");
    expect(done.length).toBe(1);
  });

  it("that fails is answered with why, and the next one is done", async () => {
    const doctor = () => Promise.reject(new Error("no doctor here"));
    const { desk } = openDesk(temporaryFolder(), { hands: { doctor } });
    const { answer } = await desk.take(command({ command: "doctor" }), "mqtt");
    expect([answer.outcome, answer.text]).toEqual(["failed", "no doctor here"]);
    expect((await desk.take(command(), "mqtt")).answer.outcome).toBe("done");
  });

  it("that ends after the player has closed its stores is answered, and nothing is written", async () => {
    let end = (_performance: { kind: "done"; text: string }) => {};
    const doctor = () => new Promise<{ kind: "done"; text: string }>((resolve) => (end = resolve));
    const { desk, recorded, close } = openDesk(temporaryFolder(), { hands: { doctor } });
    const long = desk.take(command({ command: "doctor" }), "socket");
    desk.close();
    close();
    end({ kind: "done", text: "well" });
    expect([(await long).answer.text, recorded]).toEqual(["well", []]);
  });

  it("goes past one that takes long, of which there is one at a time", async () => {
    let end = (_performance: { kind: "done"; text: string }) => {};
    const doctor = () => new Promise<{ kind: "done"; text: string }>((resolve) => (end = resolve));
    const { desk, done } = openDesk(temporaryFolder(), { hands: { doctor } });
    const long = desk.take(command({ command: "doctor" }), "mqtt");
    expect((await desk.take(command({ command: "doctor" }), "mqtt")).answer.reason).toBe("busy");
    await desk.take(command({ id: "urgent" }), "mqtt");
    expect(done).toEqual(["urgent"]);
    end({ kind: "done", text: "well" });
    expect((await long).answer.text).toBe("well");
  });

  it("that is nonsense fills neither log nor record, and is counted all the same", async () => {
    const { desk, recorded, counted } = openDesk(temporaryFolder());
    for (let nth = 0; nth < MOST_REFUSALS_TOLD + 5; nth++) await desk.take(Buffer.from("nonsense"), "mqtt");
    await desk.take(command(), "mqtt");
    expect(recorded.length).toBe(MOST_REFUSALS_TOLD + 1);
    expect(await counted()).toEqual({ "none malformed": MOST_REFUSALS_TOLD + 5, "restart done": 1 });
  });
});

function fail(error: Error): never {
  throw error;
}
