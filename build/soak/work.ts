import { setTimeout as sleep } from 'node:timers/promises';
import { PanelError } from '../../client/index.ts';
import { MqttCaller } from '../bench/mqtt/mqttCaller.ts';
import type { SoakedPanel } from './soakedPanel.ts';

/** One kind of work, done again and again beside the others. */
interface Work {
  readonly name: string;
  /** Pause after each time, in milliseconds. */
  readonly pauseMs: number;
  once(turn: number): Promise<void>;
}

/** How often a kind of work was done. */
export interface Tally {
  readonly name: string;
  done: number;
  failed: number;
  /** Of the last failure. */
  reason: string;
}

/** A page of a slow panel may take this long to be shown, in milliseconds. */
const SHOWN_MS = 90_000;
const LOOK_MS = 500;
const ANSWER_MS = 30_000;
const STREAMS_A_PAGE = 3;
/** Views of a camera last this long in the page, in seconds. */
const VIEW_S = 8;
/** Share of failures that a kind of work may have: a reload meets a call now and then. */
const MAY_FAIL = 0.05;

/** The work that this panel can be given. */
export async function workOf(soaked: SoakedPanel): Promise<{ works: Work[]; end(): Promise<void> }> {
  const { broker } = soaked;
  const works = [calls(soaked), page(soaked), messages(soaked), events(soaked)];
  if (soaked.update !== undefined) works.push(updates(soaked));
  if (broker === undefined) return { works, end: async () => {} };
  const caller = await MqttCaller.connect(broker.url);
  works.push({
    name: 'MQTT commands',
    pauseMs: 500,
    once: (turn) =>
      inTime(caller.call(`faceplate/${broker.id}/command/led.color`, { red: turn % 256, green: 1, blue: 2 })),
  });
  return { works, end: () => caller.end() };
}

/** Does all kinds of work side by side until the signal. */
export async function doWork(works: readonly Work[], signal: AbortSignal): Promise<Tally[]> {
  const tallies = works.map(({ name }): Tally => ({ name, done: 0, failed: 0, reason: '' }));
  const endless = works.map(async (work, index) => {
    const tally = tallies[index]!;
    for (let turn = 0; !signal.aborted; turn++) {
      try {
        await work.once(turn);
        tally.done++;
      } catch (error) {
        // What the end itself cut off is no failure.
        if (signal.aborted) break;
        tally.failed++;
        tally.reason = (error as Error).message;
      }
      await sleep(work.pauseMs, undefined, { signal }).catch(() => {});
    }
  });
  await Promise.all(endless);
  return tallies;
}

/** Whether a kind of work was never done, or failed too often. */
export function hasFailed({ done, failed }: Tally): boolean {
  return done === 0 || failed / (done + failed) > MAY_FAIL;
}

function calls({ panel }: SoakedPanel): Work {
  return {
    name: 'calls (8 each)',
    pauseMs: 500,
    async once(turn) {
      await panel.call('led.color', { red: turn % 256, green: 128, blue: 0 });
      await panel.call('gpio.write', { pin: 2, level: turn % 2 === 0 ? 1 : 0 });
      await panel.call('gpio.list');
      await panel.call('display.state');
      await panel.call('system.info');
      await panel.call('health.state');
      await panel.call('projects.list');
      await panel.call('journal.read', { limit: 50 });
    },
  };
}

/** A load of the page, and cameras in it, one after the other: some end by themselves, some with the next load. */
function page({ panel, cameras, comingCamera }: SoakedPanel): Work {
  const streams = cameras.length > 0 ? STREAMS_A_PAGE : 0;
  const field = comingCamera === undefined ? '' : ', and a camera of the field that goes while it is watched';
  return {
    name: streams > 0 ? `page loads (with ${streams} camera streams each${field})` : 'page loads',
    pauseMs: streams > 0 ? 5_000 : 30_000,
    async once(turn) {
      await panel.call('kiosk.reload');
      await isShown(panel);
      for (let n = 0; n < streams; n++) {
        await view(panel, `soak-${n}`, cameras[(turn + n) % cameras.length]!);
        await sleep(4_000);
      }
      if (comingCamera === undefined) return;
      const { name, url, isPlain, go } = await comingCamera(turn);
      try {
        await view(panel, 'soak-field', url);
      } catch (error) {
        if (isPlain) throw new Error(`${name}: ${(error as Error).message}`);
      } finally {
        await go();
      }
    },
  };
}

