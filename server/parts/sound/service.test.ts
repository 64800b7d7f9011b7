import assert from 'node:assert/strict';
import type { FileHandle } from 'node:fs/promises';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoError } from '../../platform/errno.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { samplesIn, wavFile } from '../../testing/recordedSound.ts';
import type { SoundEvent } from './contract.ts';
import type { Pcm, SoundDecoder, SoundDriver, SoundOutput, Voice } from './driver.ts';
import { SoundService } from './service.ts';

const context = { signal: new AbortController().signal } as never;
const log = silentLogger();
const turn = () => new Promise(setImmediate);

/** A loudspeaker that is done when the test says so. */
class FakeSpeaker implements SoundDriver, SoundOutput {
  readonly name = 'fake';
  readonly path = null;
  readonly simulated = false;
  startFails: Error | undefined;
  openFails: Error | undefined;
  opened = 0;
  bytes = 0;
  loudest = 0;
  #heard: (() => void)[] = [];

  async start(): Promise<void> {
    if (this.startFails) throw this.startFails;
  }

  async stop(): Promise<void> {}

  async open(): Promise<SoundOutput> {
    if (this.openFails) throw this.openFails;
    this.opened++;
    return this;
  }

  async write(samples: Uint8Array): Promise<void> {
    this.bytes += samples.length;
    for (const sample of samplesIn(samples)) this.loudest = Math.max(this.loudest, Math.abs(sample));
    await turn();
  }

  end(): Promise<void> {
    return new Promise((resolve) => this.#heard.push(resolve));
  }

  cut(): void {
    this.finish();
  }

  /** Everything written has been heard. */
  finish(): void {
    for (const resolve of this.#heard.splice(0)) resolve();
  }
}

class FakeVoice implements Voice {
  readonly said: [string, string][] = [];

  async find(language: string): Promise<string | undefined> {
    return ['de', 'en'].includes(language) ? language : undefined;
  }

  async speak(text: string, voice: string): Promise<Pcm> {
    this.said.push([text, voice]);
    return { format: { rate: 22_050, channels: 1 }, chunks: [new Uint8Array(100)] };
  }
}

class FakeDecoder implements SoundDecoder {
  fails: Error | undefined;

  async decode(_file: FileHandle, _signal: AbortSignal): Promise<Pcm> {
    if (this.fails) throw this.fails;
    return { format: { rate: 48_000, channels: 2 }, chunks: [wavFile(0.01, () => 1).subarray(44)] };
  }
}

describe('sound service', () => {
  let speaker: FakeSpeaker;
  let voice: FakeVoice;
  let decoder: FakeDecoder;
  let events: EventBus;
  let announced: SoundEvent[];
  let sound: SoundService;

  beforeEach(async () => {
    speaker = new FakeSpeaker();
    voice = new FakeVoice();
    decoder = new FakeDecoder();
    announced = [];
    events = new EventBus(log);
    events.onAny((name, payload) => {
      if (name === 'sound') announced.push(payload as SoundEvent);
    });
    sound = make();
    await sound.start();
  });
  afterEach(() => sound.stop());

  function make(): SoundService {
    return new SoundService({
      driver: speaker,
      decoder,
      voice,
      places: {
        origin: () => 'http://demo.localhost:1',
        folder: () => import.meta.dirname,
        closedPorts: () => [],
      },
      language: () => 'de',
      events,
      log,
    });
  }

  /** Lets what plays be heard to its end, until an event has come. */
  async function until(action: SoundEvent['action'], id: string): Promise<void> {
    // By time: how many turns a file takes depends on the machine.
    for (const end = performance.now() + 20_000; performance.now() < end; ) {
      if (announced.some((event) => event.id === id && event.action === action)) return;
      speaker.finish();
      await turn();
    }
    assert.fail(`no ${action} of ${id}: ${JSON.stringify(announced)}`);
  }
  const actionsOf = (id: string) => announced.filter((event) => event.id === id).map(({ action }) => action);
  const ring = (event: string, callId = 'a') => events.emit('sip', { event, payload: { callId } } as never);

  test('should answer when a sound begins, and at once while others play before it', async () => {
    const first = await sound.play({ name: 'bell' }, context);
    assert.deepEqual(announced, [{ id: first.id, action: 'started' }]);
    const second = await sound.play({ name: 'chime' }, context);
    assert.deepEqual(actionsOf(second.id), []);
    await until('ended', second.id);
    assert.deepEqual(
      announced.map(({ id, action }) => [id === first.id ? 1 : 2, action]),
      [
        [1, 'started'],
        [1, 'ended'],
        [2, 'started'],
        [2, 'ended'],
      ],
    );
  });

  test('should repeat, and make a sound as quiet as it was asked for', async () => {
    const { id } = await sound.play({ url: 'service.test.ts', repeat: 3, volume: 50 }, context);
    await until('ended', id);
    assert.equal(speaker.bytes, 3 * 960);
    assert.equal(speaker.opened, 1);
    assert.ok(Math.abs(speaker.loudest - 16_384) < 2, String(speaker.loudest));
    assert.deepEqual(actionsOf(id), ['started', 'ended']);
  });

  test('security: should let 20 wait and refuse the next, also when 100 call at once', async () => {
    const calls = await Promise.allSettled(
      Array.from({ length: 100 }, () => sound.play({ name: 'alarm' }, context)),
    );
    const refused = calls.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.equal(refused.length, 79);
    for (const { reason } of refused) assert.equal(reason.code, 'CONFLICT');
    await sound.silence();
    await turn();
    assert.equal(announced.filter(({ action }) => action === 'ended').length, 21);
    const { id } = await sound.play({ name: 'chime' }, context);
    assert.deepEqual(actionsOf(id), ['started']);
  });

  test('should end what plays and what waits when it is stopped', async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await sound.play({ name: 'bell' }, context)).id);
    assert.deepEqual(await sound.silence(), { status: 'stopped' });
    await turn();
    for (const id of ids) assert.equal(actionsOf(id).at(-1), 'ended');
    assert.deepEqual(await sound.silence(), { status: 'stopped' });
  });

