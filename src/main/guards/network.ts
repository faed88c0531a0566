import type { Session } from "electron";

/** The proxy that every sealed session is given: the discard port, where nothing listens. */
const DEAD_PROXY = "http://127.0.0.1:9";

/**
 * Leaves a session no way to the network but the protocol handlers installed on it: every request that is not for an
 * allowed scheme is cancelled, and whatever slips past goes to a proxy that does not exist, loopback included.
 */
export async function sealNetwork(session: Session, allowedSchemes: readonly string[]): Promise<void> {
  await session.setProxy({ mode: "fixed_servers", proxyRules: DEAD_PROXY, proxyBypassRules: "<-loopback>" });
  session.webRequest.onBeforeRequest((details, answer) => {
    answer({ cancel: !allowedSchemes.includes(new URL(details.url).protocol) });
  });
}
