import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestScreen } from '../../server/kiosk/testing/testScreen.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { letPass, until } from '../../server/testing/waiting.ts';
import { isElectron, openKiosk, startElectron } from '../bare/bareBrowser.ts';
import { killRenderers } from '../electronProcess.ts';

/** Three times what is promised, in milliseconds: test machines are busy. */
const [ENDS_MS, STOPS_MS] = [3_000, 13_500];

// With nothing attached: an inspector would hear of an error before the program does.
describe('the program in Electron', { skip: !isElectron && 'npm run test:electron runs it' }, () => {
  let screen: TestScreen;
  let folder: string;
  before(async () => {
    screen = await TestScreen.open({ windowManager: true });
    folder = temporaryFolder('electron');
  });
  after(async () => {
    await screen?.[Symbol.asyncDispose]();
  });

  const start = async (flags: readonly string[] = []) => {
    const service = new FaceplateProcess({
      spawn: (args, env) => startElectron(args, env, flags),
      env: { FACEPLATE_HOST: 'electron', DISPLAY: screen.display, WAYLAND_DISPLAY: '' },
    });
    await service.start();
    return service;
  };

  test('should end with status 1 and a crash file at an error that nobody caught', async () => {
    const script = join(folder, 'throws.cjs');
    await writeFile(script, `process.on('SIGUSR2', () => { throw new Error('broken on purpose'); });`);
    const service = await start(['-r', script]);
    const crashes = join(service.dataDir, 'crashes');
    try {
      await until(
        () => service.descendants.some(({ command }) => command.includes('--type=renderer')),
        'the page',
      );
      const startedAt = performance.now();
      process.kill(service.pid!, 'SIGUSR2');
      assert.deepEqual(await service.ended(), { code: 1, signal: null });
      assert.ok(performance.now() - startedAt < ENDS_MS);
      const [file, ...others] = await readdir(crashes);
      assert.deepEqual(others, []);
      assert.match(await readFile(join(crashes, file!), 'utf8'), /broken on purpose/);
    } finally {
      assert.deepEqual((await service.stop()).left, []);
    }
  });

  test('should stop while its pages crash again and again', async () => {
    const service = await start();
    for (let round = 0; round < 20; round++) {
      await letPass(250);
      killRenderers(service);
    }
    const { ms, ...end } = await service.stop();
    assert.deepEqual(end, { code: 0, signal: null, left: [] }, service.output);
    assert.ok(ms < STOPS_MS, `${ms}`);
    assert.match(service.output, /renderer-crash/);
  });

  test('should give the first page the scripts of the settings, and write no warning of its own to its console', async () => {
    await using kiosk = await openKiosk({
      env: (site) => ({
        FACEPLATE_LOG_LEVEL: 'debug',
        FACEPLATE_KIOSK_INJECT: JSON.stringify([
          { origin: site.origin(), js: `console.warn('given'); fetch('/given' + location.pathname)` },
        ]),
      }),
    });
    await until(() => kiosk.site.requests.includes('bare.localhost/given/'), 'the script');
    await until(() => kiosk.service.output.includes('"said":"given"'), 'its line');
    assert.doesNotMatch(kiosk.service.output, /Electron Security Warning/);
  });
});
