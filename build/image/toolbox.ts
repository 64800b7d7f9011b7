import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Architecture, architectureFacts } from './architectures.ts';
import { ImageError } from './arguments.ts';
import { type Mirrors, sourcesList } from './packages/aptSources.ts';

/** What every toolbox holds: a Debian 13, because older tools cannot make these file systems or bundles. */
const TOOLS = [
  'ca-certificates',
  'dosfstools',
  'e2fsprogs',
  'fdisk',
  'grub-common',
  // Looks into an initramfs.
  'initramfs-tools-core',
  // mke2fs reads archives with it.
  'libarchive13t64',
  'mmdebstrap',
  'mtools',
  // Checks the rules of the image.
  'nftables',
  'openssl',
  'rauc',
  'squashfs-tools',
  // Tries the growth of a disk.
  'systemd-repart',
  'zstd',
];
/** Without pointer authentication, which is slow to emulate. */
const EMULATED_CPU = 'cortex-a72';
const STAMP = 'etc/faceplate-toolbox';
/** The most of a program's words that an error repeats, in characters. */
const WORDS = 4000;

/**
 * Runs a program in the toolbox, in mounts and processes of its own, so that nothing is left mounted or running.
 * Arguments: the toolbox; pairs of a folder here and its place inside; `--`; the program with its arguments. With EMULATOR,
 * a folder with qemu-aarch64, the kernel runs programs of arm64 by it until this one ends (kernel documentation,
 * admin-guide/binfmt-misc). F: it is opened now, so programs in other folders have it too; C: the rights of setuid programs.
 */
const ENTER = `
set -eu
box=$1
shift
if [ -n "\${EMULATOR-}" ]; then
  formats=/proc/sys/fs/binfmt_misc
  if ! mount -t binfmt_misc none $formats 2>/dev/null && [ ! -e $formats/register ]; then
    echo 'This kernel runs no programs for arm64, as it has no binfmt_misc. Try: modprobe binfmt_misc' >&2
    exit 1
  fi
  name=faceplate-$(cat /proc/sys/kernel/random/uuid)
  magic='\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00'
  mask='\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff'
  (cd "$EMULATOR" && printf %s ":$name:M::$magic:$mask:./qemu-aarch64:FC" >$formats/register)
  # Where others keep the formats mounted, this one would stay.
  trap 'printf %s -1 >$formats/$name' EXIT
  unset EMULATOR
fi
while [ "$1" != -- ]; do
  mkdir -p "$box$2"
  mount --bind "$1" "$box$2"
  shift 2
done
shift
mount --rbind /dev "$box/dev"
mount --rbind /sys "$box/sys"
mount -t proc proc "$box/proc"
chroot "$box" "$@"
`;

interface RunOptions {
  /** Folders of this machine, by their place in the toolbox. */
  readonly folders?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Folder of the emulator for programs of another architecture; see Toolbox.emulator. */
  readonly emulator?: string | undefined;
}

/** Cache between runs: the toolbox, and what it has downloaded and made. */
export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'faceplate');
}

/** A folder with a Debian 13 and the tools that make images, the same on every machine. */
export class Toolbox {
  readonly #folder: string;
  readonly #arch: Architecture;

  /** @param cache folder that stays between builds @param arch of the images */
  constructor(cache: string, arch: Architecture = 'amd64') {
    this.#folder = join(cache, arch === 'amd64' ? 'toolbox' : `toolbox-${arch}`);
    this.#arch = arch;
  }

  /** The folder of the emulator that runs programs of the image; undefined where the processor itself does. */
  get emulator(): string | undefined {
    return architectureFacts[this.#arch].isForeign ? join(this.#folder, 'usr/bin') : undefined;
  }

  get #tools(): readonly string[] {
    return [...TOOLS, ...architectureFacts[this.#arch].tools].sort();
  }

  /** Whether the folder must be made before it can be used. */
  get isMissing(): boolean {
    const stamp = join(this.#folder, STAMP);
    return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== this.#tools.join('\n');
  }

  /** Makes the folder; a half-made one never counts. */
  async make(mirrors: Mirrors): Promise<void> {
    const made = `${this.#folder}.new`;
    rmSync(made, { recursive: true, force: true });
    mkdirSync(join(made, '..'), { recursive: true });
    const args = ['--mode=root', '--variant=minbase', '--aptopt=APT::Install-Recommends "false"'];
    for (const path of ['man', 'locale', 'doc']) args.push(`--dpkgopt=path-exclude=/usr/share/${path}/*`);
    if (architectureFacts[this.#arch].isForeign) args.push(`--architectures=amd64,${this.#arch}`);
    args.push(`--include=${this.#tools.join(',')}`, 'trixie', made, '-');
    // --kill-child: nothing stays behind when this program is ended.
    const apart = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'mmdebstrap'];
    await run('unshare', [...apart, ...args], { input: sourcesList(mirrors) });
    writeFileSync(join(made, STAMP), this.#tools.join('\n'));
    rmSync(this.#folder, { recursive: true, force: true });
    renameSync(made, this.#folder);
  }

  /**
   * Runs a program of the toolbox and returns what it printed.
   * @throws ImageError with its last words if it fails
   */
  async run(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
    // apt in the toolbox finds its mirrors as this machine does.
    if (existsSync('/etc/resolv.conf'))
      copyFileSync('/etc/resolv.conf', join(this.#folder, 'etc/resolv.conf'));
    return runInside(this.#folder, program, args, options);
  }
}

/** Runs a program of the system in a folder. @throws ImageError with its last lines if it fails */
export function runInside(
  folder: string,
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const folders = Object.entries(options.folders ?? {}).flatMap(([inside, here]) => [here, inside]);
  const apart = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', ENTER, 'sh', folder];
  return run('unshare', [...apart, ...folders, '--', program, ...args], options);
}

function run(program: string, args: readonly string[], options: RunOptions): Promise<string> {
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    LC_ALL: 'C.UTF-8',
    HOME: '/root',
    DEBIAN_FRONTEND: 'noninteractive',
    ...(options.emulator !== undefined && { EMULATOR: options.emulator, QEMU_CPU: EMULATED_CPU }),
    ...options.env,
  };
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    // Before what the program works on is removed.
    const end = () => void child.kill('SIGKILL');
    process.prependOnceListener('exit', end);
    let [printed, words] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      words = (words + text).slice(-WORDS);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-WORDS);
    });
    // A program that does not read its input may be gone before it is written.
    child.stdin.on('error', () => {}).end(options.input ?? '');
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('exit', end);
      if (code === 0) return resolve(printed);
      const name = args[args.indexOf('--') + 1] ?? program;
      reject(new ImageError(`${name} failed (${signal ?? code}):\n${words.trim()}`));
    });
  });
}
