import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import { type Clip, parseClip } from '../../simulatedCamera/clip.ts';
import { clipsOf, type FieldClips, picturesOf } from './fieldVideo.ts';

/** Clips that a decoder shows, made by Debian's ffmpeg: small, since many are watched at once. */
export async function realClips(): Promise<FieldClips> {
  const plain = await encoded('320x180', 1);
  const other = await encoded('240x136', 1);
  const sliced = await encoded('320x180', 3);
  const second = (clip: Clip) => picturesOf(clip).slice(0, 25);
  return {
    ...clipsOf(plain, plain),
    sliced: picturesOf(sliced),
    twoSizes: [...second(plain), ...second(other)],
  };
}

/** Two seconds of a test picture, with a key frame each second. */
async function encoded(size: string, slices: number): Promise<Clip> {
  const folder = temporaryFolder('clip');
  const file = join(folder, 'clip.h264');
  const source = `-f lavfi -i testsrc2=size=${size}:rate=25:duration=2`;
  const encoder = `-c:v libx264 -profile:v baseline -g 25 -sc_threshold 0 -x264-params slices=${slices}`;
  await promisify(execFile)('ffmpeg', `-v error ${source} ${encoder} -f h264 ${file}`.split(' '));
  return parseClip(await readFile(file));
}
