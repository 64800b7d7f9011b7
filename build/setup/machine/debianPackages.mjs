// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SetupError } from './setupError.mjs';

/**
 * A Debian package, and what may already do its job on this machine.
 * @typedef {{ name: string, why: string, programs?: string[], folder?: string }} DebianPackage
 */

/** What `npm start` needs for its kiosk window. @type {DebianPackage[]} */
export const kioskPackages = [
  { name: 'chromium', why: 'the browser that shows the page', programs: ['chromium'] },
  // Comes with the browser; needed on kernels that give ordinary users no namespaces.
  { name: 'chromium-sandbox', why: "the browser's sandbox on every kernel", programs: ['chromium'] },
  { name: 'fonts-dejavu-core', why: 'a font for the page', folder: '/usr/share/fonts/truetype' },
];

const gstreamer = 'the RTSP test camera';
const viewer = 'a viewer of cameras that is no browser';
const sipPeer = 'SIP test peer, not started';
const nodes = "the double of a panel's device nodes";

/**
 * What `npm test` needs besides: few and small. What is larger is for `npm run test:full`.
 * @type {DebianPackage[]}
 */
export const testPackages = [
  { name: 'socat', why: 'serial lines without hardware', programs: ['socat'] },
  { name: 'xvfb', why: 'a screen without glass', programs: ['Xvfb'] },
  { name: 'blackbox', why: 'a window manager on that screen', programs: ['blackbox'] },
  { name: 'xdotool', why: 'real mouse and keys on that screen', programs: ['xdotool'] },
  { name: 'sway', why: 'the screen of the Debian package, in a window of that screen', programs: ['sway'] },
  { name: 'openssl', why: 'certificates of the TLS test camera', programs: ['openssl'] },
  { name: 'python3-gi', why: 'test doubles written in Python' },
  { name: 'umockdev', why: nodes },
  { name: 'gir1.2-umockdev-1.0', why: nodes },
  { name: 'dbus', why: 'a logind of the tests', programs: ['dbus-daemon'] },
  { name: 'python3-dbusmock', why: 'a logind of the tests' },
  { name: 'mosquitto', why: 'an MQTT broker of the tests, not started', programs: ['mosquitto'] },
  { name: 'mosquitto-clients', why: 'a second MQTT client', programs: ['mosquitto_pub'] },
  { name: 'alsa-utils', why: 'sounds of the panel', programs: ['aplay'] },
  { name: 'espeak-ng', why: 'speech of the panel', programs: ['espeak-ng'] },
  { name: 'zbar-tools', why: 'reads the QR code from a picture of the screen', programs: ['zbarimg'] },
];