  test('should speak in the language asked for, else in that of the panel, after a chime', async () => {
    const { id } = await sound.speak({ text: 'Guten Tag', chime: true }, context);
    await until('ended', id);
    await until('ended', (await sound.speak({ text: 'Hello', language: 'en' }, context)).id);
    assert.deepEqual(voice.said, [
      ['Guten Tag', 'de'],
      ['Hello', 'en'],
    ]);
    // Chime and voice have different rates.
    assert.equal(speaker.opened, 3);
    await assert.rejects(sound.speak({ text: 'x', language: 'xx' }, context), {
      code: 'INVALID_REQUEST',
      field: 'language',
    });
  });

  test('security: should take nothing in a text for a command of the speech engine', async () => {
    const { id } = await sound.speak({ text: 'a\u0001Ibark\u0002b [[xyz]]\ud800', language: 'en' }, context);
    await until('ended', id);
    assert.deepEqual(voice.said, [['a Ibark b [ [xyz]]\ufffd', 'en']]);
  });

  test('should answer what cannot be fetched or decoded with its failure, or announce it when others came before', async () => {
    decoder.fails = new FaceplateError('MEDIA_UNREACHABLE');
    await assert.rejects(sound.play({ url: 'service.test.ts' }, context), { code: 'MEDIA_UNREACHABLE' });
    await assert.rejects(sound.play({ url: 'nothing.wav' }, context), { code: 'MEDIA_UNREACHABLE' });
    await assert.rejects(sound.play({ url: 'ftp://x/y' }, context), {
      code: 'INVALID_REQUEST',
      field: 'url',
    });
    assert.deepEqual(announced, []);
    await sound.play({ name: 'chime' }, context);
    const { id } = await sound.play({ url: 'service.test.ts' }, context);
    await until('failed', id);
    assert.deepEqual(actionsOf(id), ['failed']);
  });

  test('should answer UNSUPPORTED_HARDWARE without a sound device, and play once it is there', async () => {
    await sound.stop();
    sound = make();
    speaker.startFails = errnoError('ENOENT', 'no card');
    await sound.start();
    for (let i = 0; i < 3; i++)
      await assert.rejects(sound.play({ name: 'chime' }, context), { code: 'UNSUPPORTED_HARDWARE' });
    await assert.rejects(sound.speak({ text: 'x' }, context), { code: 'UNSUPPORTED_HARDWARE' });
    assert.equal(sound.part().state, 'absent');
    assert.deepEqual(await sound.silence(), { status: 'stopped' });
    speaker.startFails = undefined;
    const { id } = await sound.play({ name: 'chime' }, context);
    await until('ended', id);
  });

  test('should answer CONFLICT while another program holds the device', async () => {
    speaker.openFails = errnoError('EBUSY', 'busy');
    await assert.rejects(sound.play({ name: 'chime' }, context), { code: 'CONFLICT' });
    speaker.openFails = errnoError('EIO', 'broken');
    await assert.rejects(sound.play({ name: 'chime' }, context), { code: 'HARDWARE_ERROR' });
  });

