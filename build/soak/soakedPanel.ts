import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Panel } from '../../client/index.ts';
import { probe, probedEnv } from '../../e2e/sweep/probe.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { Mosquitto } from '../../server/testing/mosquitto.ts';
import { type RtspCamera, startRtspCamera } from '../../server/testing/rtspCamera.ts';
import { allFieldCases } from '../../server/video/testing/fieldCameras/cases.ts';
import { FieldCamera } from '../../server/video/testing/fieldCameras/fieldCamera.ts';
import type { FieldClips } from '../../server/video/testing/fieldCameras/fieldVideo.ts';
import { realClips } from '../../server/video/testing/fieldCameras/realClips.ts';
import { developersSigner } from '../packages/updateKeys.ts';
import type { SoakOptions } from './arguments.ts';
import type { Sample } from './growth.ts';
import { diskOf, filesOf, pssOf, socketsOf } from './processes.ts';
import { makeUpdate } from './update.ts';

const MIB = 2 ** 20;

/** A camera of the field that has just come, and goes again. */
export interface ComingCamera {
  readonly name: string;
  readonly url: string;
  /** Whether a viewer has pictures of it at once: some are refused, or play only once they are known. */
  readonly isPlain: boolean;
  go(): Promise<void>;
}

/** A panel that is soaked, and what belongs to it. What is undefined is left out of the work, and said so. */
export interface SoakedPanel {
  readonly what: string;
  readonly panel: Panel;
  /** RTSP addresses that it reaches. */
  readonly cameras: readonly string[];
  /** Starts one camera of the field, another one each turn. */
  readonly comingCamera: ((turn: number) => Promise<ComingCamera>) | undefined;
  readonly broker: { readonly url: string; readonly id: string } | undefined;
  /** A signed bundle, and the channel that offers it. */
  readonly update: { readonly bundle: Buffer; readonly channel: string } | undefined;
  measure(): Promise<Omit<Sample, 'hours'>>;
  /** Ends what was started for it, and nothing else. */
  stop(): Promise<void>;
}

/** The panel of `--panel`. It stays as it is, but for what the work does. */
export function addressedPanel({ panel: given, camera, broker }: SoakOptions): SoakedPanel {
  const panel = new Panel(given!.address, { token: given!.token });
  return {
    what: `the panel ${panel.address}`,
    panel,
    cameras: camera === undefined ? [] : [camera],
    comingCamera: undefined,
    broker,
    update: undefined,
    async measure() {
      const { memory, disk } = await panel.call('health.state');
      const inMiB = (bytes: number) => bytes / MIB;
      return {
        service: inMiB(memory.service),
        inUse: null,
        browser: inMiB(memory.browser),
        serviceFiles: null,
        sockets: null,
        resources: null,
        browserFiles: null,
        processes: null,
        disk: inMiB(disk.total - disk.free),
      };
    },
    stop: async () => {},
  };
}

/** A service of our own with the simulated board, a headless kiosk, cameras and a broker, in one folder. */
export class DeskPanel implements SoakedPanel {
  readonly what = 'a service on this desk, with the simulated board and a headless kiosk';
  readonly #work = mkdtempSync(join(tmpdir(), 'faceplate-soak-'));
  #service: FaceplateProcess | undefined;
  #camera: RtspCamera | undefined;
  #mosquitto: Mosquitto | undefined;
  #channel: Server | undefined;
  #clips: FieldClips | undefined;
  panel!: Panel;
  update!: { readonly bundle: Buffer; readonly channel: string };

  get cameras(): readonly string[] {
    return (['h264', 'h264-pcmu', 'h264-opus'] as const).map((mount) => this.#camera!.url(mount));
  }

  readonly comingCamera = async (turn: number): Promise<ComingCamera> => {
    const { name, departs, right } = allFieldCases[turn % allFieldCases.length]!;
    const camera = new FieldCamera(departs, this.#clips!);
    const isPlain = right.plays && right.losses === 0;
    return { name, url: await camera.start(), isPlain, go: () => camera.stop() };
  };

  get broker(): { readonly url: string; readonly id: string } {
    return { url: this.#mosquitto!.url, id: 'soak' };
  }

  /** @throws Error with what one of its parts said when it does not start */
  async start(): Promise<void> {
    // The browser's user makes its own files below it, as in /tmp.
    chmodSync(this.#work, 0o1777);
    process.env.TMPDIR = this.#work;
    this.#mosquitto = await Mosquitto.start();
    this.#camera = await startRtspCamera();
    this.#clips = await realClips();
    const signer = developersSigner(() => {}, { XDG_CONFIG_HOME: join(this.#work, 'config') });
    const bundle = makeUpdate(this.#work, signer);
    this.update = { bundle, channel: await this.#serveChannel() };
    const settings = {
      ...probedEnv,
      FACEPLATE_BOARD: 'simulated',
      FACEPLATE_LOG_LEVEL: 'error',
      FACEPLATE_MQTT_URL: this.#mosquitto.url,
      FACEPLATE_MQTT_ID: 'soak',
      FACEPLATE_UPDATE_KEYS: signer.certificate,
    };
    const service = new FaceplateProcess({ kiosk: true, env: settings });
    this.#service = service;
    await service.start();
    this.panel = new Panel(await service.url, { token: await service.token() });
  }

  async measure(): Promise<Omit<Sample, 'hours'>> {
    const { pid, descendants } = this.#service!;
    const { used, resources } = await probe(this.#service!);
    const browser = descendants.map((child) => child.pid);
    const sum = (of: (pid: number) => number) => browser.reduce((all, each) => all + of(each), 0);
    return {
      service: pssOf(pid!),
      inUse: used / MIB,
      browser: sum(pssOf),
      serviceFiles: filesOf(pid!),
      sockets: socketsOf(pid!),
      resources,
      browserFiles: sum(filesOf),
      processes: browser.length + 1,
      disk: await diskOf(this.#work),
    };
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
    await this.#camera?.stop();
    await this.#mosquitto?.stop();
    this.#channel?.closeAllConnections();
    this.#channel?.close();
    rmSync(this.#work, { recursive: true, force: true, maxRetries: 10 });
  }

  async #serveChannel(): Promise<string> {
    const list = JSON.stringify([
      {
        version: '99.0.0',
        boards: ['debian-amd64', 'debian-arm64'],
        url: 'none.deb',
        sha256: '0'.repeat(64),
      },
    ]);
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(list);
    });
    this.#channel = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/channel.json`;
  }
}
