import type { TestContext } from 'node:test';
import type { TlsOptions } from 'node:tls';
import { type ErrorCode, FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import {
  ScriptedCamera,
  type ScriptedReply,
  type ScriptedRequest,
  usualReply,
} from '../../testing/scriptedCamera.ts';
import { type CameraAccess, parseCameraUrl } from '../rtsp/cameraUrl.ts';
import { RtspClient } from '../rtsp/client.ts';
import { CameraHabits } from '../rtsp/habits.ts';
import { openAccess } from './openAccess.ts';

/** A scripted camera that stops with the test. */
export async function startCamera(
  t: TestContext,
  reply: (request: ScriptedRequest) => ScriptedReply = usualReply,
  tls?: TlsOptions,
): Promise<ScriptedCamera> {
  const camera = new ScriptedCamera(reply, tls);
  await camera.start();
  t.after(() => camera.stop());
  return camera;
}

/** A client and what it delivered. */
export interface Received {
  readonly client: RtspClient;
  readonly packets: string[];
  readonly closed: FaceplateError[];
  /** How often nothing came over UDP. */
  udpSilent: number;
}

/** A client that is closed with the test. */
export function clientFor(
  t: TestContext,
  url: string,
  replyMs = 5_000,
  access: Partial<CameraAccess> = {},
  udpMs = 10_000,
  clock?: Clock,
): Received {
  const packets: string[] = [];
  const closed: FaceplateError[] = [];
  const client = new RtspClient({
    url: parseCameraUrl(url),
    connectMs: 5_000,
    udpMs,
    replyMs,
    ...(clock && { clock }),
    access: { ...openAccess, habits: new CameraHabits(), ...access },
    sink: {
      onRtp: (track, packet) => packets.push(`rtp ${track} ${packet.toString('hex')}`),
      onRtcp: (track, packet) => packets.push(`rtcp ${track} ${packet.toString('hex')}`),
    },
    onClosed: (error) => closed.push(error),
    onUdpSilent: () => received.udpSilent++,
  });
  const received: Received = { client, packets, closed, udpSilent: 0 };
  t.after(() => client.close());
  return received;
}

/** For assert.rejects: an error of this code with this sentence. */
export function fails(code: ErrorCode, sentence: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof FaceplateError && error.code === code && sentence.test(error.message);
}
