import assert from 'node:assert/strict';
import { constants, openSync, writeSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { until } from '../../testing/waiting.ts';
import { systemEventIo as io } from './ioctl.ts';

/** Long enough that a test which waits for it has failed. */
const LIMIT_MS = 30_000;

describe('waiting for what the kernel tells', () => {
  /** Both ends of a terminal: what is written to one can be read at the other. */
  let master: number;
  before(() => {
    master = openSync('/dev/ptmx', constants.O_RDWR | constants.O_NOCTTY);
  });
  after(() => io.close(master));

  test('should read nothing, and not wait, where nothing is there', () => {
    assert.equal(io.readWaiting(master, Buffer.alloc(16)), 0);
  });

  test('should say that a descriptor can be read, once', async () => {
    let ready = 0;
    io.whenReadable([master], LIMIT_MS, () => ready++);
    // The terminal echoes what is typed at it.
    const unlock = Buffer.alloc(4);
    io.ioctlPointer(master, 0x40045431, unlock);
    writeSync(master, 'edge');
    await until(() => ready === 1);
    const into = Buffer.alloc(16);
    assert.equal(into.toString('utf8', 0, io.readWaiting(master, into)), 'edge');
    assert.equal(io.readWaiting(master, into), 0);
    assert.equal(ready, 1);
  });

  test('should end the wait early when asked, and at its limit', async () => {
    let ready = 0;
    const begun = performance.now();
    const end = io.whenReadable([master], LIMIT_MS, () => ready++);
    end();
    await until(() => ready === 1);
    assert.ok(performance.now() - begun < LIMIT_MS / 2);
    io.whenReadable([master], 10, () => ready++);
    await until(() => ready === 2);
    end();
    assert.equal(ready, 2);
  });

  test('should wait for several at a time, and tell each of its own alone', async () => {
    const other = openSync('/dev/ptmx', constants.O_RDWR | constants.O_NOCTTY);
    io.ioctlPointer(other, 0x40045431, Buffer.alloc(4));
    const told: string[] = [];
    const endQuiet = io.whenReadable([master], LIMIT_MS, () => told.push('quiet'));
    io.whenReadable([other], LIMIT_MS, () => told.push('busy'));
    io.whenReadable([master], 20, () => told.push('short'));
    await until(() => told.length === 1);
    writeSync(other, 'key');
    await until(() => told.length === 2);
    endQuiet();
    await until(() => told.length === 3);
    assert.deepEqual(told, ['short', 'busy', 'quiet']);
    io.close(other);
  });

  test('should throw the name of the error of a read', () => {
    assert.throws(() => io.readWaiting(openSync('/', constants.O_RDONLY), Buffer.alloc(16)), {
      code: 'EISDIR',
    });
  });
});
