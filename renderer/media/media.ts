/** What the main process asks of a media deck, one call each, by name on the page's global scope. */
interface Deck {
  /** Loads the media; resolves when its first picture is decoded. Rejects with a reason when it cannot be shown. */
  cue(source: Source): Promise<void>;
  /** Resolves when the first picture has been drawn, which may be out of sight. */
  drawn(): Promise<unknown>;
  /** Begins to play; resolves when the first frame was presented, with that instant in Unix epoch milliseconds. */
  take(): Promise<number>;
  /** What has been presented since the take. */
  progress(): Progress;
  /** Draws a still picture again, after what held it was lost with the GPU process; clips draw themselves. */
  redraw(): Promise<void>;
}

interface Source {
  readonly form: "video" | "image";
  readonly url: string;
  readonly muted: boolean;
}

interface Progress {
  readonly framesPresented: number;
  /** True when no further frame is to come: a still image, or a clip that reached its last frame (F17). */
  readonly still: boolean;
}

let start: () => Promise<number> = () => Promise.reject(new Error("nothing is cued"));
let drawn: () => Promise<unknown> = nextPaint;
let progress: () => Progress = () => ({ framesPresented: 0, still: false });
let redraw: () => Promise<void> = () => Promise.resolve();

const deck: Deck = {
  cue: (source) => (source.form === "video" ? cueVideo(source) : cueImage(source)),
  drawn: () => drawn(),
  take: () => start(),
  progress: () => progress(),
  redraw: () => redraw(),
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
  progress = () => {
    void nextFrame();
    return { framesPresented, still: video.ended };
  };
  start = () =>
    new Promise((resolve, reject) => {
      video.onerror = () => reject(new Error(video.error?.message || "undecodable"));
      nextFrame().then(resolve);
      video.play().catch(reject);
    });
}

/** The picture is decoded and scaled to the screen now: `img.decode()` and painting wait for a deck to be in sight. */
async function cueImage({ url }: Source): Promise<void> {
  const image = new Image();
  await new Promise((resolve, reject) => {
    image.onload = resolve;
    image.onerror = () => reject(new Error("undecodable"));
    image.src = url;
  });
  const canvas = document.createElement("canvas");
  const bitmap = await createImageBitmap(image, fitted(image));
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  const context = canvas.getContext("bitmaprenderer");
  // What is transferred is gone from here, and lives where it can be lost.
  redraw = async () => context?.transferFromImageBitmap(await createImageBitmap(bitmap));
  await redraw();
  document.body.append(canvas);
  let framesPresented = 0;
  progress = () => ({ framesPresented, still: true });
  start = async () => {
    const at = await nextPaint();
    framesPresented = 1;
    return at;
  };
}

/** An image larger than the screen is scaled down to it, whole and in its shape (F20). */
function fitted({ naturalWidth, naturalHeight }: HTMLImageElement): ImageBitmapOptions {
  const scale = Math.min(innerWidth / naturalWidth, innerHeight / naturalHeight) * devicePixelRatio;
  if (scale >= 1) return {};
  return {
    resizeWidth: Math.max(1, Math.round(naturalWidth * scale)),
    resizeHeight: Math.max(1, Math.round(naturalHeight * scale)),
    resizeQuality: "high",
  };
}

/** Resolves once a frame that was begun after this call has been handed on to be presented. */
function nextPaint(): Promise<number> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now())));
  });
}
