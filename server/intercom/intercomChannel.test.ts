import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageCaller } from '../kiosk/host.ts';
import { silentLogger } from '../platform/log.ts';
import { FakeClock } from '../testing/fakeClock.ts';
import { IntercomChannel } from './intercomChannel.ts';
import type { IntercomReply, IntercomRequest } from './pageContract.ts';

const OFFER = { connection: 'call', sdp: 'offer', microphone: true, camera: false };

/** One document of the intercom page; the test decides what it answers. */
class Document implements PageCaller {
  readonly origin = 'http://intercom.localhost:8080';
  readonly heard: IntercomRequest[] = [];
  readonly #channel: IntercomChannel;

  constructor(channel: IntercomChannel) {
    this.#channel = channel;
  }

  reply(json: string): void {
    this.heard.push(JSON.parse(json));
  }

  post(reply: IntercomReply): void {
    this.#channel.sink.onMessage(this, JSON.stringify(reply));
  }
}

function openChannel() {
  const clock = new FakeClock();
  const channel = new IntercomChannel(clock, silentLogger());
  let resets = 0;
  channel.onReset = () => {
    resets++;
  };
  const load = () => {
    const document = new Document(channel);
    document.post({ ready: true });
    return document;
  };
  return { clock, channel, load, resets: () => resets };
}

test('should report each start of the page, and pass on requests and answers', async () => {
  const { clock, channel, load, resets } = openChannel();
  const page = load();
  assert.equal(resets(), 1);
  const answer = channel.connect(OFFER);
  const volume = channel.setVolume(0.5);
  const tone = channel.play('ring');
  assert.deepEqual(page.heard, [
    { id: 1, do: 'connect', ...OFFER },
    { id: 2, do: 'volume', volume: 0.5 },
    { id: 3, do: 'play', tone: 'ring' },
  ]);
  page.post({ id: 3, error: 'No loudspeaker.' });
  page.post({ id: 2, result: null });
  page.post({ id: 1, result: 'answer' });
  await assert.rejects(tone, { message: 'No loudspeaker.' });
  await volume;
  assert.equal(await answer, 'answer');
  assert.equal(clock.pending, 0);
  load();
  assert.equal(resets(), 2);
});

test('should wait at most 10 s for an answer, and ignore one that comes later', async () => {
  const { clock, channel, load } = openChannel();
  const page = load();
  const answer = channel.connect(OFFER);
  answer.catch(() => {});
  await clock.advance(9_999);
  assert.equal(clock.pending, 1);
  await clock.advance(1);
  await assert.rejects(answer, { message: 'The intercom page does not answer.' });
  page.post({ id: 1, result: 'answer' });
});

test('should fail pending requests when the page is gone or begins again', async () => {
  const { clock, channel, load } = openChannel();
  load();
  const first = channel.connect(OFFER);
  channel.sink.onPageGone();
  await assert.rejects(first, { message: 'The intercom page is gone.' });
  load();
  const second = channel.play('auto-answer');
  load();
  await assert.rejects(second, { message: 'The intercom page is gone.' });
  assert.equal(clock.pending, 0);
});

test('should do what needs no page without one, and refuse the rest', async () => {
  const { channel } = openChannel();
  const sentence = { message: 'The intercom page is not there.' };
  await assert.rejects(channel.connect(OFFER), sentence);
  await assert.rejects(channel.play('ring'), sentence);
  await channel.play('none');
  await channel.setVolume(1);
  await channel.close('call');
});

test('security: should accept answers only from the document it asked', async () => {
  const { clock, channel, load } = openChannel();
  const old = load();
  const page = load();
  const answer = channel.connect(OFFER);
  old.post({ id: 1, result: 'of the old one' });
  assert.equal(clock.pending, 1);
  page.post({ id: 1, result: 'of the new one' });
  assert.equal(await answer, 'of the new one');
});
