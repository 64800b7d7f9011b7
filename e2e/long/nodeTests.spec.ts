import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';

const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Tests of Node's own runner that build or check the whole project several times. */
for (const file of globSync('{build,server}/**/*.long.ts', { cwd: projectRoot }))
  test(`should pass ${file}`, async () => {
    const run = spawn(process.execPath, ['--test', file], {
      cwd: projectRoot,
      // A run of Node's own runner within another one reports to that one alone.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output, [code]] = await Promise.all([text(run.stdout), once(run, 'exit')]);
    expect(code, output).toBe(0);
  });
