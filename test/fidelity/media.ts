import { SVG_PICTURES } from "./svg-pictures.ts";

/** A picture or a clip that is made from the harbour scene, and how. */
export interface MediaRecipe {
  readonly name: string;
  readonly file: string;
  readonly does: string;
  readonly mimeType: string;
  readonly make: Making;
  /** The word by which the player names what it cannot decode. */
  readonly fails?: string;
}

/** How a file is made: by ffmpeg from frames of the scene, by bytes of our own, or as it was committed. */
export type Making =
  | {
      readonly kind: "encoded";
      readonly width: number;
      readonly height: number;
      readonly frames: number;
      /** For ffmpeg, after its input. */
      readonly args: readonly string[];
      readonly hasAlpha?: boolean;
      readonly sound?: boolean;
      readonly edit?: Edit;
    }
  | { readonly kind: "interlaced-png"; readonly width: number; readonly height: number }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "committed" };

/** What is put into a file after it was encoded: into a JPEG, or into an MP4. */
export type Edit = JpegEdit | { readonly kind: "quarter-turn" };
export type JpegEdit =
  | { readonly kind: "orientation"; readonly orientation: number }
  | { readonly kind: "swapped-profile" };

export const FRAMES_PER_SECOND = 25;

/** Moving pictures come to rest in their last frames: a player holds the last one, and that is compared. */
const MOVING = { width: 640, height: 360, frames: FRAMES_PER_SECOND } as const;
const STILL = { width: 960, height: 540, frames: 1 } as const;

const JPEG = ["-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj420p"];
const H264 = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "20"];
const H264_420 = [...H264, "-pix_fmt", "yuv420p"];
const REAL_TIME = ["-deadline", "realtime", "-cpu-used", "8", "-pix_fmt", "yuv420p"];
const PALETTE = ["-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse"];
const MOVING_GIF = [...PALETTE, "-loop", "-1"];
const VP9 = ["-c:v", "libvpx-vp9", "-b:v", "2M", ...REAL_TIME];
const FRONT = ["-movflags", "+faststart"];

