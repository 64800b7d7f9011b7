import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { type Baresip, type BaresipOptions, startBaresip } from '../../testing/sip/baresip.ts';
import { until } from '../../testing/waiting.ts';
import type { CallMedia, MediaOptions } from '../ports.ts';
import { decodeG711, pcmuTone, readWav, toneShare } from '../testing/media/g711.ts';
import { type PlainCall, PlainSip } from '../testing/media/plainSip.ts';
import { CALL, startFactory } from '../testing/media/remoteParty.ts';
import type { WeriftConnection, WeriftPage } from '../testing/media/weriftPage.ts';

const TIMEOUT = { timeout: 60_000 };

interface Called {
  readonly baresip: Baresip;
  readonly call: CallMedia;
  readonly page: WeriftPage;
  readonly sip: PlainCall;
}

/** The panel calls a baresip that answers at once. */
async function callBaresip(
  t: TestContext,
  account: string,
  media: Partial<MediaOptions> = {},
  options: Partial<BaresipOptions> = {},
): Promise<Called> {
  const baresip = await startBaresip({
    ...options,
    accounts: [`<sip:peer@127.0.0.1:PORT>;regint=0;answermode=auto;${account}`],
  });
  t.after(() => baresip.remove());
  const { factory, page } = await startFactory(t);
  const call = await factory.open({ ...CALL, ...media });
  const plain = await PlainSip.open(t);
  const sip = await plain.call(baresip.port, await call.offer());
  await call.accept(sip.sdp);
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  return { baresip, call, page, sip };
}

/** The share of baresip's 440 Hz tone in what the page plays. */
function toneInPage(connection: WeriftConnection, law: 'PCMU' | 'PCMA'): number {
  const packets = connection.received.audio.slice(-25);
  const samples = packets.flatMap(({ payload }) => [...payload].map((byte) => decodeG711(law, byte)));
  return toneShare(samples, 440, 8000);
}

/** Plays a tone of 1 kHz into the page's microphone while the test runs. */
function speak(t: TestContext, connection: WeriftConnection): void {
  let index = 0;
  const timer = setInterval(() => {
    connection.send('audio', index * 160, pcmuTone(1000, index));
    index++;
  }, 20);
  t.after(() => clearInterval(timer));
}

test('should carry a tone both ways with PCMU, and digits to baresip', TIMEOUT, async (t) => {
  const { baresip, call, page, sip } = await callBaresip(t, 'audio_codecs=pcmu');
  speak(t, page.latest);
  await until(() => page.latest.received.audio.length > 60, 'sound in the page');
  assert.ok(toneInPage(page.latest, 'PCMU') > 0.9, 'the tone of baresip in the page');
  assert.equal(await call.sendDtmf('1*#', 100), true);
  await until(() => baresip.events.filter(({ type }) => type === 'CALL_DTMF_START').length >= 3, 'digits');
  const digits = baresip.events.filter(({ type }) => type === 'CALL_DTMF_START').map(({ param }) => param);
  assert.deepEqual(digits, ['1', '*', '#']);
  const pressed: string[] = [];
  call.onDtmf = (digit) => pressed.push(digit);
  await baresip.command('sndcode', '5');
  await until(() => pressed.length > 0, 'the digit of baresip');
  assert.deepEqual(pressed, ['5']);
  await call.stop();
  sip.hangup();
  await baresip.event('CALL_CLOSED');
  await baresip.stop();
  const [file] = await baresip.recordings('dec');
  const { samples, rate } = readWav(await readFile(file!));
  const best = Math.max(
    ...Array.from({ length: Math.floor(samples.length / rate / 0.25) }, (_, i) =>
      toneShare(samples.slice(i * rate * 0.25, (i + 1) * rate * 0.25), 1000, rate),
    ),
  );
  assert.ok(best > 0.9, `the tone of the page at baresip: ${best}`);
});

test('should carry a tone with PCMA', TIMEOUT, async (t) => {
  const { page } = await callBaresip(t, 'audio_codecs=pcma');
  await until(() => page.latest.received.audio.length > 60, 'sound in the page');
  assert.ok(toneInPage(page.latest, 'PCMA') > 0.9, 'the tone of baresip in the page');
});

test('should encrypt packets both ways with keys from the description', TIMEOUT, async (t) => {
  const { baresip, call, page, sip } = await callBaresip(
    t,
    'audio_codecs=pcmu;mediaenc=srtp-mand',
    { secure: true },
    { modules: ['srtp.so'] },
  );
  assert.match(sip.sdp, /RTP\/SAVP[\s\S]*a=crypto:1 AES_CM_128_HMAC_SHA1_80/);
  await until(() => page.latest.received.audio.length > 60, 'sound in the page');
  assert.ok(toneInPage(page.latest, 'PCMU') > 0.9, 'the tone of baresip in the page');
  await call.sendDtmf('7', 0);
  await baresip.event('CALL_DTMF_START');
});

test('should be called by baresip, encrypt packets and see its picture', TIMEOUT, async (t) => {
  const baresip = await startBaresip({
    video: true,
    modules: ['srtp.so'],
    accounts: ['<sip:peer@127.0.0.1:PORT>;regint=0;audio_codecs=pcma;mediaenc=srtp-mand'],
  });
  t.after(() => baresip.remove());
  const { factory, page } = await startFactory(t);
  const plain = await PlainSip.open(t);
  await baresip.command('dial', `sip:panel@127.0.0.1:${plain.port}`);
  const sip = await plain.incoming();
  const call = await factory.open({ ...CALL, video: true, secure: true });
  sip.respond(200, await call.answer(sip.sdp));
  await baresip.event('CALL_ESTABLISHED');
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  const { received } = page.latest;
  await until(() => received.audio.length > 60, 'sound in the page');
  assert.ok(toneInPage(page.latest, 'PCMA') > 0.9, 'the tone of baresip in the page');
  // Its first key frame was sent before the page was there; this one was requested.
  await until(
    () => received.video.some(({ payload }) => (payload[0]! & 0x1f) === 7 || payload[0]! === 0x78),
    'a key frame',
  );
});
