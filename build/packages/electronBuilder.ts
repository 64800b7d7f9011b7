import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from 'electron-builder';
import { copyPackage, dependencyClosure, packageFolder } from '../debian/npmPackages.ts';
import type { Arch } from '../debian/packageTree.ts';
import { projectFacts } from './projectFacts.ts';

/** Packages with a native part: the operating system loads them from files, not from an archive. */
const NATIVE = ['node_modules/koffi/**', 'node_modules/@koromix/**', 'node_modules/@serialport/**'];

/** The name by which everybody starts it; then `launcher` starts the program itself. */
const PROGRAM = 'faceplate-electron';

/**
 * How electron-builder packs the Electron flavour.
 * @param app folder of `prepareElectronApp`
 * @param electronDist an unpacked Electron of the right kind; without it electron-builder fetches one
 */
export function electronBuilderConfiguration(
  root: string,
  { app, output, electronDist }: { app: string; output: string; electronDist?: string },
): Configuration {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/electron/package.json'), 'utf8')) as {
    version: string;
  };
  return {
    appId: 'io.github.faceplate',
    productName: 'Faceplate',
    directories: { app, output },
    files: ['**/*'],
    electronVersion: version,
    ...(electronDist !== undefined && { electronDist }),
    asar: true,
    asarUnpack: NATIVE,
    // The prebuilt parts are N-API: they fit Electron's Node as they are.
    npmRebuild: false,
    nodeGypRebuild: false,
    publish: null,
    // With its own part of FUSE, instead of the library that newer systems lack.
    toolsets: { appimage: '1.0.3' },
    electronFuses: {
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      onlyLoadAppFromAsar: true,
      // The check of the archive's hash does nothing on Linux, so it is not asked for.
      grantFileProtocolExtraPrivileges: false,
      // Off in Electron's own releases. One that was made for another program has it on, and without that program's
      // snapshot it does not start.
      loadBrowserProcessSpecificV8Snapshot: false,
    },
    linux: {
      target: ['AppImage'],
      icon: join(root, 'docs/pictures/icon.png'),
      // Without it, --no-sandbox.
      executableArgs: [],
      executableName: PROGRAM,
      category: 'Utility',
      synopsis: 'The open runtime host for HTML5 touch panels, in Electron',
      maintainer: projectFacts(root).maintainer,
    },
  };
}

/** e_machine of an ELF file (elf(5)), by Node's names. */
const ELF_MACHINES: Readonly<Record<Arch, number>> = { x64: 62, arm64: 183 };

/**
 * Why an unpacked Electron cannot become the package, in one sentence; undefined when it can. electron-builder would copy
 * it as it is.
 */
export function faultOfElectron(folder: string, arch: Arch): string | undefined {
  const program = join(folder, 'electron');
  if (!existsSync(program)) return `there is no program ${program}.`;
  const app = ['resources/app', 'resources/app.asar'].find((name) => existsSync(join(folder, name)));
  if (app !== undefined)
    return `${join(folder, app)} is a program of its own and would go into the package; give an Electron as it was released.`;
  const head = Buffer.alloc(20);
  const file = openSync(program, 'r');
  readSync(file, head);
  closeSync(file);
  return head.readUInt32BE(0) === 0x7f454c46 && head.readUInt16LE(18) !== ELF_MACHINES[arch]
    ? `${program} is for another kind of machine than ${arch}.`
    : undefined;
}

/** Makes the folder that becomes the application: bundles, pages, and the native packages for one kind of machine. */
export async function prepareElectronApp(
  root: string,
  {
    app,
    cache,
    arch,
    bundle,
  }: { app: string; cache: string; arch: Arch; bundle: (to: string) => Promise<void> },
): Promise<void> {
  await mkdir(app, { recursive: true });
  await bundle(app);
  // The helper and the service in Node are parts of the Debian package of the Chromium flavour.
  const others = (await readdir(join(app, 'server'))).filter((name) =>
    /^(?:main\.js|begin\.cjs|service\.cjs)/.test(name),
  );
  for (const path of ['helper', ...others.map((name) => `server/${name}`)])
    await rm(join(app, path), { recursive: true, force: true });
  const modules = join(root, 'node_modules');
  for (const { name, folder } of dependencyClosure(root, ['koffi', 'serialport'])) {
    if (name.startsWith('@koromix/koffi-') || name === 'node-addon-api') continue;
    copyPackage(folder, join(app, 'node_modules', folder.slice(modules.length + 1)), arch);
  }
  const koffi = `@koromix/koffi-linux-${arch}`;
  copyPackage(await packageFolder(root, koffi, cache), join(app, 'node_modules', koffi), arch);
  const manifest = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { description, license, maintainer, homepage } = projectFacts(root);
  const own = {
    ...manifest,
    description,
    license,
    author: maintainer,
    homepage,
    main: 'electron/main.js',
  };
  await writeFile(join(app, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
}

/** Puts the launcher before the program of an unpacked folder; electron-builder must have set its fuses before. */
export async function addLauncher(root: string, folder: string): Promise<void> {
  await rename(join(folder, PROGRAM), join(folder, `${PROGRAM}-program`));
  await copyFile(join(root, 'build/linux/electron/launcher'), join(folder, PROGRAM));
}
