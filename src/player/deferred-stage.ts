import type { Stage } from "./stage.ts";

/** A stage that is not built yet: what it is told is kept, in order, until it opens. */
export interface DeferredStage extends Stage {
  open(stage: Stage): void;
}

/** So that the first spot can be on its way while the window is still being made. */
export function deferStage(): DeferredStage {
  let real: Stage | null = null;
  const told: ((stage: Stage) => void)[] = [];
  const tell = (order: (stage: Stage) => void) => {
    if (real === null) told.push(order);
    else order(real);
  };
  return {
    cue: (playout, media) => tell((stage) => stage.cue(playout, media)),
    warm: (playout) => tell((stage) => stage.warm(playout)),
    take: (playout) => tell((stage) => stage.take(playout)),
    clear: (playout) => tell((stage) => stage.clear(playout)),
    darken: () => tell((stage) => stage.darken()),
    lighten: () => tell((stage) => stage.lighten()),
    open(stage) {
      real = stage;
      for (const order of told.splice(0)) order(stage);
    },
  };
}
