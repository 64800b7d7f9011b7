import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import { decodeG711 } from '../../../server/intercom/testing/media/g711.ts';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import {
  H264_SDP,
  ScriptedCamera,
  ScriptedVideo,
  usualReply,
} from '../../../server/testing/scriptedCamera.ts';
import { type Bench, median } from '../bench.ts';

const TRIES = 15;
/** A sample of the tone; what comes before it is below a tenth of that. */
const LOUD = 4_000;
const HEARD_LIMIT_MS = 10_000;
const LOUDSPEAKER = 'm=audio 0 RTP/AVP 8\r\na=rtpmap:8 PCMA/8000\r\na=control:trackID=1\r\na=sendonly\r\n';

/** What the page has; the types of the page's own world are not loaded here. */
interface PageWorld {
  AudioContext: new () => {
    resume(): Promise<void>;
    createOscillator(): PageNode & { start(): void };
    createGain(): PageNode & { gain: { value: number } };
    createMediaStreamDestination(): PageNode & { stream: { getAudioTracks(): object[] } };
  };
  RTCPeerConnection: new (
    configuration: object,
  ) => {
    readonly localDescription: { readonly sdp: string };
    addTransceiver(kind: string | object, init: object): void;
    setLocalDescription(): Promise<void>;
    setRemoteDescription(answer: { type: 'answer'; sdp: string }): Promise<void>;
  };
  /** Makes the tone loud, or quiet. @returns when, in milliseconds since 1970 */
  setLoud(isLoud: boolean): number;
}

interface PageNode {
  connect<T extends PageNode>(to: T): T;
}

/** Runs in the page: talks to the camera, by a quiet tone at first. */
async function talk(url: string): Promise<void> {
  const world = globalThis as unknown as PageWorld;
  const context = new world.AudioContext();
  await context.resume();
  const oscillator = context.createOscillator();
  const gain = context.createGain();
  const out = context.createMediaStreamDestination();
  gain.gain.value = 0.01;
  oscillator.connect(gain).connect(out);
  oscillator.start();
  world.setLoud = (isLoud) => {
    gain.gain.value = isLoud ? 0.8 : 0.01;
    return performance.timeOrigin + performance.now();
  };
  const connection = new world.RTCPeerConnection({ iceServers: [] });
  connection.addTransceiver(out.stream.getAudioTracks()[0]!, { direction: 'sendrecv' });
  connection.addTransceiver('video', { direction: 'recvonly' });
  await connection.setLocalDescription();
  const response = await fetch('/api/stream/whep/bench', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url, sdp: connection.localDescription.sdp }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  await connection.setRemoteDescription({ type: 'answer', sdp: JSON.parse(text).sdp });
}

export const talkBench: Bench = {
  name: 'talk',
  about:
    'voice of a page to a camera that takes PCMA: from the change in the page to the packet at the camera',
  rows: [
    {
      key: 'latency',
      label: `page to camera, median of ${TRIES}, over the camera's own buffer`,
      unit: 'ms',
      goal: { atMost: 80 },
    },
    { key: 'slowest', label: 'the slowest of them', unit: 'ms' },
  ],
  ratios: [],
  async setUp() {
    const camera = new ScriptedCamera((request) =>
      usualReply(request, `${H264_SDP}${request.headers.has('require') ? LOUDSPEAKER : ''}`),
    );
    await camera.start();
    const video = new ScriptedVideo(camera);
    video.start();
    let onLoud = (): void => {};
    let packets = 0;
    camera.onFrame = (channel, frame) => {
      // RTP of PCMA, behind its header of 12 bytes.
      if (channel !== 0 || (frame[1]! & 0x7f) !== 8) return;
      packets++;
      if (frame.subarray(12).some((byte) => decodeG711('PCMA', byte) > LOUD)) onLoud();
    };
    const service = new FaceplateProcess({
      kiosk: true,
      // A board without a camera, which the demo would otherwise play.
      env: { FACEPLATE_LOG_LEVEL: 'silent', FACEPLATE_BOARD: 'generic-linux' },
    });
    await service.start();
    const browser = await chromium.connectOverCDP(await service.devtoolsUrl, { noDefaults: true });
    const page = browser.contexts()[0]!.pages()[0]!;
    await page.evaluate(talk, camera.url());
    const deadline = performance.now() + HEARD_LIMIT_MS;
    while (packets < 50) {
      if (performance.now() > deadline) throw new Error('The camera hears nothing.');
      await sleep(20);
    }
    const set = (isLoud: boolean) =>
      page.evaluate((loud) => (globalThis as unknown as PageWorld).setLoud(loud), isLoud);
    return {
      round: async () => {
        const times: number[] = [];
        for (let index = 0; index < TRIES; index++) {
          const heard = new Promise<number>((resolve) => {
            onLoud = () => {
              onLoud = () => {};
              resolve(performance.timeOrigin + performance.now());
            };
          });
          const [at, then] = await Promise.all([
            set(true),
            Promise.race([heard, sleep(HEARD_LIMIT_MS, Number.NaN)]),
          ]);
          if (Number.isNaN(then)) throw new Error('The camera does not hear the tone.');
          times.push(then - at);
          await set(false);
          // The tone has left the way, and the next one begins at any moment of a packet.
          await sleep(300 + 20 * Math.random());
        }
        return { latency: median(times), slowest: Math.max(...times) };
      },
      tearDown: async () => {
        await browser.close();
        await service.stop();
        video.stop();
        await camera.stop();
      },
    };
  },
};
