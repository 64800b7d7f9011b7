// Cameras in a process of their own, so that they cost what is measured nothing: `node liveCameraProcess.ts <camera as JSON>...`. By
// IPC it says their addresses; asked for the number of a camera, it says when that sent each of its pictures.
import { readFile } from 'node:fs/promises';
import { parseClip } from '../../../server/video/simulatedCamera/clip.ts';
import { LiveCamera } from './liveCamera.ts';

/** A camera that the process makes. */
export interface CameraOrder {
  /** Its clip. */
  readonly file: string;
  /** An address of loopback. */
  readonly host: string;
  /** Share of its packets that get lost over UDP, 0 to 1. */
  readonly loss: number;
}

const orders = process.argv.slice(2).map((text) => JSON.parse(text) as CameraOrder);
const clips = new Map<string, ReturnType<typeof parseClip>>();
for (const { file } of orders) if (!clips.has(file)) clips.set(file, parseClip(await readFile(file)));
const cameras = orders.map(({ file, host, loss }) => new LiveCamera(clips.get(file)!, host, loss));
const urls: string[] = [];
for (const camera of cameras) {
  urls.push(await camera.start());
  // Not all send their pictures at the same moment.
  await new Promise((resolve) => setTimeout(resolve, 47));
}
process.on('message', (index: number) => process.send?.(cameras[index]!.sentAt));
process.on('disconnect', () => process.exit());
process.send?.(urls);
