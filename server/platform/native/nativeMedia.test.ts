import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { type MediaDriver, portableDriver } from '../../webrtc/driver.ts';
import { errnoError } from '../errno.ts';
import { silentLogger } from '../log.ts';
import { nativeMedia } from './nativeMedia.ts';

const KEY = Buffer.alloc(16, 1);

/** A log that records which parts were missing. */
function partsLog() {
  const missing: unknown[] = [];
  const log = silentLogger();
  log.info = ((facts: { part: unknown }) => missing.push(facts.part)) as typeof log.info;
  return { log, missing };
}

test('should use the portable way for what this machine lacks, log it once, and not try again', () => {
  const { log, missing } = partsLog();
  let tries = 0;
  const lacking = (): never => {
    tries++;
    throw errnoError('ENOSYS', 'not here');
  };
  const native: MediaDriver = { createCipher: lacking, openBurstSocket: lacking };
  const media = nativeMedia(portableDriver, log, native);
  for (let i = 0; i < 2; i++) {
    const packet = Buffer.alloc(40);
    media.createCipher(KEY).seal(packet, 0, 12, 12);
    assert.ok(portableDriver.createCipher(KEY).open(packet, 12));
    assert.equal(media.openBurstSocket(), undefined);
  }
  assert.deepEqual([tries, missing], [2, ['cipher', 'segmentation']]);
});

test('should work without one part and still use the other', () => {
  const { log, missing } = partsLog();
  const native: MediaDriver = {
    createCipher: portableDriver.createCipher,
    openBurstSocket: () => {
      throw errnoError('ENOPROTOOPT', 'an old kernel');
    },
  };
  const media = nativeMedia(portableDriver, log, native);
  media.openBurstSocket();
  media.createCipher(KEY).close();
  assert.deepEqual(missing, ['segmentation']);
});

test('should not load koffi before it is used', () => {
  const script = `const { nativeMedia } = await import(${JSON.stringify(import.meta.resolve('./nativeMedia.ts'))});
    nativeMedia({}, {});
    process.stdout.write(String(process.report.getReport().sharedObjects.some((name) => name.includes('koffi'))));`;
  const args = ['--input-type=module', '--eval', script];
  assert.equal(execFileSync(process.execPath, args, { encoding: 'utf8' }), 'false');
});
