/** What the main process asks of the slate, one call each, by name on the page's global scope. */
interface Slate {
  /** The screen's name, or nothing. */
  name(text: string): void;
  /** Shows the time of day. */
  clock(): void;
  /** Prepares house content below what is visible; resolves with a clip's length in milliseconds, else with null. */
  cue(source: Source): Promise<number | null>;
  /** Shows what was cued, once it has a picture, and removes what was there. */
  take(): Promise<void>;
  /** Resolves when what is visible ended, broke, or was replaced. */
  over(): Promise<End>;
  /** Shows nothing but the slate. */
  clear(): void;
  pause(): void;
  resume(): void;
  /** Shows black, or the slate again; resolves when that is drawn. */
  blank(on: boolean): Promise<unknown>;
}

interface Source {
  readonly form: "image" | "video" | "page";
  readonly url: string;
  readonly muted: boolean;
}

type End = "ended" | "broken" | "replaced";

interface Content {
  readonly element: HTMLElement;
  /** Starts it; resolves when its first picture can be shown. */
  readonly start: () => Promise<unknown>;
  readonly over: Promise<End>;
  readonly end: (how: End) => void;
}

const house = document.getElementById("house") as HTMLElement;
let cued: Content | null = null;
let shown: Content | null = null;
let paused = false;

const slate: Slate = {
  name(text) {
    (document.getElementById("name") as HTMLElement).textContent = text;
  },
  clock: tellTime,
  async cue(source) {
    drop(cued);
    const { content, ready } = prepare(source);
    cued = content;
    house.prepend(content.element);
    try {
      return await ready;
    } catch (error) {
      if (cued === content) cued = null;
      drop(content);
      throw error;
    }
  },
  async take() {
    const taken = cued;
    if (taken === null) throw new Error("nothing is cued");
    await taken.start();
    if (cued !== taken) throw new Error("something else was cued");
    const before = shown;
    shown = taken;
    cued = null;
    taken.element.classList.add("shown");
    drop(before);
    if (paused) slate.pause();
  },
  over: () => shown?.over ?? Promise.resolve("replaced"),
  clear() {
    drop(cued);
    drop(shown);
    cued = null;
    shown = null;
  },
  pause() {
    paused = true;
    video()?.pause();
  },
  resume() {
    paused = false;
    const element = video();
    if (element !== null) playOn(element).catch(() => shown?.end("broken"));
  },
  blank(on) {
    document.body.classList.toggle("blanked", on);
    return nextPaint();
  },
};
Object.assign(globalThis, { slate });

function video(): HTMLVideoElement | null {
  return shown?.element instanceof HTMLVideoElement ? shown.element : null;
}

function drop(content: Content | null): void {
  if (content === null) return;
  const { element } = content;
  element.remove();
  content.end("replaced");
  // Without this the element would hold its decoder until it is garbage collected.
  if (element instanceof HTMLVideoElement) {
    element.removeAttribute("src");
    element.load();
  }
}

interface Prepared {
  readonly content: Content;
  /** Resolves when it can be taken; rejects when it cannot. */
  readonly ready: Promise<number | null>;
}

function prepare(source: Source): Prepared {
  switch (source.form) {
    case "image":
      return prepareImage(source);
    case "video":
      return prepareVideo(source);
    case "page":
      return preparePage(source);
  }
}

function prepareImage({ url }: Source): Prepared {
  const image = new Image();
  // Drawn in one frame with its place, never after it.
  image.decoding = "sync";
  image.src = url;
  const ready = image.decode().then(
    () => null,
    () => Promise.reject(new Error("undecodable")),
  );
  return { content: contentOf(image, nextPaint), ready };
}

function prepareVideo({ url, muted }: Source): Prepared {
  const element = document.createElement("video");
  element.muted = muted;
  element.playsInline = true;
  element.disablePictureInPicture = true;
  element.preload = "auto";
  // The first picture may be here before it plays, and the next one seconds away.
  const pictured = new Promise((resolve) => element.requestVideoFrameCallback(resolve));
  let seenAt = Number.POSITIVE_INFINITY;
  const start = async () => {
    await playOn(element);
    await pictured;
    seenAt = performance.now();
  };
  const content = contentOf(element, start);
  const ready = new Promise<number | null>((resolve, reject) => {
    element.oncanplaythrough = () => {
      if (element.videoWidth === 0) reject(new Error("undecodable: no picture"));
      else resolve(Number.isFinite(element.duration) ? element.duration * 1000 : null);
    };
    element.onerror = () => {
      reject(new Error(element.error?.message || "undecodable"));
      content.end("broken");
    };
    // One that is over where it begins, as of a single picture, stays: it is ended by the clock, as one that never ends.
    element.onended = () => {
      if (performance.now() - seenAt > SHORTEST_MS) content.end("ended");
    };
    element.src = url;
  });
  return { content, ready };
}

const SHORTEST_MS = 1_000;

/** Has a clip play: one that is over where it begins has called that off, and is seen all the same. */
async function playOn(element: HTMLVideoElement): Promise<void> {
  await element.play().catch((error: unknown) => {
    // A DOMException would come to the main process without its words.
    if (!element.ended) throw new Error(String(error));
  });
}

/** The operator's own page, with its scripts, and an origin of its own: it reaches neither us nor the network. */
function preparePage({ url }: Source): Prepared {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin");
  frame.src = url;
  const ready = new Promise<null>((resolve) => {
    frame.onload = () => resolve(null);
  });
  return { content: contentOf(frame, nextPaint), ready };
}

function contentOf(element: HTMLElement, start: () => Promise<unknown>): Content {
  let end: (how: End) => void = () => {};
  const over = new Promise<End>((resolve) => {
    end = resolve;
  });
  element.className = "content";
  return { element, start, over, end };
}

/** The time of day as the machine's language writes it, and again at each full minute. */
function tellTime(): void {
  const now = new Date();
  const text = now.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  (document.getElementById("clock") as HTMLElement).textContent = text;
  setTimeout(tellTime, MINUTE_MS - (now.getTime() % MINUTE_MS));
}

const MINUTE_MS = 60_000;

/** Resolves when the next frame has been submitted for presentation. */
function nextPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });
}
