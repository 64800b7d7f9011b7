// `node electron/testing/main.ts <report> [part ...]`, the stage `electron-suite` of `npm run test:electron`: the suite of
// both hosts in the Electron that ELECTRON_OVERRIDE_DIST_PATH names. Its counts go to the report, as those of every
// stage (build/setup/tests/testReport.mjs).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AS_BEFORE, type Row } from './rowRunner.ts';
import { runSuite } from './runSuite.ts';

const [report = '', ...parts] = process.argv.slice(2);

/** A part of the suite stands for a file: it can run once more by itself. */
function countsOf(rows: readonly Row[]) {
  const count = (wanted: Row['state']) => rows.filter(({ state }) => state === wanted).length;
  const times = new Map<string, number>();
  for (const { part, ms } of rows) times.set(part, (times.get(part) ?? 0) + ms);
  return {
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    faults: rows
      .filter(({ state, why }) => state === 'failed' && why !== AS_BEFORE)
      .map(({ part, name, why }) => ({ file: part, name, message: why })),
    files: [...times].map(([file, ms]) => ({ file, ms })),
  };
}

const program = join(process.env.ELECTRON_OVERRIDE_DIST_PATH ?? '', 'electron');
process.stdout.write(`The suite of both hosts in ${program}\n`);
const counts = countsOf(await runSuite(program, parts));
writeFileSync(report, JSON.stringify(counts));
process.exitCode = counts.failed === 0 ? 0 : 1;
