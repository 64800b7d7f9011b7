import { appendFileSync } from 'node:fs';
import * as electron from 'electron';
import { WebSocket } from 'ws';
import type { Settings } from '../../server/config/settings.ts';
import { hostSuite } from '../../server/kiosk/testing/suite/hostSuite.ts';
import { prepareApp } from '../prepareApp.ts';
import { openInElectron } from './electronTestKiosk.ts';
import { listRows, type Row, runRows } from './rowRunner.ts';

// The main script of Electron while the host suite runs. In this bundle `node:test` is rowRunner.ts.

/** None of ours takes a minute. */
const ROW_LIMIT_MS = 60_000;

const { SUITE_DATA, SUITE_DEBUG_PORT, SUITE_PRELOAD, SUITE_BUILT_IN_PRELOAD, SUITE_ROWS, SUITE_PARTS } =
  process.env;
const parts = SUITE_PARTS ? SUITE_PARTS.split('\n') : [];
const isWanted = (part: string) => parts.length === 0 || parts.includes(part);
const { app } = electron;

// The DevTools sessions of the tests. Node 20 has none of its own.
globalThis.WebSocket ??= WebSocket as unknown as typeof globalThis.WebSocket;

hostSuite(
  'ElectronHost',
  openInElectron({
    electron,
    preload: SUITE_PRELOAD ?? '',
    builtInPreload: SUITE_BUILT_IN_PRELOAD ?? '',
    debugPort: Number(SUITE_DEBUG_PORT),
  }),
);
/** What will run, in its order. */
export const rows = listRows().filter(({ part }) => isWanted(part));

function tell(row: Row): void {
  write(row);
  const { part, name, state, ms, why } = row;
  const reason = why === '' ? '' : state === 'skipped' ? ` # ${why}` : `\n${why.replace(/^/gm, '    ')}`;
  process.stdout.write(`${state.padEnd(7)} ${part} > ${name} (${ms} ms)${reason}\n`);
}

/** At once: Electron may end before the suite does. */
function write(value: unknown): void {
  if (SUITE_ROWS) appendFileSync(SUITE_ROWS, `${JSON.stringify(value)}\n`);
}

prepareApp(app, { dataDir: SUITE_DATA, 'kiosk.fakeMedia': true } as Settings);
app.commandLine.appendSwitch('remote-debugging-port', SUITE_DEBUG_PORT ?? '0');
// Not awaited: Electron is ready only when this module has been evaluated.
void app.whenReady().then(async () => {
  write(rows);
  let failed = 0;
  await runRows(ROW_LIMIT_MS, isWanted, (row) => {
    if (row.state === 'failed') failed++;
    tell(row);
  });
  app.exit(failed === 0 ? 0 : 1);
});
