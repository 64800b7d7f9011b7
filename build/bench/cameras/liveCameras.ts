import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CameraOrder } from './liveCameraProcess.ts';

/** The number of a picture stands in its first pixels, one square for each bit, the low one first. */
export const CODE = { bits: 8, square: 32 } as const;

export interface ClipShape {
  readonly size: string;
  readonly megabits: number;
  readonly seconds: number;
}

export const FULL_HD: ClipShape = { size: '1920x1080', megabits: 4, seconds: 6 };
export const FOUR_K: ClipShape = { size: '3840x2160', megabits: 16, seconds: 2 };
export const SMALL: ClipShape = { size: '640x360', megabits: 1, seconds: 6 };

/** Makes a clip with 25 pictures a second and a key frame every 2 s. Noise over a test picture, so that it really has its rate. */
export async function makeClip(file: string, { size, megabits, seconds }: ClipShape): Promise<void> {
  const { bits, square } = CODE;
  const box = (x: number, width: number, look: string) =>
    `drawbox=x=${x}:y=0:w=${width}:h=${square}:t=fill:color=${look}`;
  const squares = Array.from({ length: bits }, (_, bit) =>
    box(bit * square, square, `white:enable=mod(floor(round(25*t)/${2 ** bit})\\,2)`),
  );
  const filters = ['noise=alls=12:allf=t', box(0, bits * square, 'black'), ...squares].join(',');
  const source = `testsrc2=size=${size}:rate=25:duration=${seconds},${filters}`;
  const rate = `-b:v ${megabits}M -maxrate ${megabits}M -bufsize ${megabits / 2}M`;
  const encoder = `-c:v libx264 -preset ultrafast -tune zerolatency -profile:v baseline ${rate} -g 50 -sc_threshold 0`;
  const args = `-v error -f lavfi -i ${source} ${encoder} -f h264 ${file}`;
  await promisify(execFile)('ffmpeg', args.split(' '));
}

/** A camera to be made. */
export interface LiveOrder {
  readonly clip: ClipShape;
  /** An address of loopback; without it 127.0.0.1. */
  readonly host?: string;
  /** Share of its packets that get lost over UDP, 0 to 1. */
  readonly loss?: number;
}

/** Cameras with sound that run, by their names. */
export interface LiveCameras {
  readonly urls: Readonly<Record<string, string>>;
  /** When a camera sent each picture of its clip last, in milliseconds since 1970. */
  sentAt(camera: string): Promise<readonly number[]>;
}

/** Starts cameras in a process of their own. @param stack ends them */
export async function liveCameras(
  stack: AsyncDisposableStack,
  orders: Readonly<Record<string, LiveOrder>>,
): Promise<LiveCameras> {
  const folder = await mkdtemp(join(tmpdir(), 'faceplate-bench-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const names = Object.keys(orders);
  const files = new Map<ClipShape, string>();
  const texts: string[] = [];
  for (const { clip, host = '127.0.0.1', loss = 0 } of Object.values(orders)) {
    const file = files.get(clip) ?? join(folder, `${files.size}.h264`);
    if (!files.has(clip)) await makeClip(file, clip);
    files.set(clip, file);
    texts.push(JSON.stringify({ file, host, loss } satisfies CameraOrder));
  }
  const child = fork(join(import.meta.dirname, 'liveCameraProcess.ts'), texts);
  stack.defer(() => void child.kill('SIGKILL'));
  const [urls] = (await once(child, 'message')) as [string[]];
  return {
    urls: Object.fromEntries(names.map((name, at) => [name, urls[at]!])),
    sentAt: async (camera) => {
      const answer = once(child, 'message');
      child.send(names.indexOf(camera));
      return ((await answer) as [number[]])[0];
    },
  };
}
