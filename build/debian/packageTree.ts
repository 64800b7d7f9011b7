import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type ProjectFacts, projectFacts } from '../packages/projectFacts.ts';
import { copyrightText } from './copyright.ts';
import { copyPackage, dependencyClosure, packageFolder } from './npmPackages.ts';

const run = promisify(execFile);

/** Debian's names of the machines, by Node's. */
export const debianArchitectures = { x64: 'amd64', arm64: 'arm64' } as const;
export type Arch = keyof typeof debianArchitectures;

interface PackageTreeOptions {
  /** Folder of package.json. */
  readonly root: string;
  /** An empty folder that becomes the tree. */
  readonly tree: string;
  /** Folder for packages for other machines while the tree is made. */
  readonly cache: string;
  readonly arch: Arch;
  /** Another version than that of package.json. */
  readonly version?: string | undefined;
  /** Time of every file, in seconds since 1970. */
  readonly epoch: number;
  /** The unpacked folder of the Electron program: makes the package `faceplate-electron`, without Chromium. */
  readonly electron?: string;
}

/** The source of every file of the package, by its path in the package. Sources are relative to the root. */
const FILES: Readonly<Record<string, string>> = {
  'usr/bin/faceplate-probe': 'build/linux/faceplate-probe',
  'usr/lib/systemd/system/faceplate.service': 'build/linux/systemd/faceplate.service',
  'usr/lib/systemd/system/faceplate-display.service': 'build/linux/systemd/faceplate-display.service',
  'usr/lib/systemd/system/faceplate.slice': 'build/linux/systemd/faceplate.slice',
  'usr/lib/systemd/system/faceplate-kiosk.socket': 'build/linux/systemd/faceplate-kiosk.socket',
  'usr/lib/systemd/system/faceplate-kiosk@.service': 'build/linux/systemd/faceplate-kiosk@.service',
  'usr/lib/systemd/system/faceplate-helper.socket': 'build/linux/systemd/faceplate-helper.socket',
  'usr/lib/systemd/system/faceplate-helper@.service': 'build/linux/systemd/faceplate-helper@.service',
  'usr/lib/systemd/system/faceplate-update.service': 'build/linux/systemd/faceplate-update.service',
  'usr/lib/faceplate/update/prove.sh': 'build/linux/prove.sh',
  'usr/lib/systemd/system/dev-faceplate-screen.device.d/timeout.conf':
    'build/linux/systemd/screen-timeout.conf',
  'usr/lib/faceplate/screen/sway.conf': 'build/linux/screen/sway.conf',
  'usr/lib/faceplate/screen/session': 'build/linux/screen/session',
  'usr/lib/sysusers.d/faceplate.conf': 'build/linux/sysusers.conf',
  'usr/lib/tmpfiles.d/faceplate.conf': 'build/linux/tmpfiles.conf',
  'usr/lib/udev/rules.d/60-faceplate.rules': 'build/linux/60-faceplate.rules',
  'usr/share/polkit-1/rules.d/50-faceplate.rules': 'build/linux/polkit.rules',
  'usr/share/faceplate/default': 'build/linux/default',
  'usr/share/doc/faceplate/README.md': 'docs/install.md',
  'usr/share/doc/faceplate/settings.md': 'docs/settings.md',
  'usr/share/doc/faceplate/hardware.md': 'docs/hardware.md',
  'etc/faceplate/sway.conf': 'build/linux/screen/installer.conf',
  'etc/pam.d/faceplate-display': 'build/linux/pam',
};

/** What belongs to one of the two packages only. */
const CHROMIUM_FILES: Readonly<Record<string, string>> = {
  'etc/chromium/policies/managed/faceplate.json': 'build/linux/chromium-policies.json',
};
const ELECTRON_FILES: Readonly<Record<string, string>> = {
  'usr/lib/systemd/system/faceplate.service.d/electron.conf': 'build/linux/electron/service.conf',
  'usr/share/faceplate/apparmor-profile': 'build/linux/electron/apparmor-profile',
  'usr/share/doc/faceplate/electron.md': 'docs/electron.md',
};

const SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm'];

/** Packages that the service runs on, beside the browser. Node needs the first three. */
const DEPENDS = [
  'libc6 (>= 2.28)',
  'libstdc++6',
  'libgcc-s1',
  'passwd',
  'systemd (>= 247)',
  'util-linux (>= 2.33)',
  'dbus',
  'polkitd | policykit-1',
  'udev',
  // Checks the signature of a package.
  'openssl',
  // Its amixer sets the volume, its aplay plays sounds.
  'alsa-utils',
  // Decodes the sounds of addresses: WAV, MP3, Ogg and FLAC.
  'gstreamer1.0-tools',
  'gstreamer1.0-plugins-base',
  'gstreamer1.0-plugins-good',
  // Speaks; its voices are part of it.
  'espeak-ng',
  // The screen; its session is a Perl program, which Debian always has.
  'sway',
  'fonts-dejavu-core | fonts-noto-core',
];
const RECOMMENDS = ['systemd-timesyncd | time-daemon', 'libpam-systemd'];
/** The libraries that Electron's program is linked with; Debian renamed some of them in 2024. */
const ELECTRON_DEPENDS = [
  'libasound2 | libasound2t64',
  'libatk-bridge2.0-0 | libatk-bridge2.0-0t64',
  'libatspi2.0-0 | libatspi2.0-0t64',
  'libcups2 | libcups2t64',
  'libdrm2',
  'libgbm1',
  'libgtk-3-0 | libgtk-3-0t64',
  'libnss3',
  'libxcomposite1',
  'libxdamage1',
  'libxkbcommon0',
  'libxrandr2',
];

/** Makes the whole tree of the Debian package, its control files included, ready for dpkg-deb. */
export async function makePackageTree(options: PackageTreeOptions): Promise<void> {
  const { root, tree, cache, arch, electron } = options;
  const facts = projectFacts(root);
  const version = options.version ?? facts.version;
  const program = join(tree, 'usr/lib/faceplate');
  const nodeFolder = await packageFolder(root, `node-linux-${arch}`, cache);
  await bundleInto(root, program, version);
  place(join(nodeFolder, 'bin/node'), join(program, 'bin/node'), 0o755);
  await copyNativePackages(options, join(program, 'node_modules'));
  const placed = electron === undefined ? { ...FILES, ...CHROMIUM_FILES } : { ...FILES, ...ELECTRON_FILES };
  if (electron !== undefined) cpSync(electron, join(program, 'electron'), { recursive: true });
  for (const [to, from] of Object.entries(placed))
    place(join(root, from), join(tree, to), statSync(join(root, from)).mode & 0o100 ? 0o755 : 0o644);
  write(join(tree, 'usr/share/doc/faceplate/copyright'), copyrightText(root, nodeFolder, electron));
  write(join(tree, 'usr/share/doc/faceplate/changelog.gz'), changelog(version, facts, options.epoch));
  for (const script of SCRIPTS) {
    place(join(root, 'build/debian/scripts', script), join(tree, 'DEBIAN', script), 0o755);
  }
  const files = filesBelow(tree).filter((file) => !file.startsWith('DEBIAN/'));
  write(
    join(tree, 'DEBIAN/conffiles'),
    lines(files.filter((file) => file.startsWith('etc/')).map((file) => `/${file}`)),
  );
  write(join(tree, 'DEBIAN/md5sums'), lines(files.map((file) => `${md5(join(tree, file))}  ${file}`)));
  const size = files.reduce((sum, file) => sum + Math.ceil(statSync(join(tree, file)).size / 1024), 0);
  write(join(tree, 'DEBIAN/control'), control(version, arch, size, facts, electron !== undefined));
  settle(tree, options.epoch);
}

