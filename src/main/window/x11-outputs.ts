import { connectX11, type X11Connection } from "./x11-connection.ts";
import { extensionIn, extensionRequest, request } from "./x11-protocol.ts";

// What an X server says of its outputs ("The X Resize, Rotate and Reflect Extension", version 1.3, X.Org).

/** Kinds of RandR's requests. */
const QUERY_VERSION = 0;
const SELECT_INPUT = 4;
const GET_OUTPUT = 9;
const GET_RESOURCES = 25;

/** Older ones do not tell which output is on, and Chromium does not ask them. */
const LEAST_MINOR = 3;
const CRTC_OR_OUTPUT_CHANGES = 0x2 | 0x4;
const CONNECTED = 0;

/** A server that lets this process in has answered by then. */
const ANSWERED_WITHIN_MS = 2_000;

/**
 * Hears whether this machine's X server shows its picture on any display: now, and whenever that changes. A server that cannot
 * be asked, or does not answer, is taken to show it.
 */
export function watchOutputs(
  env: Readonly<Record<string, string | undefined>>,
  onChange: (isShown: boolean) => void,
): void {
  let last: boolean | null = null;
  let look = async () => {};
  const unanswered = setTimeout(() => tell(true), ANSWERED_WITHIN_MS);
  const tell = (isShown: boolean | null) => {
    if (isShown === null || isShown === last) return;
    clearTimeout(unanswered);
    last = isShown;
    onChange(isShown);
  };
  const begin = async (opened: X11Connection) => {
    const code = await randrOf(opened);
    if (code === null) return tell(true);
    opened.send(request(code, [opened.root, CRTC_OR_OUTPUT_CHANGES], SELECT_INPUT));
    look = async () => tell(await isAnyOn(opened, code));
    await look();
  };
  const close = connectX11(
    env,
    (opened) => void begin(opened),
    () => void look(),
  );
  if (close === null) tell(true);
}

/** The code of RandR's requests, where the server can tell which output is on. */
async function randrOf(connection: X11Connection): Promise<number | null> {
  const answer = await connection.ask(extensionRequest("RANDR"));
  const extension = answer && extensionIn(answer);
  if (!extension) return null;
  const version = await connection.ask(request(extension.code, [1, LEAST_MINOR], QUERY_VERSION));
  return version !== null && version.readUInt32LE(12) >= LEAST_MINOR ? extension.code : null;
}

/** Null where the server is gone. */
async function isAnyOn(connection: X11Connection, code: number): Promise<boolean | null> {
  const resources = await connection.ask(request(code, [connection.root], GET_RESOURCES));
  if (resources === null) return null;
  const [crtcs, outputs] = [resources.readUInt16LE(16), resources.readUInt16LE(18)];
  const at = (index: number) => resources.readUInt32LE(32 + 4 * (crtcs + index));
  const configuredAt = resources.readUInt32LE(12);
  const answers = await Promise.all(
    Array.from({ length: outputs }, (_, index) => connection.ask(request(code, [at(index), configuredAt], GET_OUTPUT))),
  );
  return answers.some((output) => output !== null && output.readUInt32LE(12) !== 0 && output[24] === CONNECTED);
}
