import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { findElectron } from '../server/testing/findElectron.ts';
import { makeSuite, runSuite } from './testing/runSuite.ts';

const electron = findElectron();
const skip = 'missing' in electron && `Electron: ${electron.missing}, suite not run`;
if (skip) process.stdout.write(`\n*** ${skip} ***\n\n`);

describe('the contract of a host in Electron', () => {
  test('should bundle for Electron, also where there is no binary to run it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'faceplate-electron-suite-'));
    try {
      const { SUITE_FILE } = await makeSuite(folder);
      const suite = await readFile(SUITE_FILE!, 'utf8');
      for (const part of ['bridgeTests', 'frameTests', 'recoveryTests', 'layerTests', 'liveTests'])
        assert.match(suite, new RegExp(`\\b${part}\\(open`), part);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('should be kept by ElectronHost', { skip, timeout: 230_000 }, async () => {
    assert.ok('program' in electron);
    let output: Promise<string> | undefined;
    const status = await runSuite(electron.program, 'pipe', ({ stdout }) => {
      output = text(stdout!);
    });
    assert.equal(status, 0, await output);
  });
});
