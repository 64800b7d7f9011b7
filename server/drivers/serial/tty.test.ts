import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { errnoOf } from '../../platform/errno.ts';
import { PtyLine, skipWithoutSocat } from '../../testing/ptyLine.ts';
import { systemDeviceIo } from '../native/ioctl.ts';
import { line8N1, testSerialDriver } from '../testing/serialDriverSuite.ts';
import { Tty } from './tty.ts';

testSerialDriver(
  'tty',
  async () => {
    const pty = new PtyLine();
    await pty.plug();
    return {
      driver: new Tty(pty.path, undefined, systemDeviceIo),
      rival: new Tty(pty.path),
      peerSends: (bytes) => pty.peerSends(bytes),
      unplug: () => pty.unplug(),
      plug: () => pty.plug(),
      close: () => pty.close(),
    };
  },
  { skip: skipWithoutSocat, unplugs: true },
);

test('should notice a hang-up between two reads', { skip: skipWithoutSocat }, async () => {
  const pty = new PtyLine();
  await pty.plug();
  const { promise: lost, resolve } = Promise.withResolvers<Error>();
  // The device goes while its bytes are handed over: the next read finds the tty hung up.
  await new Tty(pty.path).open(line8N1(9600), { onData: () => pty.cut(), onLost: resolve });
  // Only now: opening a tty drops what came before.
  await pty.peerSends(Uint8Array.of(1));
  assert.equal(errnoOf(await lost), 'EIO');
  await pty.close();
});

const nobody = { onData: () => undefined, onLost: () => undefined };

test('should fail with ENOENT when there is no node', async () => {
  const driver = new Tty('/dev/tty-that-is-not-there');
  await assert.rejects(driver.start(), { code: 'ENOENT' });
  await assert.rejects(driver.open(line8N1(9600), nobody), { code: 'ENOENT' });
});

test('should fail with ENOTTY on a file that is no tty', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'faceplate-tty-'));
  writeFileSync(join(folder, 'file'), 'left alone');
  await assert.rejects(new Tty(join(folder, 'file')).open(line8N1(9600), nobody), { code: 'ENOTTY' });
  rmSync(folder, { recursive: true });
});
