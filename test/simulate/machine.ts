import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Instant } from "../../src/core/spot.ts";
import { askForRetry } from "../../src/player/proofs/proof-archive.ts";
import { StoreUnusable } from "../../src/player/stores/database.ts";
import { recordFlaws } from "../support/player/record-flaws.ts";
import type { Books } from "./books.ts";
import type { Chance } from "./chance.ts";
import { SHORTEST_MS } from "./creatives.ts";
import { type DiskTrouble, damageMedia, type SimulatedDisk } from "./disk.ts";
import { harm } from "./harm.ts";
import type { Offer } from "./offer.ts";
import { type Blow, DAY_MS } from "./plan.ts";
import { ProofRows } from "./proof-rows.ts";
import { Run, type RunParts, type StageMoment } from "./run.ts";
import type { MachineClocks, SimulatedTime } from "./time.ts";
import type { Trace } from "./trace.ts";
import type { Moment } from "./wire.ts";

export interface MachineParts extends Omit<RunParts, "folder" | "onMoment"> {
  readonly time: SimulatedTime;
  readonly clocks: MachineClocks;
  readonly chance: Chance;
  readonly trace: Trace;
  readonly books: Books;
  readonly disk: SimulatedDisk;
}

/** After a crash or where it could not start, the player is started again so much later. */
const AGAIN_MS = 4_000;
/** A clock that began in 1970 is put right, by the network's time, so much later. */
const CORRECTED_MS = [20_000, 40 * 60_000] as const;
/** What a disk refused is tried again by then. */
const REFUSED_WITHIN_MS = 6_000;
/** Of thirty days and some hours, which a machine that was off may need to forget them, at the shortest items. */
const MOST_ROWS = (31 * DAY_MS) / SHORTEST_MS;

/** The machine that the player runs on: it starts it, and does to it what is planned. */
export class Machine {
  readonly counts = { starts: 0, crashes: 0, restarts: 0, reboots: 0, "clock jumps": 0, "starts refused": 0 };
  readonly #parts: MachineParts;
  #run: Run | null = null;
  #rows: ProofRows;
  #fromRow = 0;
  #armed: (Moment | StageMoment) | null = null;
  /** What is to be done once the step is over. */
  readonly #after: (() => Promise<void> | void)[] = [];
  /** Proofs whose row of the record may be missing, `ad <request>`: a broken file or a full disk kept it. */
  readonly #unrecorded = new Set<string>();
  /** When the run that is up was started. */
  startedAt: Instant = 0;
  #troubled = false;
  #replaced = false;

  constructor(parts: MachineParts) {
    this.#parts = parts;
    this.#rows = new ProofRows(join(parts.disk.folder, "proofs.db"));
  }

  get run(): Run | null {
    return this.#run;
  }

