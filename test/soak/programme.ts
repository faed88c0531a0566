import { demoWorld } from "../../src/emulator/world/demo.ts";
import type { WorldFile } from "../../src/emulator/world/schema.ts";

/** What is played: a world of its own, and how long each creative of its rotation is shown in it. */
export interface Programme {
  readonly world: WorldFile;
  readonly durationsMs: ReadonlyMap<string, number>;
}

/** Of news and ads, in the order of the world: hardly two that meet are of one length. */
const NEWS_MS = [5_000, 5_500, 6_000, 6_500, 7_000];
const ADS_MS = [6_250, 5_250, 7_250, 5_750, 6_750];
/** Three frames of a display: what is no whole number of them cannot be shown to the frame. */
const WHOLE_FRAMES_MS = 50;

/** The demo world with items of several lengths, all `speed` times shorter. */
export function programmeAt(speed: number): Programme {
  const world = demoWorld();
  const durationsMs = new Map<string, number>();
  const timed = <T extends object>(
    one: T,
    creative: string | undefined,
    lengthMs: number,
  ): T & { duration: number } => {
    const duration = Math.round(lengthMs / speed / WHOLE_FRAMES_MS) * WHOLE_FRAMES_MS;
    if (creative !== undefined) durationsMs.set(creative, duration);
    return { ...one, duration };
  };
  const inTurn = (lengths: readonly number[], index: number) => lengths[index % lengths.length] as number;
  const news = world.news?.map((one, index) => timed(one, one.creative, inTurn(NEWS_MS, index)));
  const organizations = world.organizations.map((organization) => ({
    ...organization,
    campaigns: organization.campaigns?.map((one, index) => {
      const approved = organization.cars?.find(({ car_id, status }) => car_id === one.car_id && status === "approved");
      return timed(one, approved?.creative, inTurn(ADS_MS, index));
    }),
  }));
  return { world: { ...world, organizations, ...(news === undefined ? {} : { news }) }, durationsMs };
}
