/** What the main process asks of a media deck, one call each, by name on the page's global scope. */
interface Deck {
  /** Loads the media; resolves when its first picture is decoded. Rejects with a reason when it cannot be shown. */
  cue(source: Source): Promise<void>;
  /** Resolves, even while the page is hidden, when the first picture has been handed on to be drawn: with its middle. */
  drawn(): Promise<Point>;
  /** Puts black around the picture; resolves when that has been handed on, too. */
  surround(): Promise<unknown>;
  /** Begins to play; resolves when the first frame was presented, with that instant in Unix epoch milliseconds. */
  take(): Promise<number>;
  /** What has been presented since the take. */
  progress(): Progress;
}

interface Source {
  readonly form: "video" | "image";
  /** By its bytes, as its decoder calls it. */
  readonly mimeType: string;
  readonly url: string;
  readonly muted: boolean;
}

/** In CSS pixels of the page. */
interface Point {
  readonly x: number;
  readonly y: number;
}

interface Progress {
  readonly framesPresented: number;
  /** True when no further frame is to come: a picture, a clip that reached its last frame (F17) or is between two. */
  readonly still: boolean;
}

let start: () => Promise<number> = () => Promise.reject(new Error("nothing is cued"));
let drawn: () => Promise<unknown> = nextPaint;
let progress: () => Progress = () => ({ framesPresented: 0, still: false });

const deck: Deck = {
  cue: (source) => (source.form === "video" ? cueVideo(source) : cueImage(source)),
  drawn: async () => {
    await drawn();
    return { x: Math.floor(innerWidth / 2), y: Math.floor(innerHeight / 2) };
  },
  surround: () => {
    document.body.classList.add("surrounded");
    return nextPaint();
  },
  take: () => start(),
  progress: () => progress(),
};
Object.assign(globalThis, { deck });

async function cueVideo({ url, muted }: Source): Promise<void> {
  const video = document.createElement("video");
  video.muted = muted;
  video.playsInline = true;
  video.disablePictureInPicture = true;
  video.preload = "auto";
  // A callback for every frame would wake this page 30 times a second; each tells how many there have been.
  let framesPresented = 0;
  const nextFrame = () =>
    new Promise<number>((resolve) => {
      video.requestVideoFrameCallback((now, { presentedFrames }) => {
        framesPresented = presentedFrames;
        resolve(performance.timeOrigin + now);
      });
    });
  // A page draws itself before its video does, and black where that will be.
  const first = nextFrame();
  drawn = () => first;
  await new Promise<void>((resolve, reject) => {
    video.oncanplaythrough = () => resolve();
    video.onerror = () => reject(new Error(video.error?.message || "undecodable"));
    video.src = url;
    document.body.append(video);
  });
  if (video.videoWidth === 0) throw new Error("undecodable: no picture");
  let before = momentOf(video);
  progress = () => {
    void nextFrame();
    const now = momentOf(video);
    // A clip may have a picture every few seconds, and its sound may go on after the last one: its time goes on, too.
    const isBetween = now.time > before.time && now.decoded === before.decoded;
    before = now;
    return { framesPresented, still: video.ended || isBetween };
  };
  start = () =>
    new Promise<number>((resolve, reject) => {
      video.onerror = () => reject(new Error(video.error?.message || "undecodable"));
      const painted = nextPaint();
      nextFrame().then(resolve);
      const onPlaying = () => setTimeout(() => resolve(painted), SLOW_MS);
      // A clip of one picture ends where it begins, which calls its playing off: all of it was drawn before.
      const onRefused = (error: unknown) => (video.ended ? resolve(nextPaint()) : reject(new Error(String(error))));
      if (video.ended) resolve(nextPaint());
      else video.play().then(onPlaying, onRefused);
    });
}

/** A clip that plays and has not come to its second picture by then has few: the first one was drawn before it began. */
const SLOW_MS = 200;

