import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE, VirtualPanel } from '../../../e2e/virtualPanel.ts';
import { zipFile } from '../../../server/testing/zipFile.ts';
import type { Bench } from '../bench.ts';
import { SHOWN, shownOn } from './panelPicture.ts';

/** The page of both sides; its colour is looked for on the glass. */
const PAGE = `<!doctype html><title>Page</title><style>body{margin:0;background:rgb(${SHOWN})}</style><h1>painted</h1>`;

/** Where this file is, the panel is a plain kiosk. */
const PLAIN = '/var/lib/plain/on';
/**
 * sway and Chromium as a person would write them down, on the same system, disk and console, and as the same user. Of one thing
 * no person would think: with OpenGL in software the glass may keep an old picture (build/linux/screen/session).
 */
const SYSTEM = {
  '/etc/systemd/system/plain.service': `[Unit]
ConditionPathExists=${PLAIN}
# As for the panel's own screen: sway would take the frame buffer of the firmware, and show nothing later.
Wants=dev-faceplate-screen.device
After=dev-faceplate-screen.device
After=systemd-user-sessions.service systemd-logind.service dbus.socket getty@tty1.service
Conflicts=getty@tty1.service
[Service]
ExecStart=/usr/bin/env XDG_RUNTIME_DIR=/run/plain WLR_RENDERER=pixman HOME=/var/lib/plain sway --config /usr/lib/plain/sway.conf
RuntimeDirectory=plain
RuntimeDirectoryMode=0700
StateDirectory=plain
User=faceplate-display
PAMName=faceplate-display
TTYPath=/dev/tty1
TTYReset=yes
TTYVHangup=yes
TTYVTDisallocate=yes
StandardInput=tty-fail
Restart=always
`,
  '/etc/systemd/system/multi-user.target.d/plain.conf': '[Unit]\nWants=plain.service\n',
  '/usr/lib/plain/sway.conf': `xwayland disable
default_border none
exec sh /usr/lib/plain/browser
`,
  // The policies of the panel keep `file:` out.
  '/usr/lib/plain/browser': `exec chromium --kiosk --no-first-run --password-store=basic \\
  --user-data-dir=/var/lib/plain/profile 'data:text/html;base64,${btoa(PAGE)}'
`,
  ...Object.fromEntries(
    ['faceplate', 'faceplate-display', 'faceplate-proof'].map((unit) => [
      `/etc/systemd/system/${unit}.service.d/plain.conf`,
      `[Unit]\nConditionPathExists=!${PLAIN}\n`,
    ]),
  ),
};

/** Prints the milliseconds until the service answers. What it needs is in every Debian. */
const UNTIL_HEALTHY = `use Socket;
sub now { open my $file, "<", "/proc/uptime"; (split " ", <$file>)[0] }
my $began = now();
while (1) {
socket my $s, PF_INET, SOCK_STREAM, 0;
if (connect $s, pack_sockaddr_in(8080, INADDR_LOOPBACK)) {
syswrite $s, "GET /healthz HTTP/1.1\\r\\nHost: localhost:8080\\r\\nConnection: close\\r\\n\\r\\n";
my $line = <$s> // "";
last if $line =~ / 200 /;
}
select undef, undef, undef, 0.1;
}
printf "%d", 1000 * (now() - $began)`;

/** How often is looked for the page, and the rest before memory is read, in milliseconds. */
const LOOK_MS = 250;
const REST_MS = 60_000;
/** How long the writes of a standing page are counted, after another such time in which it comes to rest. */
const IDLE_MS = 5 * 60_000;

/** What was measured so far: the whole takes an hour. */
function say(what: string, figure: object | number): void {
  process.stderr.write(`${what}: ${JSON.stringify(figure)}\n`);
}

/** The panel of one image, as it is or as a plain kiosk. */
class BenchPanel {
  readonly #panel = new VirtualPanel(join(import.meta.dirname, '../../../dist/panel/bench'));

  /** Makes it of the newest image and sets it up, which no later start does again. */
  async make(): Promise<void> {
    const project = zipFile([{ name: 'index.html', content: Buffer.from(PAGE) }]);
    const device = { name: 'Bench', language: 'en' };
    const wishes = { project: 'page.zip', timeZone: 'Europe/Berlin', settings: { device } };
    const boot = { 'page.zip': project, 'faceplate.json': JSON.stringify(wishes) };
    await this.#panel.make(boot, SYSTEM);
    await this.#panel.switchOn();
    await this.#untilPainted();
    // The first start writes what later ones find.
    await this.be('plain');
    await this.start();
  }

  /** Chooses what its next start shows, and switches it off. */
  async be(side: 'own' | 'plain'): Promise<void> {
    const folder = 'install -d -o faceplate-display -g faceplate-display /var/lib/plain';
    await this.#panel.root(side === 'own' ? `rm ${PLAIN}` : `${folder} && touch ${PLAIN}`);
    // A plain kiosk does not hear the button.
    await this.#panel.rootWithoutAnswer('systemctl poweroff');
    await this.#panel.powerOff();
  }

