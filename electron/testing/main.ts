// `npm run test:electron`: the suite of both hosts in the Electron that ELECTRON_OVERRIDE_DIST_PATH names. Without one it
// says how to get one, and ends with 2: nothing was tested.
import { findElectron } from '../../server/testing/findElectron.ts';
import { runSuite } from './runSuite.ts';

const NOT_RUN = 2;

/** What this is, and how to get an Electron. */
const EXPLANATION = `This runs what both kiosk hosts promise (server/kiosk/testing/suite/) in a real Electron, and prints each row.
It needs Electron's unpacked folder, a display (or xvfb-run -a npm run test:electron), and a user other than root:

  curl -LO https://github.com/electron/electron/releases/download/v<version>/electron-v<version>-linux-x64.zip
  unzip electron-v<version>-linux-x64.zip -d ~/electron
  ELECTRON_OVERRIDE_DIST_PATH=~/electron npm run test:electron

<version> is that of the npm package electron in package.json; its checksums.json has the archive's SHA-256.
`;

function explain(why: string): number {
  print(`Not run: ${why}.\n\n${EXPLANATION}\ndocs/electron.md says more.`);
  return NOT_RUN;
}

async function main(): Promise<number> {
  const electron = findElectron();
  if ('missing' in electron) return explain(electron.missing);
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return explain('there is no display');
  print(`The suite of both hosts in ${electron.program}\n`);
  const status = await runSuite(electron.program, 'inherit');
  print(
    status === 0
      ? '\nEvery row holds.'
      : `\nNot every row holds (exit status ${status}). docs/electron.md says what to do with it.`,
  );
  return status === 0 ? 0 : 1;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

process.exitCode = await main();
