import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import { selfSigned } from '../../testing/selfSigned.ts';
import { makeRaucBundle, noRauc } from '../../testing/signedFiles.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import { ImageSticks, stickDialog, UsbUpdates } from './usbUpdates.ts';

const [ours, stranger] = [selfSigned('DNS:a'), selfSigned('DNS:b')];
const ID = 'faceplate.stick';
const WORDS = {
  ask: (version: string) => `ask ${version}`,
  yes: 'Install',
  no: 'Not now',
  failed: (version: string) => `not ${version}.`,
};

/** Sticks that can be slow to be read. */
class HeldSticks extends ImageSticks {
  read = 0;
  hold: Promise<void> = Promise.resolve();
  /** The bundles that the last look found. */
  found: readonly string[] = [];

  override async bundles() {
    const found = await super.bundles();
    this.found = found;
    return found;
  }

  override async peek(path: string) {
    const bundle = await super.peek(path);
    this.read++;
    await this.hold;
    return bundle;
  }
}

/** A panel at which sticks are plugged in: a folder for each, and messages in memory. */
class Panel implements AsyncDisposable {
  readonly root = temporaryFolder('sticks');
  readonly folder = join(this.root, 'sticks');
  readonly clock = new FakeClock();
  readonly bus = new EventBus(silentLogger());
  readonly installed: number[] = [];
  readonly noted: unknown[] = [];
  shown: { text: string; buttons?: readonly { label: string }[] } | undefined;
  readonly text = () => this.shown?.text;
  isIdle = true;
  oldest = '0.0.0';
  refuses: FaceplateError | undefined;
  readonly sticks = new HeldSticks(join(this.root, 'keys.pem'), this.folder);
  #offers: UsbUpdates | undefined;

  start(version: string): void {
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(join(this.root, 'keys.pem'), ours.cert);
    this.#offers = new UsbUpdates({
      sticks: this.sticks,
      dialog: stickDialog({
        message: {
          show: async (params) => {
            this.shown = params as never;
            return { id: ID };
          },
          remove: async () => {
            this.shown = undefined;
            return { status: 'removed' };
          },
        },
        bus: this.bus,
        words: () => WORDS,
        onFailed: (error) => assert.fail(String(error)),
      }),
      board: 'faceplate-amd64',
      installed: version,
      oldest: async () => this.oldest,
      isIdle: () => this.isIdle,
      install: async ({ size, bytes }) => {
        let length = 0;
        for await (const chunk of bytes) length += chunk.length;
        assert.equal(length, size);
        if (this.refuses !== undefined) throw this.refuses;
        this.installed.push(length);
      },
      note: (command, params) => this.noted.push({ [command]: params }),
      clock: this.clock,
      log: silentLogger(),
    });
    this.#offers.ready();
  }

  /** Plugs a stick in with bundles of these names. */
  plug(
    stick: string,
    files: Readonly<Record<string, { version: string; compatible?: string; by?: typeof ours }>>,
  ) {
    mkdirSync(join(this.folder, stick), { recursive: true });
    for (const [name, { by = ours, ...facts }] of Object.entries(files))
      makeRaucBundle(join(this.folder, stick, name), by, { ...facts, content: Buffer.alloc(50_000, 'x') });
    writeFileSync(join(this.folder, `${stick}.ready`), '');
  }

  pull(stick: string): void {
    rmSync(join(this.folder, `${stick}.ready`));
    rmSync(join(this.folder, stick), { recursive: true });
  }

  /** Until the panel has looked again: what the folder tells comes late. */
  async looked(condition: () => boolean): Promise<void> {
    await until(async () => {
      await this.clock.advance(1_000);
      return condition();
    });
  }

  /** A touch ends the message by itself. */
  press(button: string): void {
    this.shown = undefined;
    this.bus.emit('message', { id: ID, action: 'pressed', button });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#offers?.stop();
    assert.equal(this.bus.size, 0);
  }
}