/** How far a clip has come, in seconds, and how many of its pictures were decoded for that. */
function momentOf(video: HTMLVideoElement): { readonly time: number; readonly decoded: number } {
  return { time: video.currentTime, decoded: video.getVideoPlaybackQuality().totalVideoFrames };
}

/** A picture is turned as it says, in its own colours, and moves from its first image on if it moves at all (F24). */
async function cueImage({ url, mimeType }: Source): Promise<void> {
  const image = await pictureAt(url);
  if (await isCutOff(image, mimeType)) throw new Error("undecodable: a part of it is missing");
  const moves = await isAnimated(url, mimeType);
  // A picture that moves would do so from when it is first drawn: until it is taken its first image stands in for it.
  const moving = moves ? await pictureAt(`${url}?moving`) : null;
  const shown = moves ? await firstImageOf(image) : image;
  document.body.append(shown);
  let framesPresented = 0;
  progress = () => ({ framesPresented, still: true });
  start = async () => {
    if (moving !== null) shown.replaceWith(moving);
    const at = await nextPaint();
    framesPresented = 1;
    return at;
  };
}

async function pictureAt(url: string): Promise<HTMLImageElement> {
  const image = new Image();
  await new Promise((resolve, reject) => {
    image.onload = resolve;
    image.onerror = () => reject(new Error("undecodable"));
    image.src = url;
  });
  return image;
}

/** Whether one sees through so much of a picture as people notice: what is transparent, or what was not decoded. */
function hasHoles(image: HTMLImageElement): boolean {
  const context = new OffscreenCanvas(HOLE_CELLS, HOLE_CELLS).getContext("2d");
  if (context === null) throw new Error("there is no canvas");
  context.drawImage(image, 0, 0, HOLE_CELLS, HOLE_CELLS);
  const { data } = context.getImageData(0, 0, HOLE_CELLS, HOLE_CELLS);
  return data.some((value, at) => at % 4 === 3 && value === 0);
}

const HOLE_CELLS = 16;

/** Whether the bytes of a picture end before it does: a picture element draws what there is, or nothing, and says that it loaded. */
async function isCutOff(image: HTMLImageElement, type: string): Promise<boolean> {
  if (!(await ImageDecoder.isTypeSupported(type)) || !hasHoles(image)) return false;
  const isWhole = await askDecoder(image.src, type, async (decoder) => {
    (await decoder.decode()).image.close();
    return true;
  });
  return isWhole === null;
}

/** Pictures that may move. A drawing runs its own animations, from when it is loaded. */
const MAY_MOVE: readonly string[] = ["image/gif", "image/png", "image/webp", "image/avif"];

async function isAnimated(url: string, type: string): Promise<boolean> {
  if (!MAY_MOVE.includes(type)) return false;
  // What a picture element shows all the same is shown as it is.
  const images = await askDecoder(url, type, (decoder) => decoder.tracks.selectedTrack?.frameCount ?? 1);
  return (images ?? 1) > 1;
}

/** What a decoder that has all bytes of a picture answers; null where it cannot take them for one. */
async function askDecoder<T>(
  url: string,
  type: string,
  ask: (decoder: ImageDecoder) => T | Promise<T>,
): Promise<T | null> {
  const { body } = await fetch(url);
  if (body === null) return null;
  const decoder = new ImageDecoder({ data: body, type });
  try {
    await decoder.completed;
    return await ask(decoder);
  } catch {
    return null;
  } finally {
    decoder.close();
  }
}

async function firstImageOf(image: HTMLImageElement): Promise<HTMLCanvasElement> {
  const canvas = document.createElement("canvas");
  const bitmap = await createImageBitmap(image);
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext("bitmaprenderer")?.transferFromImageBitmap(bitmap);
  return canvas;
}

/** Resolves once a frame that was begun after this call has been handed on to be presented. */
function nextPaint(): Promise<number> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now())));
  });
}