export const MEDIA: readonly MediaRecipe[] = [
  picture("jpeg-baseline", "jpg", "a JPEG as cameras write it", JPEG),
  picture("jpeg-full-chroma", "jpg", "a JPEG with a colour for each pixel", [
    ...JPEG.slice(0, 4),
    "-pix_fmt",
    "yuvj444p",
  ]),
  committed("jpeg-grey", "a JPEG with one channel"),
  committed("jpeg-progressive", "a JPEG that is refined as it comes"),
  committed("jpeg-cmyk", "a JPEG made for print"),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map(turned),
  {
    ...picture("jpeg-profile", "jpg", "a JPEG whose colour profile swaps red and green", JPEG),
    make: { kind: "encoded", ...STILL, args: JPEG, edit: { kind: "swapped-profile" } },
  },
  picture("jpeg-portrait", "jpg", "a picture that is higher than it is wide", JPEG, { width: 405, height: 720 }),
  picture("jpeg-banner", "jpg", "a picture that is eight times as wide as it is high", JPEG, {
    width: 1456,
    height: 180,
  }),
  picture("jpeg-4k", "jpg", "a picture with three times as many pixels each way", JPEG, { width: 3840, height: 2160 }),
  picture("png-colours", "png", "a PNG", ["-pix_fmt", "rgb24"]),
  picture("png-small", "png", "a picture much smaller than the display", ["-pix_fmt", "rgb24"], {
    width: 64,
    height: 36,
  }),
  picture("png-16-bit", "png", "a PNG with 16 bits a channel", ["-pix_fmt", "rgb48be"]),
  picture("png-grey-16-bit", "png", "a grey PNG with 16 bits", ["-pix_fmt", "gray16be"]),
  picture("png-palette", "png", "a PNG with 256 colours", PALETTE),
  alpha("png-alpha", "png", "a PNG that one can see through", ["-pix_fmt", "rgba"]),
  {
    name: "png-interlaced",
    file: "png-interlaced.png",
    does: "a PNG in seven passes",
    mimeType: "image/png",
    make: { kind: "interlaced-png", width: 480, height: 270 },
  },
  {
    ...moving("png-animated", "png", "an animated PNG", "image/png", [
      "-f",
      "apng",
      "-plays",
      "1",
      "-pix_fmt",
      "rgb24",
    ]),
    make: { kind: "encoded", ...MOVING, frames: 12, args: ["-f", "apng", "-plays", "1", "-pix_fmt", "rgb24"] },
  },
  picture("webp-lossy", "webp", "a WebP", ["-c:v", "libwebp", "-q:v", "80"]),
  picture("webp-lossless", "webp", "a WebP without loss", ["-c:v", "libwebp", "-lossless", "1"]),
  alpha("webp-alpha", "webp", "a WebP that one can see through", [
    "-c:v",
    "libwebp",
    "-q:v",
    "80",
    "-pix_fmt",
    "yuva420p",
  ]),
  moving("webp-animated", "webp", "an animated WebP", "image/webp", [
    "-c:v",
    "libwebp_anim",
    "-q:v",
    "70",
    "-loop",
    "1",
  ]),
  picture("gif-still", "gif", "a GIF", PALETTE),
  moving("gif-animated", "gif", "an animated GIF", "image/gif", MOVING_GIF),
  called("image/png", picture("jpeg-called-png", "jpg", "a JPEG by the name of a PNG", JPEG)),
  called(
    "image/png",
    moving("gif-called-png", "gif", "an animated GIF by the name of a PNG", "image/gif", [...MOVING_GIF, "-f", "gif"]),
  ),
  picture("avif-still", "avif", "an AVIF", avif("yuv420p")),
  picture("avif-10-bit", "avif", "an AVIF with 10 bits a channel", avif("yuv420p10le")),
  svg("svg-plain", "an SVG with a view box", SVG_PICTURES.plain),
  svg("svg-sized", "an SVG with a width and a height", SVG_PICTURES.sized),
  svg("svg-with-script", "an SVG whose script may not run, and whose links may not load", SVG_PICTURES.withScript),
  svg("svg-animated", "an SVG that moves by itself and comes to rest", SVG_PICTURES.animated),
  clip("clip-h264-baseline", "a clip for the oldest decoders", [...H264_420, "-profile:v", "baseline", ...FRONT]),
  clip("clip-h264-main", "a clip", [...H264_420, "-profile:v", "main", ...FRONT]),
  clip("clip-h264-high", "a clip with frames that refer to later ones", [
    ...H264_420,
    "-profile:v",
    "high",
    "-bf",
    "3",
    ...FRONT,
  ]),
  clip("clip-h264-444", "a clip with a colour for each pixel", [...H264, "-pix_fmt", "yuv444p", ...FRONT]),
  clip("clip-h264-10-bit", "a clip with 10 bits a channel", [...H264, "-pix_fmt", "yuv420p10le", ...FRONT]),
  clip("clip-index-last", "a clip with its index at the end", H264_420),
  clip("clip-fragmented", "a clip in fragments", [
    ...H264_420,
    "-g",
    "5",
    "-movflags",
    "+frag_keyframe+empty_moov+default_base_moof",
  ]),
  clip("clip-anamorphic", "a clip with pixels that are not square", [
    ...H264_420,
    "-vf",
    "scale=320:360,setsar=2/1",
    ...FRONT,
  ]),
  clip("clip-portrait", "a clip that is higher than it is wide", [...H264_420, ...FRONT], { width: 360, height: 640 }),
  clip("clip-odd-size", "a clip of 853x479", ["-c:v", "libvpx-vp9", "-b:v", "1M", ...REAL_TIME], {
    ...{ width: 853, height: 479, as: "webm" },
  }),
  clip("clip-one-frame", "a clip of one frame", [...H264_420, ...FRONT], { frames: 1 }),
  clip("clip-with-sound", "a clip with sound", [...H264_420, "-c:a", "aac", ...FRONT], { sound: true }),
  clip("clip-rotated", "a clip that a telephone took upright", H264_420, { edit: { kind: "quarter-turn" } }),
  clip("clip-interlaced", "a clip in two fields a frame", [...H264_420, "-flags", "+ildct+ilme", ...FRONT]),
  clip("clip-limited-range", "a clip that says which colours it is in", [
    ...H264_420,
    ...[
      "-vf",
      "scale=out_color_matrix=bt709",
      "-colorspace",
      "bt709",
      "-color_primaries",
      "bt709",
      "-color_trc",
      "bt709",
    ],
    ...FRONT,
  ]),
  clip("clip-vp8", "a clip in VP8", ["-c:v", "libvpx", "-b:v", "2M", ...REAL_TIME], { as: "webm" }),
  clip("clip-vp9", "a clip in VP9", VP9, { as: "webm" }),
  called("video/mp4", clip("clip-vp9-called-mp4", "a WebM by the name of an MP4", [...VP9, "-f", "webm"])),
  clip("clip-av1", "a clip in AV1", ["-c:v", "libsvtav1", "-preset", "12", "-crf", "30", "-pix_fmt", "yuv420p"], {
    as: "webm",
  }),
  {
    ...clip("clip-hevc", "a clip in HEVC, which no decoder here knows", [
      "-c:v",
      "libx265",
      "-preset",
      "ultrafast",
      "-pix_fmt",
      "yuv420p",
      "-tag:v",
      "hvc1",
    ]),
    fails: "HEVC",
  },
];

