import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { testMetrics } from '../testing/testMetrics.ts';

describe('metrics', () => {
  test("should pass Prometheus' own check, with names that begin with faceplate_", async () => {
    const { metrics, read } = testMetrics();
    metrics.counted('led.on', 'INVALID_REQUEST');
    const text = await read();
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
    assert.ok(names.length > 15 && names.every((name) => name.startsWith('faceplate_')), String(names));
    const { stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], { input: text });
    assert.equal(`${stdout}${stderr}`, '');
    assert.equal(status, 0);
  });
});
