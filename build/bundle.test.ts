import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

test('a new bundle should take the place of an older one, and leave packages in its folder as they are', (t) => {
  const dist = mkdtempSync(join(tmpdir(), 'faceplate-bundle-'));
  t.after(() => rmSync(dist, { recursive: true }));
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
});
