import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { until } from '../../kiosk/testing/testKiosk.ts';
import { silentLogger } from '../../platform/log.ts';
import { startBaresip } from '../../testing/sip/baresip.ts';
import { ChromiumPage } from '../testing/media/chromiumPage.ts';
import { readWav, toneShare } from '../testing/media/g711.ts';
import { PlainSip } from '../testing/media/plainSip.ts';
import { CALL, description, RemoteParty } from '../testing/media/remoteParty.ts';
import { CallMediaFactory } from './factory.ts';

const WAIT_MS = 30_000;

async function isHeard(file: string, hertz: number): Promise<boolean> {
  const { samples, rate } = readWav(await readFile(file));
  const step = Math.floor(rate / 4);
  for (let at = 0; at + step <= samples.length; at += step) {
    if (toneShare(samples.slice(at, at + step), hertz, rate) > 0.8) return true;
  }
  return false;
}

/** Pictures that baresip reports as decoded. */
function framesSeen(report: string): number {
  return Number(/vidisp: .* frames=(\d+)/.exec(report)?.[1] ?? 0);
}

/** One call: both hear the other's tone, and with video see each other's pictures. */
async function talk(
  t: TestContext,
  factory: CallMediaFactory,
  page: ChromiumPage,
  codecs: string,
  video: boolean,
): Promise<void> {
  const baresip = await startBaresip({
    video,
    accounts: [`<sip:peer@127.0.0.1:PORT>;regint=0;answermode=auto;audio_codecs=${codecs}`],
  });
  try {
    const call = await factory.open({ ...CALL, video });
    const sip = await (await PlainSip.open(t)).call(baresip.port, await call.offer());
    await call.accept(sip.sdp);
    await until(
      async () => Math.abs((await page.hertz().catch(() => 0)) - 440) < 5,
      `${codecs}: 440 Hz in the page`,
      WAIT_MS,
    );
    if (video) {
      assert.equal(call.hasVideo, true);
      await until(
        async () => ((await page.stats()).received.video?.framesDecoded ?? 0) > 10,
        'pictures in the page',
        WAIT_MS,
      );
      await until(
        async () => framesSeen(await baresip.command('video_debug')) > 10,
        'pictures at baresip',
        WAIT_MS,
      );
    }
    await until(
      async () => ((await page.stats()).sent.audio?.packetsSent ?? 0) > 75,
      'sound of the page',
      WAIT_MS,
    );
    await call.stop();
    sip.hangup();
    await baresip.event('CALL_CLOSED');
    await baresip.stop();
    const [file] = await baresip.recordings('dec');
    assert.ok(await isHeard(file!, 1000), `${codecs}: 1 kHz at baresip`);
  } finally {
    await baresip.remove();
  }
}

test('should let a browser and baresip hear and see each other', { timeout: 180_000 }, async (t) => {
  const page = await ChromiumPage.open(t);
  const factory = new CallMediaFactory({ page, log: silentLogger() });
  await factory.start();
  t.after(() => factory.stop());
  await t.test('with PCMU and H.264', () => talk(t, factory, page, 'pcmu', true));
  await t.test('with G.722', () => talk(t, factory, page, 'g722/16000/1', false));
  await t.test('with Opus', () => talk(t, factory, page, 'opus/48000/2', false));
  await t.test('with H.264 in whole NAL units', () => sendWholeNals(t, factory));
});

/** A remote party with packetization mode 0 must not get packets that it cannot reassemble (RFC 6184 section 6.2). */
async function sendWholeNals(t: TestContext, factory: CallMediaFactory): Promise<void> {
  const [audio, video] = [await RemoteParty.open(t), await RemoteParty.open(t)];
  const call = await factory.open({ ...CALL, video: true });
  t.after(() => call.stop());
  await call.answer(
    description(
      { port: audio.port, formats: '0' },
      {
        port: video.port,
        formats: '96',
        lines: ['a=rtpmap:96 H264/90000', 'a=fmtp:96 profile-level-id=42801f'],
      },
    ),
  );
  await until(() => video.received.length > 20, 'pictures of the browser', WAIT_MS);
  const types = new Set(video.received.map(({ payload }) => payload[0]! & 0x1f));
  assert.ok(types.has(5) && types.has(7) && types.has(8), 'a key frame and its parameter sets');
  assert.ok(![...types].some((type) => type >= 24), `NAL types ${[...types]}`);
  await call.stop();
}
