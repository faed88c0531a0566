/** What the main process asks of the slate, one call each, by name on the page's global scope. */
interface Slate {
  /** The screen's name, or nothing. */
  name(text: string): void;
  /** Shows the time of day. */
  clock(): void;
  /** Prepares house content below what is visible; resolves with a clip's length in milliseconds, else with null. */
  cue(source: Source): Promise<number | null>;
  /** Shows what was cued, once it has a picture, and lets what was there go. */
  take(): Promise<void>;
  /** Resolves when what is visible came to its end, broke, or made way. */
  over(): Promise<End>;
  /** Nothing but the slate. */
  bare(): void;
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

interface Laid {
  readonly element: HTMLElement;
  /** Resolves when its first picture is there to be shown. */
  readonly start: () => Promise<unknown>;
  readonly over: Promise<End>;
  readonly end: (how: End) => void;
}

const house = document.getElementById("house") as HTMLElement;
let cued: Laid | null = null;
let inSight: Laid | null = null;
let paused = false;

const slate: Slate = {
  name(text) {
    (document.getElementById("name") as HTMLElement).textContent = text;
  },
  clock: tellTime,
  async cue(source) {
    drop(cued);
    const { laid, ready } = prepare(source);
    cued = laid;
    house.prepend(laid.element);
    try {
      return await ready;
    } catch (error) {
      if (cued === laid) cued = null;
      drop(laid);
      throw error;
    }
  },
  async take() {
    const taken = cued;
    if (taken === null) throw new Error("nothing is cued");
    await taken.start();
    if (cued !== taken) throw new Error("something else was cued");
    const before = inSight;
    inSight = taken;
    cued = null;
    taken.element.classList.add("in-sight");
    drop(before);
    if (paused) slate.pause();
  },
  over: () => inSight?.over ?? Promise.resolve("replaced"),
  bare() {
    drop(cued);
    drop(inSight);
    cued = null;
    inSight = null;
  },
  pause() {
    paused = true;
    video()?.pause();
  },
  resume() {
    paused = false;
    video()
      ?.play()
      .catch(() => inSight?.end("broken"));
  },
  blank(on) {
    document.body.classList.toggle("blanked", on);
    return nextPaint();
  },
};
Object.assign(globalThis, { slate });

function video(): HTMLVideoElement | null {
  return inSight?.element instanceof HTMLVideoElement ? inSight.element : null;
}

function drop(laid: Laid | null): void {
  if (laid === null) return;
  const { element } = laid;
  element.remove();
  laid.end("replaced");
  // What is merely forgotten goes on holding its decoder until the garbage is collected.
  if (element instanceof HTMLVideoElement) {
    element.removeAttribute("src");
    element.load();
  }
}

interface Prepared {
  readonly laid: Laid;
  /** Resolves when it can be taken; rejects when it never can. */
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
  return { laid: laidBy(image, nextPaint), ready: image.decode().then(() => null) };
}

function prepareVideo({ url, muted }: Source): Prepared {
  const element = document.createElement("video");
  element.muted = muted;
  element.playsInline = true;
  element.disablePictureInPicture = true;
  element.preload = "auto";
  const start = async () => {
    const shown = new Promise((resolve) => element.requestVideoFrameCallback(resolve));
    await element.play();
    await shown;
  };
  const laid = laidBy(element, start);
  const ready = new Promise<number | null>((resolve, reject) => {
    element.oncanplaythrough = () => {
      if (element.videoWidth === 0) reject(new Error("undecodable: no picture"));
      else resolve(Number.isFinite(element.duration) ? element.duration * 1000 : null);
    };
    element.onerror = () => {
      reject(new Error(element.error?.message || "undecodable"));
      laid.end("broken");
    };
    element.onended = () => laid.end("ended");
    element.src = url;
  });
  return { laid, ready };
}

/** The operator's own page, with its scripts, and an origin that is nobody's: it reaches neither us nor the network. */
function preparePage({ url }: Source): Prepared {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.src = url;
  const ready = new Promise<null>((resolve) => {
    frame.onload = () => resolve(null);
  });
  return { laid: laidBy(frame, nextPaint), ready };
}

function laidBy(element: HTMLElement, start: () => Promise<unknown>): Laid {
  let end: (how: End) => void = () => {};
  const over = new Promise<End>((resolve) => {
    end = resolve;
  });
  element.className = "laid";
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

/** Resolves once a frame that was begun after this call has been handed on to be presented. */
function nextPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });
}
