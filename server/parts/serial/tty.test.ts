import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { errnoOf } from '../../platform/errno.ts';
import { systemDeviceIo } from '../../platform/native/ioctl.ts';
import { PtyLine, skipWithoutSocat } from '../../testing/ptyLine.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import { line8N1, testSerialDriver } from '../testing/serialDriverSuite.ts';
import { bindingOptions, Tty } from './tty.ts';

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

test('should go on with a long write when the device sent meanwhile', {
  skip: skipWithoutSocat,
}, async () => {
  const pty = new PtyLine(() => undefined);
  await pty.plug();
  const { promise: heard, resolve } = Promise.withResolvers<Uint8Array>();
  const line = await new Tty(pty.path).open(line8N1(9600), { onData: resolve, onLost: () => undefined });
  pty.takeNothing();
  // More than the tty, socat and its pipe hold: the write waits for room.
  const bytes = new Uint8Array(300_000).fill(7);
  let ended = false;
  const written = line.write(bytes).finally(() => {
    ended = true;
  });
  await timeToGoWrong(100);
  await pty.peerSends(Uint8Array.of(6));
  assert.deepEqual([...(await heard)], [6]);
  assert.equal(ended, false);
  pty.takeAgain();
  await written;
  await until(() => pty.received.length === bytes.length, 'all bytes at the device');
  await line.close();
  await pty.close();
});

const nobody = { onData: () => undefined, onLost: () => undefined };

test('should fail with ENOENT when there is no node', async () => {
  const driver = new Tty('/dev/tty-that-is-not-there');
  await assert.rejects(driver.start(), { code: 'ENOENT' });
  await assert.rejects(driver.open(line8N1(9600), nobody), { code: 'ENOENT' });
});

test('should fail with ENOTTY on a file that is no tty', async () => {
  const folder = temporaryFolder('tty');
  writeFileSync(join(folder, 'file'), 'left alone');
  await assert.rejects(new Tty(join(folder, 'file')).open(line8N1(9600), nobody), { code: 'ENOTTY' });
});

test('should set stop bits and flow control as the line asks', { skip: skipWithoutSocat }, async () => {
  const pty = new PtyLine();
  await pty.plug();
  const settings = { ...line8N1(9600), stopBits: 2, flowControl: 'software' } as const;
  const line = await new Tty(pty.path).open(settings, nobody);
  const set = spawnSync('stty', ['-F', pty.path, '-a'], { encoding: 'utf8' }).stdout;
  await line.close();
  await pty.close();
  // A pty has neither parity nor other data bits.
  for (const word of ['speed 9600 baud', ' cstopb', ' ixon', ' ixoff', ' -crtscts'])
    assert.ok(set.includes(word), `${word} in ${set}`);
});

test('should say parity, data bits and hardware flow control in the words of serialport', () => {
  const settings = {
    baudRate: 1200,
    dataBits: 7,
    parity: 'odd',
    stopBits: 1,
    flowControl: 'hardware',
  } as const;
  assert.deepEqual(bindingOptions(settings), {
    baudRate: 1200,
    dataBits: 7,
    parity: 'odd',
    stopBits: 1,
    rtscts: true,
    xon: false,
    xoff: false,
    hupcl: false,
  });
});
