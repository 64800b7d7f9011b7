import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';

const STEPS = 100_000;
const MINUTE_MS = 60_000;

for (const [file, through] of [
  ['parts/gpio/rules/rulesModel.test.ts', `through ${STEPS} steps`],
  ['start/outputRules.test.ts', `through ${STEPS} calls of page, HTTP and MQTT`],
] as const)
  test(`should keep the rules of outputs ${through}, each move seen by a model`, () => {
    // Two to three minutes of a core each: on a busy machine the calls take their time.
    test.setTimeout(60 * MINUTE_MS);
    const path = join(import.meta.dirname, '../../server', file);
    const ended = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', '--test', path], {
      // A runner within a runner would report to the outer one.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, FACEPLATE_MODEL_STEPS: String(STEPS) },
      encoding: 'utf8',
    });
    expect(ended.status, ended.stdout).toBe(0);
    expect(ended.stdout).toContain(through);
  });
