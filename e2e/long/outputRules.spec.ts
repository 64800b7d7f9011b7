import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';

const STEPS = 100_000;
const MINUTE_MS = 60_000;

test(`should keep the rules of outputs through ${STEPS} random steps, each move seen by a model`, () => {
  test.setTimeout(15 * MINUTE_MS);
  const file = join(import.meta.dirname, '../../server/services/gpio/rulesModel.test.ts');
  const ended = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', '--test', file], {
    // A runner within a runner would report to the outer one.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, FACEPLATE_MODEL_STEPS: String(STEPS) },
    encoding: 'utf8',
  });
  expect(ended.status, ended.stdout).toBe(0);
  expect(ended.stdout).toContain(`through ${STEPS} steps`);
});