/** What `npm run test:full` and the tests that few run need besides `npm start`. @type {DebianPackage[]} */
export const fullTestPackages = [
  ...testPackages,
  { name: 'openbox', why: 'a second window manager on the virtual screen', programs: ['openbox'] },
  { name: 'at-spi2-core', why: 'what a screen reader reads by' },
  { name: 'gir1.2-atspi-2.0', why: 'a screen reader of the tests' },
  { name: 'python3-gi', why: 'a screen reader of the tests' },
  { name: 'imagemagick', why: 'compares pictures of both hosts', programs: ['convert'] },
  { name: 'firefox-esr', why: 'the management page in a second browser', programs: ['firefox-esr'] },
  { name: 'ffmpeg', why: 'a second opinion on the demo video', programs: ['ffmpeg'] },
  { name: 'vlc-bin', why: 'a test camera of another make' },
  { name: 'vlc-plugin-base', why: 'a test camera of another make' },
  { name: 'onvif-tools', why: 'who finds and reads a double of a camera', programs: ['onvif-util'] },
  { name: 'libmodbus5', why: 'a Modbus device of another make' },
  { name: 'v4l-utils', why: 'a second encoder of infrared codes', programs: ['ir-ctl'] },
  { name: 'ola', why: 'a light node of Art-Net, not started', programs: ['olad'] },
  { name: 'knxd', why: 'a KNX/IP interface, not started', programs: ['knxd'] },
  { name: 'knxd-tools', why: 'what is on the bus of that interface', programs: ['knxtool'] },
  { name: 'jq', why: 'the guide for callers reads JSON with it', programs: ['jq'] },
  { name: 'unzip', why: "the archive of the tests' Electron", programs: ['unzip'] },
  { name: 'flatpak', why: 'packages that come as flatpak', programs: ['flatpak'] },
  { name: 'baresip-core', why: sipPeer },
  { name: 'baresip-ffmpeg', why: 'H.264 of the SIP test peer' },
  { name: 'sip-tester', why: sipPeer, programs: ['sipp'] },
  { name: 'linphone-cli', why: sipPeer, programs: ['linphonec'] },
  { name: 'kamailio', why: sipPeer, programs: ['kamailio'] },
  { name: 'kamailio-tls-modules', why: 'TLS of the SIP test registrar' },
  {
    name: 'network-manager',
    why: 'a NetworkManager of the tests, not started',
    programs: ['NetworkManager'],
  },
  { name: 'avahi-daemon', why: 'who hears the panel on the network', programs: ['avahi-daemon'] },
  { name: 'avahi-utils', why: 'who hears the panel on the network', programs: ['avahi-browse'] },
  { name: 'iproute2', why: 'a network of the test alone', programs: ['ip'] },
  { name: 'prometheus', why: 'the check of the metrics, by promtool', programs: ['promtool'] },
  { name: 'gir1.2-gst-rtsp-server-1.0', why: gstreamer },
  { name: 'gstreamer1.0-tools', why: gstreamer },
  { name: 'gstreamer1.0-plugins-base', why: gstreamer },
  { name: 'gstreamer1.0-plugins-good', why: gstreamer },
  { name: 'gstreamer1.0-plugins-bad', why: 'H.265 of the RTSP test camera' },
  { name: 'gstreamer1.0-plugins-ugly', why: 'H.264 of the RTSP test camera' },
  { name: 'gstreamer1.0-libav', why: 'AAC of the RTSP test camera' },
  { name: 'python3-venv', why: 'test peers and tools that pip fetches' },
  { name: 'gstreamer1.0-nice', why: viewer },
  { name: 'gir1.2-gst-plugins-bad-1.0', why: viewer },
];

/** What `npm run test:long` needs besides. @type {DebianPackage[]} */
export const longTestPackages = [
  { name: 'debootstrap', why: 'a fresh Debian to install the package on', programs: ['debootstrap'] },
  { name: 'systemd-container', why: 'booting that Debian', programs: ['systemd-nspawn'] },
  { name: 'ejabberd', why: 'a second MQTT broker, not started', programs: ['ejabberdctl'] },
  { name: 'rabbitmq-server', why: 'a third MQTT broker, not started', programs: ['rabbitmqctl'] },
];

const soaked = ['mosquitto', 'ffmpeg', 'python3-gi', 'gir1.2-gst-rtsp-server-1.0'];

/** What `npm run soak` needs on a desk besides its browser: a broker and cameras. @type {DebianPackage[]} */
export const soakPackages = fullTestPackages.filter(
  ({ name, why }) => soaked.includes(name) || (name.startsWith('gstreamer1.0-') && why !== viewer),
);

/** What `npm run image` needs; all other tools stand in a Debian of their own. @type {DebianPackage[]} */
export const imagePackages = [
  { name: 'mmdebstrap', why: 'makes the Debian with all other tools', programs: ['mmdebstrap'] },
  { name: 'debian-archive-keyring', why: 'the signatures of Debian' },
  { name: 'openssl', why: 'the key of updates', programs: ['openssl'] },
];

/** The machines of `npm run panel`, by Debian's names of their processors. @type {Record<string, DebianPackage[]>} */
const panelMachines = {
  amd64: [
    { name: 'qemu-system-x86', why: 'the machine of the virtual panel', programs: ['qemu-system-x86_64'] },
    { name: 'ovmf', why: 'its EFI firmware', folder: '/usr/share/OVMF' },
    { name: 'acpica-tools', why: 'the table of its backlight', programs: ['iasl'] },
  ],
  arm64: [
    { name: 'qemu-system-arm', why: 'the machine of the virtual panel', programs: ['qemu-system-aarch64'] },
    { name: 'qemu-efi-aarch64', why: 'its EFI firmware', folder: '/usr/share/AAVMF' },
  ],
};

/**
 * What `npm run panel` needs for a machine; nothing of one that it does not know, which it refuses itself.
 * @param {string} arch
 * @returns {DebianPackage[]}
 */