describe('a stick with versions', { skip: noRauc }, () => {
  test('should offer the newest that fits and is newer, and install it on a touch', async () => {
    await using panel = new Panel();
    panel.start('1.0.0');
    panel.plug('sda1', {
      'faceplate-1.1.0-amd64.raucb': { version: '1.1.0' },
      'faceplate-1.2.0-amd64.raucb': { version: '1.2.0' },
      'faceplate-0.9.0-amd64.raucb': { version: '0.9.0' },
      'faceplate-9.0.0-arm64.raucb': { version: '9.0.0', compatible: 'faceplate-arm64' },
      'faceplate-9.1.0-amd64.raucb': { version: '9.1.0', by: stranger },
      'other-9.2.0.raucb': { version: '9.2.0' },
    });
    writeFileSync(join(panel.folder, 'sda1/faceplate-9.3.0-amd64.raucb'), 'no bundle');
    await panel.looked(() => panel.shown !== undefined);
    assert.equal(panel.shown?.text, 'ask 1.2.0');
    assert.deepEqual(
      panel.shown?.buttons?.map(({ label }) => label),
      ['Install', 'Not now'],
    );
    panel.press('install');
    await until(() => panel.installed.length === 1);
    assert.deepEqual(panel.noted, [{ 'update.install': { version: '1.2.0', from: 'stick' } }]);
    assert.equal(panel.shown, undefined);
  });

  test('security: should offer no version below the oldest that this panel takes', async () => {
    await using panel = new Panel();
    panel.oldest = '1.2.0';
    panel.start('1.0.0');
    panel.plug('sda1', { 'faceplate-1.1.0-amd64.raucb': { version: '1.1.0' } });
    await panel.looked(() => panel.clock.pending === 0);
    await settled();
    assert.equal(panel.shown, undefined);
    panel.plug('sdb1', { 'faceplate-1.2.0-amd64.raucb': { version: '1.2.0' } });
    await panel.looked(() => panel.text() === 'ask 1.2.0');
  });

  test('should not ask again after a no, until the stick is plugged in anew', async () => {
    await using panel = new Panel();
    panel.plug('sdb1', { 'faceplate-1.1.0-amd64.raucb': { version: '1.1.0' } });
    panel.start('1.0.0');
    await panel.looked(() => panel.shown !== undefined);
    panel.press('later');
    assert.equal(panel.shown, undefined);
    writeFileSync(join(panel.folder, 'sdc1.ready'), '');
    await panel.clock.advance(5_000);
    await settled();
    assert.equal(panel.shown, undefined);
    panel.pull('sdb1');
    // Seen before the next one comes: else it would be the same stick, which was told no.
    await panel.looked(() => panel.sticks.found.length === 0);
    panel.plug('sdb1', { 'faceplate-1.1.0-amd64.raucb': { version: '1.1.0' } });
    await panel.looked(() => panel.shown !== undefined);
    assert.deepEqual(panel.installed, []);
  });

  test('should take the question away with the stick, and ask none while an update is under way', async () => {
    await using panel = new Panel();
    panel.start('1.0.0');
    panel.isIdle = false;
    panel.plug('sda1', { 'faceplate-1.1.0-amd64.raucb': { version: '1.1.0' } });
    await panel.clock.advance(2_000);
    await settled();
    assert.equal(panel.shown, undefined);
    panel.isIdle = true;
    panel.plug('sdb1', { 'faceplate-1.0.1-amd64.raucb': { version: '1.0.1' } });
    await panel.looked(() => panel.shown !== undefined);
    assert.equal(panel.text(), 'ask 1.1.0');
    panel.pull('sda1');
    await panel.looked(() => panel.text() === 'ask 1.0.1');
    panel.pull('sdb1');
    await panel.looked(() => panel.shown === undefined);
  });

  test('should not ask about a stick that was pulled out while it was read', async () => {
    await using panel = new Panel();
    const slow = Promise.withResolvers<void>();
    panel.sticks.hold = slow.promise;
    panel.plug('sda1', { 'faceplate-1.1.0-amd64.raucb': { version: '1.1.0' } });
    panel.start('1.0.0');
    await panel.looked(() => panel.sticks.read === 1);
    panel.pull('sda1');
    await until(() => panel.clock.pending > 0);
    await panel.clock.advance(1_000);
    slow.resolve();
    await panel.looked(() => panel.shown === undefined);
    await panel.clock.advance(1_000);
    await settled();
    assert.equal(panel.shown, undefined);
  });

  test('security: should not count a touch on a message that somebody else put in its place', async () => {
    await using panel = new Panel();
    panel.plug('sda1', { 'faceplate-1.1.0-amd64.raucb': { version: '1.1.0' } });
    panel.start('1.0.0');
    await panel.looked(() => panel.shown !== undefined);
    panel.bus.emit('message', { id: ID, action: 'replaced' });
    panel.press('install');
    await settled();
    assert.deepEqual(panel.installed, []);
  });

  test('should say why a version on a stick was not installed', async () => {
    await using panel = new Panel();
    panel.plug('sda1', { 'faceplate-1.1.0-amd64.raucb': { version: '1.1.0' } });
    panel.start('1.0.0');
    await panel.looked(() => panel.shown !== undefined);
    panel.refuses = new FaceplateError('INVALID_REQUEST', 'The bundle is not signed.');
    panel.press('install');
    await until(() => panel.shown?.text === 'not 1.1.0. The bundle is not signed.');
  });
});
