import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';

test('a new bundle should take the place of an older one, leave packages in its folder as they are, and make a certificate', async (t) => {
  const dist = temporaryFolder('bundle');
  const packages = ['electron-packages/faceplate-electron.deb', 'faceplate.deb'];
  for (const path of [...packages, 'server/old.js']) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    writeFileSync(join(dist, path), '');
  }
  const script = join(import.meta.dirname, 'bundle.ts');
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', script, dist], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const there = ['server/main.js', 'server/old.js', ...packages].map((path) => existsSync(join(dist, path)));
  assert.deepEqual(there, [true, false, true, true]);
  // Packages that are loaded when they are needed have other names in a bundle than in Node.
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(dist, 'node_modules'));
  const service = new FaceplateProcess({
    main: join(dist, 'server/main.js'),
    env: { FACEPLATE_BOARD: 'simulated', FACEPLATE_HTTPS_PORT: '0' },
  });
  t.after(() => service.stop());
  await service.start();
  assert.match(service.output, /^faceplate https \d+$/m);
});