export function panelPackages(arch) {
  const machine = panelMachines[arch];
  if (machine === undefined) return [];
  return [
    ...machine,
    { name: 'qemu-utils', why: 'its disk', programs: ['qemu-img'] },
    { name: 'zstd', why: 'unpacks the image', programs: ['zstd'] },
  ];
}

/** What the tests of the virtual panel need: they change its disk, and look at it. @type {DebianPackage[]} */
export const panelTestPackages = [
  ...panelPackages(process.env.PANEL_ARCH ?? 'amd64'),
  { name: 'e2fsprogs', why: 'the file systems of its disk', programs: ['debugfs', 'e2fsck'] },
  { name: 'dosfstools', why: 'its boot partition', programs: ['fsck.vfat'] },
  { name: 'mtools', why: 'files on its boot partition', programs: ['mcopy'] },
];

/** What `npm run panel` needs for its window. @type {DebianPackage[]} */
export const panelWindowPackages = [{ name: 'qemu-system-gui', why: 'the window of the virtual panel' }];

const INSTALLER = new URL('./installDebianPackages.sh', import.meta.url).pathname;

/**
 * Installs the missing `packages` if it may; otherwise stops and prints the one line to type.
 * @param {DebianPackage[]} packages
 * @param {(line: string) => void} say
 * @param {string} [otherwise] a further sentence for someone who cannot install
 */
export function ensureDebianPackages(packages, say, otherwise = '') {
  const missing = missingPackages(packages);
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name);
  say(`Missing Debian packages:`);
  for (const { name, why } of missing) say(`  ${name} (${why})`);
  if (!has('apt-get')) {
    // On other systems only programs can be checked, so one is missing here.
    throw new SetupError(
      `This machine has no apt-get. Install the equivalents of the packages above, then run the command again.${otherwise}`,
    );
  }
  const prefix = rootPrefix();
  if (prefix === undefined) {
    const line = `sudo apt-get install --no-install-recommends ${names.join(' ')}`;
    throw new SetupError(
      `Install them with this line, then run the command again:\n\n  ${line}\n${otherwise}`,
    );
  }
  say('Installing them with apt-get; services they bring are not started ...');
  const [program, ...args] = [...prefix, 'sh', INSTALLER, ...names];
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (error !== undefined || status !== 0) {
    throw new SetupError(
      `apt-get failed (see its messages above). Fix that, then run the command again.${otherwise}`,
    );
  }
  const still = missingPackages(missing).map(({ name }) => name);
  if (still.length > 0)
    throw new SetupError(`Still missing after the installation: ${still.join(', ')}.${otherwise}`);
  say('Debian packages installed.');
}

/**
 * @param {DebianPackage[]} packages
 * @returns {DebianPackage[]} those without a replacement on this machine
 */
export function missingPackages(packages) {
  const unmet = packages.filter(({ programs = [], folder }) => !programs.some(has) && !hasEntries(folder));
  if (unmet.length === 0) return [];
  // Only Debian can look up libraries; elsewhere only a missing program counts.
  if (!has('dpkg-query')) return unmet.filter(({ programs, folder }) => programs ?? folder);
  const { stdout } = spawnSync(
    'dpkg-query',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholders are dpkg-query's own.
    ['-W', '-f', '${db:Status-Status} ${Package}\n', ...unmet.map(({ name }) => name)],
    { encoding: 'utf8' },
  );
  const installed = new Set(
    stdout
      .split('\n')
      .filter((line) => line.startsWith('installed '))
      .map((line) => line.slice('installed '.length)),
  );
  return unmet.filter(({ name }) => !installed.has(name));
}

/**
 * @param {DebianPackage[]} packages
 * @returns {string[] | undefined} the programs and folders that do their jobs here; undefined where only Debian knows
 */
export function placesOf(packages) {
  const places = packages.map(({ programs = [], folder }) =>
    hasEntries(folder) ? folder : programs.map(find).find((path) => path !== undefined),
  );
  return places.includes(undefined) ? undefined : places;
}

/** The prefix of a command that needs root: nothing for root, sudo where it asks no password, else undefined. */
function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  if (!has('sudo')) return undefined;
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0 ? ['sudo', '-n'] : undefined;
}

function has(program) {
  return find(program) !== undefined;
}

function find(program) {
  const folders = `${process.env.PATH ?? ''}${delimiter}/usr/sbin${delimiter}/usr/bin`.split(delimiter);
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function hasEntries(folder) {
  if (folder === undefined) return false;
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}
