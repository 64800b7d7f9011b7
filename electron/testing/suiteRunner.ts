import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { app } from 'electron';
import type { Settings } from '../../server/config/settings.ts';
import { prepareApp } from '../prepareApp.ts';

// The main script of Electron while the host suite runs: prints the results and exits with 1 when a test failed. Nothing is
// awaited here: Electron is ready only when this module has been evaluated.
prepareApp(app, { dataDir: process.env.SUITE_DATA, 'kiosk.fakeMedia': true } as Settings);
app.commandLine.appendSwitch('remote-debugging-port', process.env.SUITE_DEBUG_PORT);
let failures = 0;
const results = run({ files: [process.env.SUITE_FILE ?? ''], isolation: 'none', timeout: 60_000 });
results.on('test:fail', () => failures++);
results.compose(spec).pipe(process.stdout);
results.once('end', () => app.exit(failures === 0 ? 0 : 1));