function picture(
  name: string,
  extension: string,
  does: string,
  args: readonly string[],
  size: { width: number; height: number } = STILL,
): MediaRecipe {
  const mimeType = extension === "jpg" ? "image/jpeg" : `image/${extension}`;
  return { name, file: `${name}.${extension}`, does, mimeType, make: { kind: "encoded", ...size, frames: 1, args } };
}

/** What says that it is of another type than it is. */
function called(mimeType: "image/png" | "video/mp4", recipe: MediaRecipe): MediaRecipe {
  return { ...recipe, file: `${recipe.name}.${mimeType.split("/")[1]}`, mimeType };
}

function alpha(name: string, extension: string, does: string, args: readonly string[]): MediaRecipe {
  const plain = picture(name, extension, does, args);
  return { ...plain, make: { kind: "encoded", ...STILL, args, hasAlpha: true } };
}

/** As cameras write them that were held another way: the pixels are as they are, and a mark says how to turn them. */
function turned(orientation: number): MediaRecipe {
  const plain = picture(`jpeg-exif-${orientation}`, "jpg", `a JPEG with EXIF orientation ${orientation}`, JPEG);
  return { ...plain, make: { kind: "encoded", ...STILL, args: JPEG, edit: { kind: "orientation", orientation } } };
}

function moving(name: string, extension: string, does: string, mimeType: string, args: readonly string[]): MediaRecipe {
  return { name, file: `${name}.${extension}`, does, mimeType, make: { kind: "encoded", ...MOVING, args } };
}

interface ClipChanges {
  readonly as?: "mp4" | "webm";
  readonly width?: number;
  readonly height?: number;
  readonly frames?: number;
  readonly sound?: boolean;
  readonly edit?: Edit;
}

function clip(
  name: string,
  does: string,
  args: readonly string[],
  { as = "mp4", ...changes }: ClipChanges = {},
): MediaRecipe {
  const make: Making = { kind: "encoded", ...MOVING, args, ...changes };
  return { name, file: `${name}.${as}`, does, mimeType: `video/${as}`, make };
}

function avif(pixels: string): readonly string[] {
  return ["-c:v", "libaom-av1", "-still-picture", "1", "-cpu-used", "8", "-crf", "20", "-pix_fmt", pixels];
}

function committed(name: string, does: string): MediaRecipe {
  return { name, file: `${name}.jpg`, does, mimeType: "image/jpeg", make: { kind: "committed" } };
}

function svg(name: string, does: string, text: string): MediaRecipe {
  return { name, file: `${name}.svg`, does, mimeType: "image/svg+xml", make: { kind: "text", text } };
}