  /** Called between two steps, when everything is quiet. */
  async afterStep(): Promise<void> {
    for (let act = this.#after.shift(); act !== undefined; act = this.#after.shift()) await act();
  }

  /** Starts the player for the first time, or again. */
  async start(): Promise<void> {
    const { time, disk, books, trace } = this.#parts;
    if (this.#run !== null) return;
    const run = new Run(books.runs.length, {
      ...this.#parts,
      folder: disk.folder,
      onMoment: (moment) => this.#onMoment(moment),
    });
    books.runs.push({ number: run.number, startedAt: time.now(), crashedAt: null });
    trace.note(time.now(), `run ${run.number} starts`);
    this.counts.starts++;
    try {
      await run.start();
    } catch (error) {
      if (!(error instanceof StoreUnusable) && !this.#troubled) throw error;
      trace.note(time.now(), `run ${run.number} cannot start`);
      this.counts["starts refused"]++;
      run.vanish();
      return this.#startAfter(AGAIN_MS);
    }
    this.#run = run;
    this.startedAt = time.now();
  }

  strike(blow: Blow): void {
    const { trace, time, onFault, clocks, disk, chance } = this.#parts;
    const name = `${blow.kind}${"how" in blow ? ` ${blow.how}` : ""}${"trouble" in blow ? ` ${blow.trouble}` : ""}`;
    trace.note(time.now(), name);
    onFault(name);
    switch (blow.kind) {
      case "crash":
        if (blow.moment === null) this.#crash(AGAIN_MS);
        else this.#armed = blow.moment;
        return;
      case "restart":
        this.#restart();
        return;
      case "reboot":
        this.#reboot(blow.offMs, blow.wallAheadMs);
        return;
      case "clock":
        this.counts["clock jumps"]++;
        this.#setWall(clocks.wallAheadMs + blow.byMs);
        return;
      case "media":
        if (!this.#troubled) damageMedia(disk.folder, blow.how, this.#waiting(), chance, `media at ${time.now()}`);
        return;
      case "disk":
        this.#trouble(blow.trouble, blow.forMs);
        return;
      case "retry": {
        const path = join(disk.folder, "proofs.db");
        if (!this.#troubled && existsSync(path)) askForRetry(path);
      }
    }
  }

  #onMoment(moment: Moment | StageMoment): void {
    if (this.#armed !== moment || this.#run === null) return;
    this.#armed = null;
    this.#parts.trace.note(this.#parts.time.now(), `crash at ${moment}`);
    this.#crash(AGAIN_MS);
  }

  /** For the wire, which is older than the machine. */
  readonly onMoment = (moment: Moment): void => this.#onMoment(moment);

  /** What was promised about an item must be on the disk at once. */
  checkOwed(offer: Offer): void {
    if (this.#parts.books.disk === "refusing") {
      this.#unrecorded.add(`${offer.kind} ${offer.requestId}`);
      return;
    }
    const row = this.#rows.newest(offer.pop);
    if (row === null) this.#parts.books.complain(`shown in full and not written down as owed: ${offer.pop}`);
  }

  /** Compares all that is written down with the books, while the player is up: what is broken it mends when it starts. */
  check(): void {
    if (this.#run === null || this.#troubled) return;
    this.#reconcile();
    const rows = this.#rows.count();
    if (rows > MOST_ROWS) this.#parts.books.complain(`${rows} proofs are kept`);
  }

  #reconcile(): void {
    const { books, time } = this.#parts;
    const rows = this.#rows.from(this.#fromRow);
    books.reconcile(rows, time.now(), this.#settledBy(), this.#replaced);
    this.#replaced = false;
    this.#fromRow = Math.min(books.lowestRow(rows), (rows.at(-1)?.id ?? 0) + 1);
  }

  /** Everything that is owed has had its chance to be settled, for runs that last; `null` for those that do not. */
  #settledBy(): Instant | null {
    const { time } = this.#parts;
    const upMs = time.now() - this.startedAt;
    if (this.#run === null) return null;
    const service = this.#run.player?.serviceClock.read().service ?? null;
    // Until the service has told its time, what is owed from before the boot waits for it.
    if (service === null && upMs < 65 * 60_000) return null;
    return upMs < 2 * REFUSED_WITHIN_MS ? null : time.now();
  }

  #checkRecord(): void {
    const { disk, books } = this.#parts;
    const path = join(disk.folder, "proofs.db");
    if (!existsSync(path)) return;
    for (const flaw of recordFlaws(path, (key) => this.#unrecorded.has(key))) books.complain(`record: ${flaw}`);
  }

  #crash(downMs: number): void {
    const run = this.#run;
    if (run === null) return;
    const { disk, books, trace, time } = this.#parts;
    this.counts.crashes++;
    this.#run = null;
    this.#mend();
    trace.note(time.now(), `run ${run.number} vanishes`);
    run.vanish();
    const old = disk.leaveBehind();
    books.disk = "sound";
    this.#after.push(async () => {
      await run.bury();
      rmSync(old, { recursive: true, force: true });
      this.#lieDown();
    });
    this.#startAfter(downMs);
  }

  #restart(whenDown: () => void = () => {}): void {
    const run = this.#run;
    if (run === null) return;
    this.counts.restarts++;
    this.#run = null;
    const { books, time } = this.#parts;
    // What a stopped player could not write is lost with its memory, as if it had vanished.
    if (books.disk === "refusing") books.crashed(run.number, time.now());
    void run.stop().then(() => {
      this.#after.push(() => {
        if (!this.#troubled) this.#lieDown();
        whenDown();
      });
      // The books are kept in steps; a promise may end between two.
      time.alarm(time.now(), () => {});
      this.#startAfter(AGAIN_MS);
    });
  }

  #reboot(offMs: number, wallAheadMs: number | null): void {
    const { time, clocks } = this.#parts;
    if (this.#run === null) return;
    this.counts.reboots++;
    this.counts.crashes--;
    // Before the alarm of the same instant that starts the player again.
    time.alarm(time.now() + offMs, () => {
      clocks.boot();
      if (wallAheadMs === null) return;
      this.#setWall(wallAheadMs + clocks.wallAheadMs);
      const [least, most] = CORRECTED_MS;
      const after = this.#parts.chance.between(least, most, `corrected ${time.now()}`);
      time.alarm(time.now() + after, () => this.#setWall(0));
    });
    this.#crash(offMs);
  }

  #startAfter(ms: number): void {
    const { time } = this.#parts;
    time.alarm(time.now() + ms, () => this.#after.push(() => this.start()));
  }

  /** The player is down and its files are quiet: they are looked through, and may come to harm. */
  #lieDown(): void {
    const { disk, chance, books, time, trace, onFault } = this.#parts;
    this.#rows.close();
    this.#rows = new ProofRows(join(disk.folder, "proofs.db"));
    this.#reconcile();
    this.#checkRecord();
    const owed = this.#rows.owed();
    this.#rows.close();
    const harmed = harm(disk.folder, chance, `at ${time.now()}`, onFault);
    if (harmed.proofs !== null) {
      trace.note(time.now(), `damage to proofs.db: ${harmed.proofs.how}`);
      books.struck(harmed.proofs.struck);
      // What is owed is taken over from a broken file; its rows stay there.
      for (const key of owed) this.#unrecorded.add(key);
      this.#replaced = true;
      this.#fromRow = 0;
    }
    if (harmed.strikes) books.forgetStrikes();
    trace.note(time.now(), "down");
    books.disk = "sound";
  }

  /** The digests of what has been fetched and waits for its turn. */
  #waiting(): ReadonlySet<string> {
    const waiting = this.#run?.screen?.loop.state().queue ?? [];
    const line = waiting.filter(({ progress }) => progress !== "fetching");
    return new Set(line.map(({ playout }) => this.#parts.creatives.get(playout.item.url)?.file.sha256 ?? ""));
  }

  /** A disk that is in use cannot be made read-only: the player finds it so when it is started again. */
  #trouble(trouble: DiskTrouble, forMs: number): void {
    if (this.#troubled || this.#run === null) return;
    if (trouble === "full") this.#failFor(trouble, forMs);
    else this.#restart(() => this.#failFor(trouble, forMs));
  }

  #failFor(trouble: DiskTrouble, forMs: number): void {
    const { disk, time, books } = this.#parts;
    this.#troubled = true;
    books.disk = "refusing";
    disk.fail(trouble);
    time.alarm(time.now() + forMs, () => this.#mend());
  }

  #mend(): void {
    const { disk, time, books } = this.#parts;
    if (!this.#troubled) return;
    this.#troubled = false;
    disk.mend();
    time.alarm(time.now() + REFUSED_WITHIN_MS, () => {
      if (!this.#troubled) books.disk = "sound";
    });
  }

  #setWall(aheadMs: number): void {
    const { clocks, books } = this.#parts;
    clocks.setWallAhead(aheadMs);
    // A block is told by the wall clock, which is all that there is across boots.
    books.forgetStrikes();
  }
}
