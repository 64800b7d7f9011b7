// `npm run dev`: builds after each save and sends what changed to the panel; beside it the page is in your browser, at the
// address that Vite prints. What follows `--` goes to `faceplate push`: npm run dev -- --panel 192.168.1.50
import { spawn } from 'node:child_process';
import { build, createServer } from 'vite';

const cli = process.env.npm_package_config_faceplate;
const server = await createServer();
await server.listen();
server.printUrls();

const watcher = await build({ logLevel: 'warn', build: { watch: {} } });
watcher.on('event', ({ code, error, result }) => {
  if (code === 'ERROR') process.stderr.write(`${error.message}\n`);
  if (code === 'BUNDLE_END') void result.close();
  // There is something to send.
  if (code === 'END') push();
});

let pushing;
function push() {
  pushing ??= spawn(process.execPath, [cli, 'push', 'dist', '--watch', ...process.argv.slice(2)], {
    stdio: 'inherit',
  }).on('exit', (code) => process.exit(code ?? 1));
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => (pushing === undefined ? process.exit() : pushing.kill(signal)));
