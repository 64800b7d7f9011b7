import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeFault, readPlaywrightReport, slowestFiles } from './testReport.mjs';

it('should find failed and flaky tests of Playwright at any depth', () => {
  const spec = (title, status, message) => ({
    title,
    tests: [{ status, results: message === undefined ? [{}] : [{ error: { message, location } }, {}] }],
  });
  const location = { file: '/project/e2e/buttons.ts', line: 7 };
  const {
    faults,
    flaky,
    files: _files,
    ...counts
  } = readPlaywrightReport({
    stats: { expected: 1, unexpected: 1, flaky: 1, skipped: 2 },
    errors: [{ message: 'no service' }],
    suites: [
      {
        file: 'a.spec.ts',
        specs: [spec('shows', 'expected'), spec('plays', 'flaky', 'late\nat line 3')],
        suites: [
          { file: 'a.spec.ts', specs: [spec('rings', 'unexpected', '\u001b[31mnot heard\u001b[39m')] },
        ],
      },
    ],
  });
  assert.deepEqual(counts, { passed: 2, failed: 1, skipped: 2 });
  assert.deepEqual(flaky.map(describeFault), ['a.spec.ts: plays: late (buttons.ts:7)']);
  assert.deepEqual(faults.map(describeFault), [
    'a.spec.ts: rings: not heard (buttons.ts:7)',
    'e2e: outside of a test: no service',
  ]);
});

it('should name the files that took longest, of all stages', () => {
  const spec = (duration) => ({ title: 'x', tests: [{ status: 'expected', results: [{ duration }] }] });
  const e2e = readPlaywrightReport({
    stats: { expected: 3, unexpected: 0, flaky: 0, skipped: 0 },
    suites: [
      { file: 'a.spec.ts', specs: [spec(300), spec(400)] },
      { file: 'b.spec.ts', specs: [spec(100)] },
    ],
  });
  const unit = { files: [{ file: 'c.test.ts', ms: 500 }] };
  assert.deepEqual(slowestFiles([unit, e2e, {}], 2), [
    { file: 'a.spec.ts', ms: 700 },
    { file: 'c.test.ts', ms: 500 },
  ]);
});
