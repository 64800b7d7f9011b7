import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import type { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import { zipFile } from '../../../server/testing/zipFile.ts';
import { callsOf } from '../panelCalls.ts';

const CAMERAS = 32;
const JOURNAL_FILES = 10;
const JOURNAL_FILE_BYTES = 2 ** 20;
const OTHER_PANELS = 250;
const ARCHIVE = zipFile([{ name: 'index.html', content: '<h1>A project</h1>' }]);

/** Cameras that take connections and never say a word. */
export class SilentCameras implements AsyncDisposable {
  readonly #servers = Array.from({ length: CAMERAS }, () =>
    createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    }),
  );
  readonly #sockets = new Set<Socket>();

  async start(): Promise<void> {
    for (const server of this.#servers) await once(server.listen(0, '127.0.0.1'), 'listening');
  }

  get ports(): number[] {
    return this.#servers.map((server) => (server.address() as AddressInfo).port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    for (const server of this.#servers) server.close();
  }
}

/** How much a panel has of each. */
export interface Amounts {
  readonly projects: number;
  readonly tokens: number;
  readonly cameras: number;
}

/** As many as it takes, or as a large house has. */
export const MUCH: Amounts = { projects: 100, tokens: 64, cameras: CAMERAS };

/**
 * Gives a running panel projects, tokens and cameras by name, with their events.
 * @param ports of its cameras
 */
export async function fill(
  service: FaceplateProcess,
  { projects, tokens, cameras }: Amounts,
  ports: readonly number[],
): Promise<void> {
  const { post, patch } = callsOf(service);
  for (let n = 0; n < projects; n++) await post(`manage/projects?name=project-${n}`, ARCHIVE);
  for (let n = 0; n < tokens; n++)
    await post('manage/tokens', { name: `Caller ${n}`, scopes: ['view', 'control'] });
  await patch('manage/settings', {
    streams: {
      cameras: ports.slice(0, cameras).map((port, n) => ({
        name: `Camera ${n}`,
        url: `onvif://127.0.0.1:${port}`,
        login: { user: 'panel', password: 'secret' },
        events: ['motion', 'person'],
      })),
    },
  });
}

/** Makes a journal of 10 MiB of the entries that a stopped panel has. */
export async function lengthenJournal(dataDir: string): Promise<void> {
  const pathOf = (number: number) => join(dataDir, 'journal', `${String(number).padStart(8, '0')}.ndjson`);
  const entries = await readFile(pathOf(1), 'utf8');
  const text = entries.repeat(Math.ceil(JOURNAL_FILE_BYTES / entries.length)).slice(0, JOURNAL_FILE_BYTES);
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  for (let number = 1; number <= JOURNAL_FILES; number++)
    await writeFile(pathOf(number), whole, { mode: 0o600 });
}

/** Leaves 1,000 retained topics on a broker, as other panels do. */
export async function retainTopics(url: string): Promise<void> {
  const client = await connectAsync(url, { protocolVersion: 5 });
  for (let n = 0; n < OTHER_PANELS; n++) {
    const base = `faceplate/other${n}`;
    const topics = {
      [`${base}/availability`]: 'online',
      [`${base}/state/led`]: '{"on":true,"red":0,"green":128,"blue":255}',
      [`${base}/state/gpio`]: JSON.stringify({
        pins: Array.from({ length: 8 }, (_, pin) => ({ pin, level: 0 })),
      }),
      [`homeassistant/device/faceplate_other${n}/config`]: JSON.stringify({ text: 'x'.repeat(4_000) }),
    };
    await Promise.all(
      Object.entries(topics).map(([topic, payload]) =>
        client.publishAsync(topic, payload, { qos: 1, retain: true }),
      ),
    );
  }
  await client.endAsync();
}