async function view(panel: SoakedPanel['panel'], id: string, url: string): Promise<void> {
  const { value } = await panel.call('page.evaluate', { expression: viewing(id, url) });
  if (typeof value !== 'number' || value === 0)
    throw new Error(`The page shows no picture of a camera: ${JSON.stringify(value)}.`);
}

async function isShown(panel: SoakedPanel['panel']): Promise<void> {
  const end = performance.now() + SHOWN_MS;
  for (;;) {
    await sleep(LOOK_MS);
    const { state } = await panel.call('page.state');
    if (state === 'shown') return;
    if (performance.now() > end) throw new Error(`The page was not shown within ${SHOWN_MS} ms: ${state}.`);
  }
}

/** JavaScript of the page: watches a camera by WHEP for a while; its value is how many pictures came in the first seconds. */
function viewing(id: string, url: string): string {
  return `(async () => {
    // The page may have just begun to load.
    while (document.body === null) await new Promise((resolve) => setTimeout(resolve, 20));
    const connection = new RTCPeerConnection({ iceServers: [] });
    connection.addTransceiver('video', { direction: 'recvonly' });
    connection.addTransceiver('audio', { direction: 'recvonly' });
    const video = document.createElement('video');
    video.muted = true;
    video.srcObject = new MediaStream(connection.getReceivers().map(({ track }) => track));
    document.body.append(video);
    video.play().catch(() => {});
    await connection.setLocalDescription();
    const answer = await fetch('/api/stream/whep/${id}', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: ${JSON.stringify(url)}, sdp: connection.localDescription.sdp }),
    });
    const body = await answer.json();
    if (!answer.ok) return body;
    await connection.setRemoteDescription({ type: 'answer', sdp: body.sdp });
    setTimeout(() => {
      connection.close();
      video.remove();
      fetch('/api/stream/whep/${id}', { method: 'DELETE' });
    }, ${VIEW_S * 1000});
    let frames = 0;
    for (let tries = 0; tries < 12 && frames === 0; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      for (const entry of (await connection.getStats()).values())
        if (entry.type === 'inbound-rtp' && entry.kind === 'video') frames = entry.framesDecoded ?? 0;
    }
    return frames;
  })()`;
}

function messages({ panel }: SoakedPanel): Work {
  return {
    name: 'messages shown and removed',
    pauseMs: 15_000,
    async once(turn) {
      await panel.call('message.show', { id: 'soak', text: `Message ${turn}`, style: 'banner', seconds: 60 });
      await sleep(2_000);
      await panel.call('message.remove', { id: 'soak' });
    },
  };
}

/** Streams of events that are opened, heard and dropped. */
function events({ panel }: SoakedPanel): Work {
  return {
    name: 'event streams',
    pauseMs: 2_000,
    async once() {
      let heard = 0;
      for await (const _ of panel.events({ signal: AbortSignal.timeout(ANSWER_MS) }))
        if (++heard === 5) return;
    },
  };
}

/** A signed version is sent and judged, and refused at the last step; and the channel is read anew. */
function updates({ panel, update }: SoakedPanel): Work {
  const { bundle, channel } = update!;
  return {
    name: 'updates sent and judged, channel read',
    pauseMs: 20_000,
    async once(turn) {
      await panel.call('settings.change', { update: { channel: `${channel}?${turn}` } });
      const refused = await panel.call('update.install', { body: new Uint8Array(bundle) }).then(
        () => 'taken',
        (error: unknown) => (error instanceof PanelError ? error.code : Promise.reject(error)),
      );
      // From its sources Faceplate judges a version to the end, and installs none.
      if (refused !== 'UNSUPPORTED_HARDWARE') throw new Error(`The version was not judged: ${refused}.`);
    },
  };
}

async function inTime(work: Promise<void>): Promise<void> {
  const end = new AbortController();
  const late = sleep(ANSWER_MS, undefined, { signal: end.signal }).then(() => {
    throw new Error(`There was no answer within ${ANSWER_MS} ms.`);
  });
  late.catch(() => {});
  try {
    await Promise.race([work, late]);
  } finally {
    end.abort();
  }
}