  /** Switches it on. @returns milliseconds to the first picture and to the painted page, and MiB in use a minute later */
  async start(): Promise<{ picture: number; painted: number; memory: number }> {
    const began = performance.now();
    await this.#panel.switchOn();
    const { picture, painted } = await this.#untilPainted();
    await sleep(REST_MS);
    return { picture: picture - began, painted: painted - began, memory: await this.#memory() };
  }

  /** Starts the service anew. @returns milliseconds until it is healthy */
  async service(): Promise<number> {
    await this.#panel.root('systemctl stop faceplate.service');
    return this.#healthyAfter('systemctl start --no-block faceplate.service');
  }

  /** Starts the same program with the same words and environment, without its unit, and ends it. */
  async byHand(): Promise<number> {
    await this.#panel.root(`cd /run
pid=$(systemctl show -p MainPID --value faceplate.service)
tr '\\0' '\\n' < /proc/$pid/environ | grep -v -e ^NOTIFY_SOCKET -e ^WATCHDOG -e ^INVOCATION > plain.env
tr '\\0' '\\n' < /proc/$pid/cmdline > plain.args
systemctl stop faceplate.service`);
    const took = await this.#healthyAfter(`cd /
while read -r each; do set -- "$@" "$each"; done < /run/plain.args
while read -r each; do export "$each"; done < /run/plain.env
setsid setpriv --reuid faceplate --regid faceplate --init-groups "$@" > /run/plain.log 2>&1 & echo $! > /run/plain.pid`);
    await this.#panel.root(
      'kill $(cat /run/plain.pid); sleep 20; systemctl start --no-block faceplate.service',
    );
    await this.#panel.untilHealthy();
    return took;
  }

  /** @returns MB that are written to the disk in an hour in which nothing happens */
  async idleWrites(): Promise<number> {
    const sectors = async () => Number(await this.#panel.root("awk '{ print $7 }' /sys/block/vda/stat"));
    await sleep(IDLE_MS);
    const before = await sectors();
    await sleep(IDLE_MS);
    return (((await sectors()) - before) * 512 * (3_600_000 / IDLE_MS)) / 1e6;
  }

  async end(): Promise<void> {
    await this.#panel.cut();
  }

  /** Asked from inside: the firewall lets only the unit in. */
  async #healthyAfter(command: string): Promise<number> {
    const script = Buffer.from(`(${command}\n)\nperl -e '${UNTIL_HEALTHY}' > /run/plain.new 2>&1\n`);
    await this.#panel.root(`echo ${script.toString('base64')} | base64 -d > /run/plain.sh
rm -f /run/plain.ms; setsid sh -c 'sh /run/plain.sh; mv /run/plain.new /run/plain.ms' < /dev/null > /dev/null 2>&1 &`);
    for (const end = performance.now() + PATIENCE.boot; performance.now() < end; await sleep(1_000)) {
      const words = await this.#panel.root('cat /run/plain.ms 2> /dev/null || :');
      if (/^\d+$/.test(words)) return Number(words);
      if (words !== '') throw new Error(`The panel could not be asked: ${words}`);
    }
    throw new Error('The service did not become healthy.');
  }

  async #memory(): Promise<number> {
    const words = await this.#panel.root("awk '/^MemTotal|^MemAvailable/ { print $2 }' /proc/meminfo");
    const [total, available] = words.split('\n').map(Number);
    return (total! - available!) / 1024;
  }

  async #untilPainted(): Promise<{ picture: number; painted: number }> {
    let picture: number | undefined;
    for (const end = performance.now() + PATIENCE.boot; performance.now() < end; await sleep(LOOK_MS)) {
      const seen = shownOn(await this.#panel.picture());
      if (seen !== 'dark') picture ??= performance.now();
      if (seen === 'page') return { picture: picture!, painted: performance.now() };
    }
    throw new Error('The panel did not show its page.');
  }
}

export const panelBench: Bench = {
  name: 'panel',
  about:
    'the image in QEMU, from power on, beside plain sway and Chromium on the same image, without their services; needs `npm run image`',
  isLong: true,
  rows: [
    { key: 'picture', label: 'power on to first picture', unit: 's' },
    { key: 'plainPicture', label: 'the same, plain sway and Chromium', unit: 's', isPeer: true },
    { key: 'painted', label: 'power on to page painted', unit: 's' },
    { key: 'plainPainted', label: 'the same, plain sway and Chromium', unit: 's', isPeer: true },
    { key: 'memory', label: 'memory in use with a page shown, of 2 GiB', unit: 'MiB', goal: { atMost: 480 } },
    { key: 'plainMemory', label: 'the same, plain sway and Chromium', unit: 'MiB', isPeer: true },
    { key: 'service', label: 'faceplate.service, start to healthy', unit: 's' },
    { key: 'byHand', label: 'the same program started by hand', unit: 's' },
    { key: 'idle', label: 'writes to the disk at rest', unit: 'MB/h', goal: { atMost: 5 } },
  ],
  ratios: [
    { label: 'first picture: panel / plain', of: 'picture', by: 'plainPicture', goal: { atMost: 1.2 } },
    { label: 'page painted: panel / plain', of: 'painted', by: 'plainPainted', goal: { atMost: 1.6 } },
    { label: 'start of the service: unit / by hand', of: 'service', by: 'byHand', goal: { atMost: 1.3 } },
  ],
  async setUp() {
    const panel = new BenchPanel();
    let isFirst = true;
    try {
      await panel.make();
    } catch (error) {
      await panel.end();
      throw error;
    }
    return {
      async round() {
        await panel.be('plain');
        const plain = await panel.start();
        say('plain', plain);
        await panel.be('own');
        const own = await panel.start();
        say('panel', own);
        const service = await panel.service();
        say('service', service);
        const byHand = await panel.byHand();
        say('by hand', byHand);
        const idle = isFirst ? { idle: await panel.idleWrites() } : {};
        isFirst = false;
        return {
          picture: own.picture / 1000,
          plainPicture: plain.picture / 1000,
          painted: own.painted / 1000,
          plainPainted: plain.painted / 1000,
          memory: own.memory,
          plainMemory: plain.memory,
          service: service / 1000,
          byHand: byHand / 1000,
          ...idle,
        };
      },
      tearDown: () => panel.end(),
    };
  },
};
