import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { removeStaleSocket } from './staleSocket.ts';

/** A process that has ended. */
const gone = () => spawnSync(process.execPath, ['--version']).pid;

describe('the socket that an Electron has left', () => {
  for (const [what, pid, name, stays] of [
    ['of a killed one goes', gone(), 'scoped_dirAb12Cd', false],
    ['of a running one stays', process.pid, 'scoped_dirAb12Cd', true],
    ['in a folder of another kind stays', gone(), 'somewhere', true],
  ] as const)
    test(`${what}`, (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'faceplate-socket-'));
      t.after(() => rmSync(folder, { recursive: true }));
      const socket = join(folder, name);
      mkdirSync(socket);
      symlinkSync(`panel-7-${pid}`, join(folder, 'SingletonLock'));
      symlinkSync(join(socket, 'SingletonSocket'), join(folder, 'SingletonSocket'));
      removeStaleSocket(folder);
      assert.equal(existsSync(socket), stays);
    });

  test('is not looked for where there is none', () => {
    assert.doesNotThrow(() => removeStaleSocket('/nowhere'));
  });
});
