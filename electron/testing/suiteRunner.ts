import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { app } from 'electron';

// The main script of Electron while the host suite runs: prints the results and exits with 1 when a test failed.
app.enableSandbox();
app.commandLine.appendSwitch('remote-debugging-port', process.env.SUITE_DEBUG_PORT);
app.commandLine.appendSwitch('use-fake-device-for-media-stream');
let failures = 0;
const results = run({ files: [process.env.SUITE_FILE ?? ''], isolation: 'none', timeout: 60_000 });
results.on('test:fail', () => failures++);
results.compose(spec).pipe(process.stdout);
results.once('end', () => app.exit(failures === 0 ? 0 : 1));
