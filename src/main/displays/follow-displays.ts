import { screen } from "electron";
import type { Logger } from "pino";
import type { NamedOutput } from "../../core/displays/panel.ts";
import type { Config } from "../../player/config/config.ts";
import { runProgram } from "../../player/run-program.ts";
import type { StageWindow } from "../stage/stage-window.ts";
import { pixelsOf } from "../window/window.ts";
import { DisplaySetup } from "./display-setup.ts";
import { nowAndOnChange } from "./now-and-on-change.ts";
import { type Output, programHere } from "./output-programs.ts";

/** Displays that come or change tell of it several times over. */
const SETTLED_AFTER_MS = 500;
/** What displays tell so soon after they were switched is about that, and not about a cable. */
const OWN_DOING_MS = 3_000;

/** Displays that are kept as the configuration wants them. */
export interface FollowedDisplays {
  /** What is wrong with the display of a screen, in one line, or null. */
  troubleOf(screenId: string): string | null;
  close(): void;
}

/** Sets the displays of stages up as the configuration says, now and whenever one comes, goes or changes (Linux). */
export function followDisplays(config: Config, stages: readonly StageWindow[], log: Logger): FollowedDisplays {
  const setup = new DisplaySetup(programHere(), log);
  let setUpAt = 0;
  const apply = async () => {
    const isAnswered = await setup.apply(
      config.screens.map(({ screenId, display: { mode, rotate, scale } }, index) => {
        const display = stages[index]?.display() ?? null;
        const origin = display === null ? null : pixelsOf(display);
        return { screenId, wish: { mode, rotate, scale }, origin };
      }),
    );
    setUpAt = performance.now();
    return isAnswered;
  };
  const forget = () => {
    if (performance.now() - setUpAt > OWN_DOING_MS) setup.forget();
  };
  const close = process.platform === "linux" ? nowAndOnChange(screen, SETTLED_AFTER_MS, apply, forget) : () => {};
  return { troubleOf: (screenId) => setup.troubleOf(screenId), close };
}

/** The same before they are named, which nobody waits for. */
const NAMED_AFTER_MS = 1_000;

/** Which display each stage is on, as the session names it: asked for at the start and whenever displays change. */
export class OutputNames {
  readonly #stages: readonly StageWindow[];
  readonly #program = programHere();
  #outputs: readonly Output[] = [];

  constructor(stages: readonly StageWindow[]) {
    this.#stages = stages;
  }

  /** Null where no display begins where the stage's does, or more than one, as where they are mirrored. */
  of(screenId: string): NamedOutput | null {
    const display = this.#stages.find((stage) => stage.screenId === screenId)?.display() ?? null;
    if (display === null) return null;
    const { x, y } = pixelsOf(display);
    const [only, ...others] = this.#outputs.filter((one) => one.x === x && one.y === y);
    return only === undefined || others.length > 0 ? null : only;
  }

  /** Tells when the names are there, and after each change; the function it returns ends that. */
  follow(onNamed: () => void): () => void {
    if (process.platform !== "linux") {
      onNamed();
      return () => {};
    }
    const name = async () => {
      const { name, listKnown, read } = this.#program;
      const ran = await runProgram(name, listKnown);
      this.#outputs = ran.kind === "ran" ? read(ran.output) : [];
      onNamed();
      return ran.kind !== "stuck";
    };
    return nowAndOnChange(screen, NAMED_AFTER_MS, name);
  }
}
