import { type Proc, renderersOf } from "./proc.ts";
import { eventually } from "./processes.ts";

/**
 * How many renderers a player has, once each of them is in Chromium's sandbox: its user is not root, and its system calls
 * are filtered. One that has only just begun has no filter yet; throws where it does not come.
 */
export async function sandboxedRenderers(playerPid: number): Promise<number> {
  const seen = renderersOf(playerPid);
  const bare = new Set(seen.filter((one) => !isSandboxed(one)).map(({ pid }) => pid));
  await eventually("the sandbox of every renderer", () => {
    for (const one of renderersOf(playerPid)) if (isSandboxed(one)) bare.delete(one.pid);
    return bare.size === 0 ? true : undefined;
  });
  return seen.length;
}

function isSandboxed({ uid, seccomp }: Proc): boolean {
  return uid > 0 && seccomp === 2;
}
