import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseClip } from '../../simulatedCamera/clip.ts';
import { clipsOf, type FieldClip, type FieldClips } from './fieldVideo.ts';

const DEMO = new URL('../../simulatedCamera/demo.h264', import.meta.url);

/** Clips that a decoder shows: the bundled one, and those with slices and with two sizes, which Debian's ffmpeg makes. */
export async function realClips(): Promise<FieldClips> {
  const demo = parseClip(await readFile(DEMO));
  const small = await encoded('320x240', 1);
  const large = await encoded('640x360', 1);
  return {
    ...clipsOf(demo, demo),
    sliced: await encoded('640x360', 4),
    twoSizes: [...large.slice(0, 25), ...small.slice(0, 25)],
  };
}

/** Two seconds of a test picture, with a key frame each second. */
async function encoded(size: string, slices: number): Promise<FieldClip> {
  const folder = await mkdtemp(join(tmpdir(), 'faceplate-clip-'));
  try {
    const file = join(folder, 'clip.h264');
    const source = `-f lavfi -i testsrc2=size=${size}:rate=25:duration=2`;
    const encoder = `-c:v libx264 -profile:v baseline -g 25 -sc_threshold 0 -x264-params slices=${slices}`;
    await promisify(execFile)('ffmpeg', `-v error ${source} ${encoder} -f h264 ${file}`.split(' '));
    const { sps, pps, frames } = parseClip(await readFile(file));
    return frames.map(({ nals, isKey }) => ({ slices: nals, isKey, sps, pps }));
  } finally {
    await rm(folder, { recursive: true });
  }
}
