import { type Architecture, architectureFacts } from '../architectures.ts';

/**
 * The Debian packages of every image, besides what they need and Debian's smallest set. A list for each reason.
 * Everything else comes with the package `faceplate`.
 */
const PACKAGES = {
  // busybox: the scripts of the initramfs.
  kernel: ['initramfs-tools', 'busybox', 'zstd', 'kmod', 'udev'],
  system: ['systemd', 'systemd-sysv', 'systemd-timesyncd', 'libpam-systemd', 'dbus', 'polkitd', 'tzdata'],
  // Gives the partitions ids of their own, grows the data partition; swap in compressed memory for small machines.
  firstBoot: ['fdisk', 'systemd-repart', 'systemd-zram-generator'],
  network: ['network-manager', 'wpasupplicant', 'nftables', 'ca-certificates', 'libnss-myhostname'],
  updates: ['rauc', 'rauc-service', 'e2fsprogs', 'dosfstools'],
  kiosk: ['chromium-sandbox'],
};

/** Names of all packages that are asked for, sorted. */
export function packageNames(arch: Architecture): readonly string[] {
  const { kernel, firmware } = architectureFacts[arch];
  return [...Object.values(PACKAGES).flat(), kernel, ...firmware].sort();
}

/** The packages that a `Depends` field names, the first of each choice, without versions. */
export function dependencyNames(depends: string): string[] {
  const names = depends.split(',').map((each) => /^[a-z0-9][a-z0-9+.-]+/.exec(each.trim())?.[0]);
  return names.filter((name) => name !== undefined);
}

/** Reads what `apt-get --simulate install` would install: `<name> <version> <architecture>` a line, sorted. */
export function readSimulated(printed: string): string[] {
  const lines = printed.matchAll(/^Inst (\S+) \((\S+) .*\[(\S+)\]\)/gm);
  return [...lines].map(([, name, version, architecture]) => `${name} ${version} ${architecture}`).sort();
}

/** An installed package. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly source: string;
}

/** What `dpkg-query --show` is asked for: the fields of InstalledPackage. */
export const QUERY_FORMAT =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholders are dpkg-query's own.
  '${binary:Package}\t${Version}\t${Architecture}\t${source:Package}\n';

/** Reads what dpkg-query printed in QUERY_FORMAT, sorted by name. */
export function readInstalled(printed: string): InstalledPackage[] {
  const lines = printed.split('\n').filter((line) => line !== '');
  const found = lines.map((line) => {
    const [name = '', version = '', architecture = '', source = ''] = line.split('\t');
    return { name: name.split(':')[0]!, version, architecture, source };
  });
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The file packages.txt: `<name>=<version>` a line. What the project itself makes is not in it. */
export function packagesText(installed: readonly InstalledPackage[]): string {
  const lines = installed
    .filter(({ name }) => name !== 'faceplate')
    .map(({ name, version }) => `${name}=${version}\n`);
  return lines.join('');
}

/** Reads a packages.txt. @throws Error naming the first line that is none of such a file */
export function readPackagesText(text: string): { name: string; version: string }[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const match = /^([a-z0-9][a-z0-9+.-]+)=([A-Za-z0-9.+:~-]+)$/.exec(line);
    if (match === null) throw new Error(`"${line}" is no line like name=version.`);
    return { name: match[1]!, version: match[2]! };
  });
}

/** Preferences of apt (apt_preferences(5)) that take these versions and no others, also older ones. */
export function aptPins(pinned: readonly { name: string; version: string }[]): string {
  return pinned
    .map(({ name, version }) => `Package: ${name}\nPin: version ${version}\nPin-Priority: 1001\n`)
    .join('\n');
}

/**
 * Which versions the mirrors do not have any more.
 * @param madison what `apt-cache madison <names>` printed: `name | version | source` a line
 */
export function goneVersions(
  pinned: readonly { name: string; version: string }[],
  madison: string,
): string[] {
  const offered = new Set(
    madison.split('\n').map((line) => {
      const [name = '', version = ''] = line.split('|').map((field) => field.trim());
      return `${name}=${version}`;
    }),
  );
  return pinned.map(({ name, version }) => `${name}=${version}`).filter((wanted) => !offered.has(wanted));
}
