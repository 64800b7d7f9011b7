// `npm run dist:electron [-- x64 arm64] [--dir] [--deb] [--version v]`: the unpacked folder of the Electron flavour, its .deb
// and its AppImage in dist/electron-packages/; with --dir the folder alone, with --deb no AppImage. electron-builder fetches
// Electron and the tool of AppImages, so this needs the network; ELECTRON_OVERRIDE_DIST_PATH gives an unpacked Electron
// instead, and then only the AppImage needs it.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { build } from 'electron-builder';
import { type Arch, debianArchitectures, makePackageTree } from '../debian/packageTree.ts';
import { packTree } from '../debian/packTree.ts';
import {
  addLauncher,
  electronBuilderConfiguration,
  faultOfElectron,
  prepareElectronApp,
} from './electronBuilder.ts';
import { projectFacts, sourceTime, VERSION } from './projectFacts.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dir: { type: 'boolean', default: false },
    deb: { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'dist/electron-packages') },
    version: { type: 'string', default: projectFacts(root).version },
  },
});
const electronDist = process.env.ELECTRON_OVERRIDE_DIST_PATH;
const output = resolve(values.out);
const epoch = sourceTime(root);
const { version } = values;
if (!VERSION.test(version)) throw new Error(`--version ${version} is no version like 1.2.3 or 1.2.3-rc.1.`);

for (const arch of positionals.length > 0 ? positionals : [process.arch]) {
  if (arch !== 'x64' && arch !== 'arm64') throw new Error(`There is no package for ${arch}: x64 or arm64.`);
  const fault = electronDist && faultOfElectron(electronDist, arch);
  if (fault) {
    console.error(`ELECTRON_OVERRIDE_DIST_PATH: ${fault}`);
    process.exit(1);
  }
  const work = mkdtempSync(join(tmpdir(), 'faceplate-electron-app-'));
  try {
    const app = join(work, 'app');
    await prepareElectronApp(root, { app, cache: join(work, 'cache'), arch, bundle });
    const config = electronBuilderConfiguration(root, {
      app,
      output,
      ...(electronDist && { electronDist }),
    });
    await build({ projectDir: root, config, linux: ['dir'], [arch]: true });
    const folder = join(output, arch === 'x64' ? 'linux-unpacked' : `linux-${arch}-unpacked`);
    await addLauncher(root, folder);
    console.log(relative(process.cwd(), folder));
    if (!values.dir) await makeDebianPackage(folder, work, arch);
    if (!values.dir && !values.deb)
      await build({ projectDir: root, config, linux: ['AppImage'], [arch]: true, prepackaged: folder });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The tree of the other package, with Electron instead of Chromium. electron-builder's own knows no service. */
async function makeDebianPackage(electron: string, work: string, arch: Arch): Promise<void> {
  const tree = join(work, 'tree');
  mkdirSync(tree);
  await makePackageTree({ root, tree, cache: join(work, 'cache'), arch, version, epoch, electron });
  const file = join(output, `faceplate-electron_${version}_${debianArchitectures[arch]}.deb`);
  await packTree(tree, file, { epoch, isFast: values.fast });
  console.log(relative(process.cwd(), file));
}

async function bundle(to: string): Promise<void> {
  const script = join(root, 'build/bundle/bundle.ts');
  await run(process.execPath, ['--disable-warning=ExperimentalWarning', script, to, version], { cwd: root });
}
