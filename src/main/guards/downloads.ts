import type { Session } from "electron";

/** A creative may not put files on the machine. */
export function denyDownloads(session: Session): void {
  session.on("will-download", (event) => event.preventDefault());
}
