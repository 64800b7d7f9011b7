import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { FaceplateProcess } from '../testing/faceplateProcess.ts';
import { freeTcpPort } from '../testing/freePort.ts';
import { Mosquitto } from '../testing/mosquitto.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { until } from '../testing/waiting.ts';

const mayLink = (() => {
  try {
    execFileSync(
      'unshare',
      ['--net', 'sh', '-c', 'ip link add fa type veth peer name fb && nft list ruleset'],
      {
        stdio: 'ignore',
      },
    );
    return true;
  } catch {
    return false;
  }
})();

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const HERE = '10.213.7.1';
const PANEL = '10.213.7.2';
/** Three times the goal of 5 s. */
const SOON_MS = 15_000;

/** A panel at the end of a wire of its own, in a network namespace; the other end is here. */
class WiredPanel {
  readonly #wire = `fp${process.pid % 100_000}`;
  readonly #holder = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
  readonly #dataDir = temporaryFolder('link');
  service: FaceplateProcess | undefined;

  async open(): Promise<void> {
    chmodSync(this.#dataDir, 0o711);
    await once(this.#holder, 'spawn');
    await until(
      () => readFileSync(`/proc/${this.#holder.pid}/comm`, 'utf8').trim() === 'sleep',
      'the namespace',
    );
    const here = (...words: string[]) => execFileSync('ip', words);
    here(
      'link',
      'add',
      this.#wire,
      'type',
      'veth',
      'peer',
      'name',
      'eth7',
      'netns',
      String(this.#holder.pid),
    );
    here('addr', 'add', `${HERE}/24`, 'dev', this.#wire);
    here('link', 'set', this.#wire, 'up');
    this.inside('ip', 'link', 'set', 'lo', 'up');
  }

  /** Runs a program in the panel's network. */
  inside(program: string, ...args: string[]): string {
    const way = ['--net', '--target', String(this.#holder.pid), program, ...args];
    return execFileSync('nsenter', way, { encoding: 'utf8' });
  }

  plug(): void {
    this.inside('ip', 'link', 'set', 'eth7', 'up');
  }

  address(verb: 'add' | 'del', address = `${PANEL}/24`): void {
    this.inside('ip', 'addr', verb, address, 'dev', 'eth7');
  }

  /** What the other end does to the wire. */
  cable(state: 'up' | 'down'): void {
    execFileSync('ip', ['link', 'set', this.#wire, state]);
  }

  async start(env: Readonly<Record<string, string>>, kiosk = true): Promise<FaceplateProcess> {
    await this.service?.stop();
    this.service = new FaceplateProcess({
      kiosk,
      dataDir: this.#dataDir,
      env: { FACEPLATE_HTTP_HOST: '0.0.0.0', FACEPLATE_HTTP_PORT: '8080', ...env },
      spawn: async (args, all) =>
        spawn(
          'nsenter',
          [
            ...['--net', '--target', String(this.#holder.pid)],
            ...[
              process.execPath,
              '--disable-warning=ExperimentalWarning',
              join(import.meta.dirname, '../main.ts'),
            ],
            ...args,
          ],
          { stdio: ['ignore', 'pipe', 'pipe'], env: all },
        ),
    });
    await this.service.launch();
    await this.service.line(/^faceplate ready (\S+)$/);
    return this.service;
  }

  async close(): Promise<void> {
    await this.service?.stop();
    this.#holder.kill();
    // It may have gone with the namespace.
    spawnSync('ip', ['link', 'del', this.#wire]);
  }
}

/** The server of a page at the other end of the wire; the page says what happens to it in the names of its requests. */
class PageServer {
  readonly sockets: Duplex[] = [];
  readonly said: string[] = [];
  readonly server: Server;
  /** Until a slow page comes whole, in milliseconds. */
  slowMs = 0;

  constructor() {
    this.server = createServer((request, response) => {
      this.said.push(request.url!);
      if (request.url !== '/') return response.writeHead(204).end();
      response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-store' });
      response.write('<!doctype html><title>page</title><h1>page</h1>');
      const rest = `<script>
        const tell = (what) => fetch('/' + what).catch(() => {});
        for (const type of ['offline', 'online']) addEventListener(type, () => tell(type));
        (function connect() { new WebSocket('ws://' + location.host + '/').onclose = () => connect(); })();
        tell('whole');
      </script>`;
      setTimeout(() => response.end(rest), this.slowMs);
      return response;
    }).on('upgrade', ({ headers }, socket) => {
      this.sockets.push(socket.on('error', () => {}));
      const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${GUID}`).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      socket.on('data', () => {});
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, HERE, resolve));
    return `http://${HERE}:${(this.server.address() as AddressInfo).port}/`;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('panel on a wire', {
  skip: mayLink ? false : 'needs a network namespace and nft: root, Debian: nftables',
}, () => {
  const panel = new WiredPanel();
  let pages: PageServer;
  let url: string;
  before(async () => {
    await panel.open();
    panel.plug();
    panel.address('add');
    pages = new PageServer();
    url = await pages.listen();
    await panel.start({ FACEPLATE_KIOSK_URL: url });
    await until(() => pages.sockets.length === 1, 'the page');
  });
  afterEach(() => panel.inside('nft', 'flush', 'ruleset'));
  after(async () => {
    pages?.close();
    await panel.close();
  });

  /** Packets of the connections that are there are dropped without a word, as by a router that was restarted. */
  function forgetConnections(): void {
    const ports = pages.sockets.map((socket) => (socket as unknown as { remotePort: number }).remotePort);
    const known = `{ ${ports.filter((port) => port !== undefined).join(', ')} }`;
    panel.inside(
      'nft',
      `add table ip t; add chain ip t out { type filter hook output priority 0; }; add chain ip t in { type filter hook input priority 0; }; add rule ip t out tcp sport ${known} drop; add rule ip t in tcp dport ${known} drop`,
    );
  }

  test('should connect its page anew after a change of link, over connections that nobody answers', async (t) => {
    for (const change of [
      async () => {
        panel.cable('down');
        await pause(2_500);
        panel.cable('up');
      },
      async () => {
        panel.address('del');
        await pause(2_500);
        panel.address('add');
      },
    ]) {
      const [connections, begin] = [pages.sockets.length, pages.said.length];
      forgetConnections();
      await change();
      const back = performance.now();
      await until(() => pages.sockets.length > connections, 'another connection', { limitMs: 60_000 });
      const ms = Math.round(performance.now() - back);
      await until(() => pages.said.slice(begin).includes('/online'), 'online');
      t.diagnostic(`connected ${ms} ms after the link was there again`);
      assert.ok(ms < SOON_MS, `${ms} ms`);
    }
  });

  async function reload(): Promise<void> {
    const said = panel.inside(
      ...([
        'curl',
        '-s',
        '-X',
        'POST',
        '-H',
        `Authorization: Bearer ${await panel.service!.token()}`,
      ] as const),
      ...['http://127.0.0.1:8080/api/manage/reload'],
    );
    assert.match(said, /reloading/);
  }

  test('should show a page whose load is cut by an address that comes or goes, whole', async (t) => {
    const other = '10.213.8.2/24';
    const port = new URL(url).port;
    for (let round = 0; round < 2; round++) {
      // While it waits for its connection, which ends with ERR_NETWORK_CHANGED.
      panel.inside(
        'nft',
        `add table ip t; add chain ip t out { type filter hook output priority 0; }; add rule ip t out tcp dport ${port} drop`,
      );
      let begin = pages.said.length;
      await reload();
      await pause(1_500);
      panel.address('add', other);
      await pause(500);
      panel.inside('nft', 'flush', 'ruleset');
      let cut = performance.now();
      await until(() => pages.said.slice(begin).includes('/whole'), 'the page', { limitMs: 60_000 });
      t.diagnostic(
        `whole ${Math.round(performance.now() - cut)} ms after its connection was cut by a new address`,
      );
      // While it comes.
      pages.slowMs = 3_000;
      begin = pages.said.length;
      await reload();
      await until(() => pages.said.slice(begin).includes('/'), 'the request');
      await pause(1_000);
      panel.address('del', other);
      cut = performance.now();
      await until(() => pages.said.slice(begin).includes('/whole'), 'the whole page', { limitMs: 60_000 });
      t.diagnostic(
        `whole ${Math.round(performance.now() - cut)} ms after an address was lost under its load`,
      );
      pages.slowMs = 0;
    }
  });

  test('should be there on the network, to its broker and its registrar, once a late address comes', async (t) => {
    await panel.service?.stop();
    panel.address('del');
    panel.cable('down');
    const conf = [`listener ${await freeTcpPort()} ${HERE}`, 'allow_anonymous true'];
    const broker = await Mosquitto.start({ conf });
    const registrar = createSocket('udp4');
    const mdns = createSocket({ type: 'udp4', reuseAddr: true });
    const seen = new Map<string, number>();
    let come = 0;
    const note = (what: string) => {
      if (!seen.has(what)) seen.set(what, Math.round(performance.now() - come));
    };
    try {
      await new Promise<void>((resolve) => registrar.bind(0, HERE, resolve));
      registrar.on('message', (bytes) => /^REGISTER /.test(String(bytes)) && note('sip'));
      await new Promise<void>((resolve) => mdns.bind(5353, resolve));
      mdns.setMulticastInterface(HERE);
      // An answer has the highest bit of its flags (RFC 1035 4.1.1).
      mdns.on('message', (bytes) => (bytes[2]! & 0x80) !== 0 && bytes.includes('_faceplate') && note('mdns'));
      await panel.start(
        {
          FACEPLATE_MQTT_URL: `mqtt://${HERE}:${conf[0]!.split(' ')[1]}`,
          FACEPLATE_SIP_ENABLED: 'true',
          FACEPLATE_SIP_PORT: '5070',
          FACEPLATE_SIP_REGISTRAR: `${HERE}:${registrar.address().port}`,
          FACEPLATE_SIP_USERNAME: 'panel',
          FACEPLATE_HTTPS_PORT: '8443',
        },
        false,
      );
      // Everything has tried and failed, and waits longer each time.
      await pause(20_000);
      assert.equal(seen.size, 0);
      panel.cable('up');
      await pause(2_000);
      panel.address('add');
      come = performance.now();
      mdns.addMembership('224.0.0.251', HERE);
      const tries: readonly [string, () => Promise<unknown>][] = [
        ['http', async () => (await fetch(`http://${PANEL}:8080/healthz`)).ok],
        ['https', () => answers(`https://${PANEL}:8443/healthz`)],
        ['mqtt', async () => broker.output.includes('faceplate')],
        ['mdns', async () => void mdns.send(QUESTION, 5353, '224.0.0.251')],
      ];
      await until(
        async () => {
          for (const [what, ask] of tries)
            if (!seen.has(what) && (await ask().catch(() => false)) === true) note(what);
          return ['http', 'https', 'mqtt', 'sip', 'mdns'].every((what) => seen.has(what));
        },
        'all of them',
        { limitMs: 180_000, everyMs: 200 },
      ).catch((error: Error) => assert.fail(`${error.message}: ${[...seen]}`));
      t.diagnostic(`ms after the address: ${[...seen].map((each) => each.join(' ')).join(', ')}`);
    } finally {
      registrar.close();
      mdns.close();
      await broker.stop();
    }
  });
});

/** PTR of _faceplate._tcp.local (RFC 6762). */
const QUESTION = Buffer.from(
  '\0\0\0\0\0\u0001\0\0\0\0\0\0\u000a_faceplate\u0004_tcp\u0005local\0\0\u000c\0\u0001',
  'latin1',
);

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get(url, { rejectUnauthorized: false, timeout: 1_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy()).on('error', () => resolve(false));
  });
}
