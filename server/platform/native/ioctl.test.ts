import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { systemDeviceIo } from './ioctl.ts';
import { errnoName } from './program.ts';

/** asm-generic/ioctls.h */
const TCGETS = 0x5401;
const TCFLSH = 0x540b;
const TIOCGWINSZ = 0x5413;
const TIOCSWINSZ = 0x5414;
const TIOCGPTN = 0x80045430;

describe('system calls', () => {
  let terminal: number;
  before(() => {
    terminal = systemDeviceIo.open('/dev/ptmx', constants.O_RDWR | constants.O_NOCTTY);
  });
  after(() => systemDeviceIo.close(terminal));

  test('should hand a buffer to the kernel and return what it wrote into it', () => {
    const size = Buffer.alloc(8);
    size.writeUInt16LE(40, 0);
    size.writeUInt16LE(100, 2);
    systemDeviceIo.ioctlPointer(terminal, TIOCSWINSZ, size);
    const read = Buffer.alloc(8);
    assert.equal(systemDeviceIo.ioctlPointer(terminal, TIOCGWINSZ, read), 0);
    assert.deepEqual(read, size);
  });

  test('should accept request numbers with the highest bit set', () => {
    const number = Buffer.alloc(4, 0xff);
    systemDeviceIo.ioctlPointer(terminal, TIOCGPTN, number);
    assert.ok(number.readInt32LE() >= 0);
  });

  test('should pass a plain number as the argument', () => {
    assert.equal(systemDeviceIo.ioctlValue(terminal, TCFLSH, 2), 0);
    assert.throws(() => systemDeviceIo.ioctlValue(terminal, TCFLSH, 99), { code: 'EINVAL' });
  });

  test('should throw the errno name of each failed call', () => {
    assert.throws(() => systemDeviceIo.open('/nonexistent', constants.O_RDWR), { code: 'ENOENT' });
    assert.throws(() => systemDeviceIo.close(1_000_000), { code: 'EBADF' });
    const nothing = systemDeviceIo.open('/dev/null', constants.O_RDWR);
    try {
      assert.throws(() => systemDeviceIo.ioctlPointer(nothing, TCGETS, Buffer.alloc(64)), {
        code: 'ENOTTY',
        message: 'ioctl 0x5401 failed with errno 25',
      });
    } finally {
      systemDeviceIo.close(nothing);
    }
  });

  test('should not let a child process inherit an open device', () => {
    const links = execFileSync('/bin/sh', ['-c', 'ls -l /proc/$$/fd'], { encoding: 'utf8' });
    assert.ok(!links.includes('ptmx'), links);
  });
});

test('should name system errors by number, including those internal to the kernel', () => {
  assert.equal(errnoName(16), 'EBUSY');
  assert.equal(errnoName(515), 'ENOTTY');
  assert.equal(errnoName(524), 'ENOTSUP');
  assert.equal(errnoName(4000), 'EIO');
});

test('should not load koffi before the first call', () => {
  const script = `await import(${JSON.stringify(import.meta.resolve('./ioctl.ts'))});
    process.stdout.write(String(process.report.getReport().sharedObjects.some((name) => name.includes('koffi'))));`;
  const used = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  assert.equal(used, 'false');
});
