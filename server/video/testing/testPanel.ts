import type { TestContext } from 'node:test';
import { type ErrorCode, FaceplateError } from '../../contract/errors.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { nativeMedia } from '../../platform/native/nativeMedia.ts';
import {
  ScriptedCamera,
  type ScriptedReply,
  type ScriptedRequest,
  ScriptedVideo,
  usualReply,
} from '../../testing/scriptedCamera.ts';
import { portableDriver } from '../../webrtc/driver.ts';
import { streamSession } from '../contract.ts';
import type { MediaLimits } from '../limits.ts';
import type { CameraAccess } from '../rtsp/cameraUrl.ts';
import { StreamService } from '../service.ts';
import { openAccess } from './openAccess.ts';
import { WeriftViewer } from './weriftViewer.ts';

const LIMITS: Partial<MediaLimits> = { tickMs: 20, retryFirstMs: 20, retryMaxMs: 100 };

/** A service and what it announced. */
interface Panel {
  readonly service: StreamService;
  /** `id state` of every `stream` event. */
  readonly announced: string[];
  readonly bus: EventBus;
}

/** A stream service that stops with the test, with short limits. */
export async function startPanel(
  t: TestContext,
  limits: Partial<MediaLimits> = {},
  lingerSeconds = 0,
  clock: Clock = systemClock,
  access: Partial<CameraAccess> = {},
  talk: ConstructorParameters<typeof StreamService>[0]['talk'] = {},
): Promise<Panel> {
  const bus = new EventBus(silentLogger());
  const announced: string[] = [];
  bus.onAny((name, payload) => {
    if (name === 'stream')
      announced.push(`${streamSession.parse(payload).id} ${streamSession.parse(payload).state}`);
  });
  const service = new StreamService({
    log: silentLogger(),
    bus,
    lingerSeconds: () => lingerSeconds,
    access: { ...openAccess, ...access },
    driver: nativeMedia(portableDriver, silentLogger()),
    limits: { ...LIMITS, ...limits },
    clock,
    talk,
  });
  await service.start();
  t.after(() => service.stop());
  return { service, announced, bus };
}

/** A scripted camera that stops with the test. */
export async function startCamera(
  t: TestContext,
  reply: (request: ScriptedRequest) => ScriptedReply = usualReply,
): Promise<{ camera: ScriptedCamera; video: ScriptedVideo }> {
  const camera = new ScriptedCamera(reply);
  const video = new ScriptedVideo(camera);
  await camera.start();
  t.after(async () => {
    video.stop();
    await camera.stop();
  });
  return { camera, video };
}

/** A caller that never leaves. */
export const noSignal = { signal: new AbortController().signal };

/** A viewer and its offer. */
export async function newViewer(t: TestContext): Promise<{ viewer: WeriftViewer; sdp: string }> {
  const viewer = new WeriftViewer();
  t.after(() => viewer.close());
  return { viewer, sdp: await viewer.offer() };
}

/** Opens a camera for a new viewer that takes the answer. */
export async function watch(
  t: TestContext,
  service: StreamService,
  id: string,
  url: string,
): Promise<WeriftViewer> {
  const { viewer, sdp } = await newViewer(t);
  await viewer.accept((await service.open({ id, url, sdp }, noSignal)).sdp);
  return viewer;
}

/** A panel whose one viewer is connected to a camera that has sent nothing yet. */
export async function startWatching(t: TestContext, limits: Partial<MediaLimits> = {}) {
  const panel = await startPanel(t, limits);
  const { camera, video } = await startCamera(t);
  const viewer = await watch(t, panel.service, 'a', camera.url());
  await viewer.connected();
  return { ...panel, camera, video, viewer };
}

/** For assert.rejects: an error of this code with this sentence. */
export const fails =
  (code: ErrorCode, sentence = /./) =>
  (error: unknown): boolean =>
    error instanceof FaceplateError && error.code === code && sentence.test(error.message);

/** Ids of the sessions. */
export const idsOf = (service: StreamService): string[] => service.sessions().sessions.map(({ id }) => id);
/** State of one session. */
export const stateOf = (service: StreamService, id: string): string | undefined =>
  service.sessions().sessions.find((session) => session.id === id)?.state;
