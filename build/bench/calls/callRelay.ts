// The media of calls in a separate process, so that it can be measured. By IPC it gets requests, and sends answers and
// the questions to the intercom page, whose peer connections are at the other end.

import { CallMediaFactory } from '../../../server/intercom/media/factory.ts';
import type { CallMedia, IntercomPage, MediaOptions } from '../../../server/intercom/ports.ts';
import { silentLogger } from '../../../server/platform/log.ts';
import { nativeMedia } from '../../../server/platform/native/nativeMedia.ts';
import { portableDriver } from '../../../server/webrtc/driver.ts';

/** To this process: a call to make, media for it, or an answer of the page. */
export type RelayRequest =
  | { readonly kind: 'call'; readonly id: number; readonly media: MediaOptions; readonly offer: string }
  | {
      readonly kind: 'broadcast';
      readonly id: number;
      readonly offers: readonly string[];
      readonly media: MediaOptions;
    }
  | { readonly kind: 'stop'; readonly id: number }
  | { readonly kind: 'page'; readonly id: number; readonly sdp: string };

/** From this process. */
export type RelayMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly id: number; readonly answers: readonly string[] }
  | { readonly kind: 'connect'; readonly id: number; readonly offer: Parameters<IntercomPage['connect']>[0] }
  | { readonly kind: 'close'; readonly connection: string };

const say = (message: RelayMessage): void => void process.send?.(message);
const waiting = new Map<number, (sdp: string) => void>();
let asked = 0;

const page: IntercomPage = {
  onReset: () => {},
  connect: (offer) =>
    new Promise((resolve) => {
      const id = ++asked;
      waiting.set(id, resolve);
      say({ kind: 'connect', id, offer });
    }),
  close: async (connection) => say({ kind: 'close', connection }),
  play: async () => {},
  setVolume: async () => {},
};

const log = silentLogger();
const factory = new CallMediaFactory({ page, log, driver: nativeMedia(portableDriver, log) });
const stops: (() => Promise<void>)[] = [];

async function answerAll(
  open: (media: MediaOptions) => Promise<CallMedia>,
  media: MediaOptions,
  offers: readonly string[],
): Promise<string[]> {
  const answers: string[] = [];
  for (const offer of offers) {
    const call = await open(media);
    stops.push(() => call.stop());
    answers.push(await call.answer(offer));
  }
  return answers;
}

async function serve(request: RelayRequest): Promise<void> {
  const { kind, id } = request;
  if (kind === 'page') waiting.get(id)?.(request.sdp);
  else if (kind === 'call') {
    const answers = await answerAll((media) => factory.open(media), request.media, [request.offer]);
    say({ kind: 'done', id, answers });
  } else if (kind === 'broadcast') {
    const broadcast = await factory.openPage();
    stops.push(() => broadcast.stop());
    const answers = await answerAll((media) => broadcast.open(media), request.media, request.offers);
    say({ kind: 'done', id, answers });
  } else {
    await Promise.all(stops.splice(0).map((stop) => stop()));
    say({ kind: 'done', id, answers: [] });
  }
}

process.on('message', (request: RelayRequest) => void serve(request));
await factory.start();
say({ kind: 'ready' });
