import type { Logger } from "pino";
import { type Ran, type Run, runProgram } from "../../player/run-program.ts";
import { changesFor, type Output, type OutputChange, type OutputProgram, type OutputWish } from "./output-programs.ts";

/** How the display of a screen is to be, and where that display begins now; null where it is not there. */
export interface WantedDisplay {
  readonly screenId: string;
  readonly wish: OutputWish;
  readonly origin: { readonly x: number; readonly y: number } | null;
}

/**
 * Sets displays up as they are wanted, and says what could not be done: such a display is left as it is, and not tried
 * again until `forget`, unless the program gave no answer. Whatever was changed is read back.
 */
export class DisplaySetup {
  readonly #program: OutputProgram;
  readonly #log: Logger;
  readonly #run: Run;
  /** What a display did not become, by its name and the kind of the change, and why. */
  readonly #refused = new Map<string, string>();
  #troubles: ReadonlyMap<string, string> = new Map();
  /** What the program did not answer this time, in one line, or null. */
  #unanswered: string | null = null;
  /** One after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(program: OutputProgram, log: Logger, run: Run = runProgram) {
    this.#program = program;
    this.#log = log;
    this.#run = run;
  }

  /** What is wrong with the display of a screen, in one line, or null. */
  troubleOf(screenId: string): string | null {
    return this.#troubles.get(screenId) ?? null;
  }

  /** Has what could not be done tried again by the next `apply`: another display may be there. */
  forget(): void {
    this.#refused.clear();
  }

  /**
   * Resolves when the displays are as wanted, as far as they can be: to false where the program gave no answer, so that it is
   * to be tried again.
   */
  apply(wanted: readonly WantedDisplay[]): Promise<boolean> {
    const turn = this.#turn.then(async () => {
      this.#unanswered = null;
      await this.#apply(wanted);
      return this.#unanswered === null;
    });
    this.#turn = turn;
    return turn;
  }

  async #apply(wanted: readonly WantedDisplay[]): Promise<void> {
    const present = wanted.filter(
      ({ wish, origin }) => origin !== null && Object.values(wish).some((one) => one !== null),
    );
    if (present.length === 0) return this.#tell(new Map());
    const before = await this.#read();
    if (typeof before === "string") return this.#tell(new Map(present.map(({ screenId }) => [screenId, before])));
    // By name from here on: what is changed may move the others.
    const chosen = present.flatMap(({ screenId, wish, origin }) =>
      before.filter(({ x, y }) => x === origin?.x && y === origin.y).map(({ name }) => ({ screenId, wish, name })),
    );
    let isChanged = false;
    for (const { wish, name } of chosen) {
      const output = before.find((one) => one.name === name);
      for (const change of output === undefined ? [] : changesFor(output, wish).changes) {
        if (this.#refused.has(keyOf(name, change))) continue;
        isChanged = true;
        await this.#change(name, change);
      }
    }
    const after = isChanged ? await this.#read() : before;
    const troubles = chosen.flatMap(({ screenId, wish, name }) => {
      const output = typeof after === "string" ? after : after.find((one) => one.name === name);
      const trouble = typeof output === "object" ? this.#troubleOf(output, wish) : (output ?? null);
      return trouble === null ? [] : [[screenId, trouble] as const];
    });
    const untold = present.filter(({ screenId }) => !chosen.some((one) => one.screenId === screenId));
    const why = `${this.#program.name} does not tell of the display`;
    this.#tell(new Map([...untold.map(({ screenId }) => [screenId, why] as const), ...troubles]));
  }

  async #read(): Promise<readonly Output[] | string> {
    const ran = await this.#ask(this.#program.list);
    return ran.kind === "ran" ? this.#program.read(ran.output) : `displays cannot be set up: ${ran.reason}`;
  }

  async #change(output: string, change: OutputChange): Promise<void> {
    const ran = await this.#ask(this.#program.changing(output, change));
    const fields = { display: output, ...describe(change) };
    if (ran.kind === "ran") this.#log.info(fields, "display set up");
    if (ran.kind === "failed") this.#refused.set(keyOf(output, change), ran.reason);
  }

  async #ask(args: readonly string[]): Promise<Ran> {
    const ran = await this.#run(this.#program.name, args);
    if (ran.kind === "stuck") this.#unanswered = ran.reason;
    return ran;
  }

  /** Why a display is not as it is wanted, or null; where all was answered, it is not tried to make it so again. */
  #troubleOf(output: Output, wish: OutputWish): string | null {
    const { changes, impossible } = changesFor(output, wish);
    const reasons = changes.map((change) => {
      const key = keyOf(output.name, change);
      const reason = this.#refused.get(key) ?? this.#unanswered ?? "the system took it and did not do it";
      if (this.#unanswered === null) this.#refused.set(key, reason);
      return `${output.name} does not take ${Object.entries(describe(change)).flat().join(" ")}: ${reason}`;
    });
    return [...(impossible === null ? [] : [impossible]), ...reasons].join("; ") || null;
  }

  #tell(troubles: ReadonlyMap<string, string>): void {
    for (const [screen, trouble] of troubles) {
      if (this.#troubles.get(screen) !== trouble) this.#log.warn({ screen, trouble }, "the display is left as it is");
    }
    this.#troubles = troubles;
  }
}

function keyOf(output: string, { kind }: OutputChange): string {
  return `${output} ${kind}`;
}

/** A change in the words of the configuration. */
function describe(change: OutputChange): Readonly<Record<string, string | number>> {
  switch (change.kind) {
    case "mode":
      return { mode: `${change.mode.width}x${change.mode.height}@${change.mode.hz}` };
    case "rotate":
      return { rotate: change.rotation };
    case "scale":
      return { scale: change.scale };
  }
}