function control(
  version: string,
  arch: Arch,
  size: number,
  { maintainer, homepage, description }: ProjectFacts,
  inElectron: boolean,
): string {
  const depends = [...DEPENDS, ...(inElectron ? ELECTRON_DEPENDS : ['chromium'])];
  const recommends = [...(inElectron ? [] : ['chromium-sandbox']), ...RECOMMENDS];
  return lines([
    `Package: ${inElectron ? 'faceplate-electron' : 'faceplate'}`,
    `Version: ${version}`,
    `Architecture: ${debianArchitectures[arch]}`,
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${size}`,
    `Depends: ${depends.join(', ')}`,
    `Recommends: ${recommends.join(', ')}`,
    // Both have the same service, users and folders; each may take the place of the other.
    ...['Conflicts', 'Replaces'].map(
      (field) => `${field}: ${inElectron ? 'faceplate' : 'faceplate-electron'}`,
    ),
    'Section: misc',
    'Priority: optional',
    `Homepage: ${homepage}`,
    `Description: ${description}`,
    ' Shows a web page full screen on a wall panel and gives it the hardware of the panel: LED bar,',
    ' contact inputs and relays, serial lines, UDP, RTSP cameras; the same over HTTP for others.',
  ]);
}

/** What an administrator must know before an update, as deb-changelog(5) wants it. */
const CHANGES = `  * The screen runs on sway instead of weston, so that messages, the keyboard and
    savers can lie above the page. /etc/faceplate/sway.conf replaces weston.ini;
    a weston.ini that was changed is kept as weston.ini.dpkg-bak.
  * See the history of the sources for the rest.`;

function changelog(version: string, { maintainer }: ProjectFacts, epoch: number): Buffer {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  const text = `faceplate (${version}) stable; urgency=medium\n\n${CHANGES}\n\n -- ${maintainer}  ${date}\n`;
  return gzipSync(text, { level: 9 });
}

/** The bundle of the service, without the Electron pair, which needs Electron. */
async function bundleInto(root: string, program: string, version: string): Promise<void> {
  const script = join(root, 'build/bundle/bundle.ts');
  await run(process.execPath, ['--disable-warning=ExperimentalWarning', script, program, version], {
    cwd: root,
  });
  await run('rm', ['-rf', '--', join(program, 'electron'), join(program, 'preload')]);
  await run('find', [program, '-type', 'd', '-empty', '-delete']);
}

/** The packages that cannot be bundled, with the native parts for one kind of machine. */
async function copyNativePackages({ root, arch, cache }: PackageTreeOptions, to: string): Promise<void> {
  const modules = join(root, 'node_modules');
  for (const { name, folder } of dependencyClosure(root, ['koffi', 'serialport'])) {
    // The one for this machine (that of the package follows), and headers for compiling.
    if (name.startsWith('@koromix/koffi-') || name === 'node-addon-api') continue;
    copyPackage(folder, join(to, folder.slice(modules.length + 1)), arch);
  }
  const koffi = `@koromix/koffi-linux-${arch}`;
  copyPackage(await packageFolder(root, koffi, cache), join(to, koffi), arch);
}

function place(from: string, to: string, mode = 0o644): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, mode);
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, { mode: 0o644 });
}

/** Paths of all files, sorted, without a leading slash. */
export function filesBelow(tree: string): string[] {
  return readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(tree.length + 1))
    .sort();
}

function md5(path: string): string {
  return createHash('md5').update(readFileSync(path)).digest('hex');
}

function lines(texts: readonly string[]): string {
  return `${texts.join('\n')}\n`;
}

/** The same modes and times for every build of the package. */
function settle(tree: string, epoch: number): void {
  const folders = readdirSync(tree, { recursive: true, withFileTypes: true });
  for (const entry of folders) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    else chmodSync(path, statSync(path).mode & 0o111 ? 0o755 : 0o644);
    lutimesSync(path, epoch, epoch);
  }
  chmodSync(tree, 0o755);
  lutimesSync(tree, epoch, epoch);
}