  test('should be silent while somebody calls, and refuse sounds until the last call has ended', async () => {
    const playing = await sound.play({ name: 'bell' }, context);
    const waiting = await sound.play({ name: 'bell' }, context);
    ring('incomingCall', 'a');
    await turn();
    await turn();
    assert.deepEqual(actionsOf(playing.id), ['started', 'ended']);
    assert.deepEqual(actionsOf(waiting.id), ['ended']);
    await assert.rejects(sound.play({ name: 'chime' }, context), { code: 'CONFLICT', message: /intercom/ });
    ring('callConnected', 'a');
    ring('incomingCall', 'b');
    ring('callEnded', 'a');
    await assert.rejects(sound.speak({ text: 'x' }, context), { code: 'CONFLICT' });
    ring('callEnded', 'b');
    const { id } = await sound.play({ name: 'chime' }, context);
    assert.deepEqual(actionsOf(id), ['started']);
  });

  test('should let the alarm of a message go on after a call, until it is stopped', async () => {
    const alarm = sound.begin({ id: 'fire', name: 'alarm', repeat: 'untilStopped', urgent: true });
    await until('started', 'fire');
    ring('incomingCall');
    for (let i = 0; i < 5; i++) await turn();
    const before = speaker.bytes;
    for (let i = 0; i < 20; i++) await turn();
    assert.equal(speaker.bytes, before);
    ring('callEnded');
    for (let i = 0; i < 20; i++) await turn();
    assert.ok(speaker.bytes > before);
    alarm.stop();
    await turn();
    await turn();
    assert.deepEqual(actionsOf('fire'), ['started', 'ended']);
    alarm.stop();
    assert.deepEqual(actionsOf('fire'), ['started', 'ended']);
  });

  test('should let an urgent sound end what plays and pass all that wait', async () => {
    const playing = await sound.play({ name: 'bell' }, context);
    const waiting = await sound.play({ name: 'bell' }, context);
    const fire = sound.begin({ id: 'fire', name: 'alarm', urgent: true });
    await until('started', fire.id);
    assert.deepEqual(actionsOf(playing.id), ['started', 'ended']);
    assert.deepEqual(actionsOf(waiting.id), []);
    await until('ended', waiting.id);
    assert.deepEqual(
      announced.slice(-4).map(({ id }) => id),
      ['fire', 'fire', waiting.id, waiting.id],
    );
  });

  test('should play the sound given instead when one fails, and once only', async () => {
    decoder.fails = new FaceplateError('MEDIA_UNREACHABLE');
    sound.begin({ id: 'fire', url: 'service.test.ts', instead: 'alarm' });
    await until('ended', 'fire');
    assert.deepEqual(actionsOf('fire'), ['started', 'ended']);
    assert.ok(speaker.bytes > 0);
    sound.begin({ id: 'door', url: 'service.test.ts' });
    await until('failed', 'door');
    assert.deepEqual(actionsOf('door'), ['failed']);
  });

  test('should know what can be no sound, and which field said so', async () => {
    for (const given of ['alarm', 'http://host.example/far.wav', 'https://host.example/a.mp3', 'service.ts'])
      await sound.assertSound(given, 'sound');
    for (const given of [
      'quack',
      'file:///etc/passwd',
      'data:audio/wav,x',
      'javascript:1',
      '../../etc/passwd',
    ])
      await assert.rejects(sound.assertSound(given, 'tone'), {
        code: 'INVALID_REQUEST',
        field: 'tone',
        message: /chime, alert, alarm, bell, an http/,
      });
  });

  test('should end a lasting sound that has nothing to be heard', async () => {
    decoder.decode = async () => ({ format: { rate: 48_000, channels: 2 }, chunks: [] });
    sound.begin({ id: 'mute', url: 'service.test.ts', repeat: 'untilStopped' });
    await until('ended', 'mute');
  });

  test('should forget a sound whose caller is gone before it begins', async () => {
    const caller = new AbortController();
    decoder.decode = (_file: FileHandle, signal: AbortSignal) =>
      new Promise<Pcm>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const call = sound.play({ url: 'service.test.ts' }, { signal: caller.signal } as never);
    for (let i = 0; i < 5; i++) await turn();
    caller.abort(new Error('gone'));
    await assert.rejects(call, /gone/);
    const { id } = await sound.play({ name: 'chime' }, context);
    await until('ended', id);
  });

  test('should stop in the middle of a sound, twice and before start', async () => {
    const { id } = await sound.play({ name: 'bell', repeat: 100 }, context);
    await sound.stop();
    await sound.stop();
    assert.equal(actionsOf(id).at(-1), 'ended');
    await assert.rejects(sound.play({ name: 'bell' }, context), { code: 'SHUTTING_DOWN' });
    const size = events.size;
    await sound.start();
    assert.equal(events.size, size + 1);
  });
});
