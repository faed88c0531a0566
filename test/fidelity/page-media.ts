import type { FileRecipe } from "./make-media.ts";

const JPEG = ["-c:v", "mjpeg", "-q:v", "4", "-pix_fmt", "yuvj420p"];
const H264 = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "24", "-pix_fmt", "yuv420p", "-movflags", "+faststart"];

/** What pages bring in: pictures, a clip, and a sound. */
export const PAGE_MEDIA: readonly FileRecipe[] = [
  { file: "harbour.jpg", make: { kind: "encoded", width: 1280, height: 720, frames: 1, args: JPEG } },
  { file: "harbour-small.jpg", make: { kind: "encoded", width: 320, height: 180, frames: 1, args: JPEG } },
  {
    file: "harbour-2x.jpg",
    make: { kind: "encoded", width: 640, height: 720, frames: 1, args: [...JPEG, "-vf", "negate"] },
  },
  {
    file: "boat.png",
    make: { kind: "encoded", width: 480, height: 270, frames: 1, args: ["-pix_fmt", "rgba"], hasAlpha: true },
  },
  { file: "harbour.mp4", make: { kind: "encoded", width: 640, height: 360, frames: 20, args: H264 } },
  {
    file: "bell.mp4",
    make: { kind: "encoded", width: 64, height: 36, frames: 20, args: [...H264, "-c:a", "aac"], sound: true },
  },
];
