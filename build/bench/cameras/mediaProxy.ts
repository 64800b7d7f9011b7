import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freeTcpPort, freeUdpPort } from '../../../server/testing/freePort.ts';
import { buildGoProgram } from './goProgram.ts';

const START_LIMIT_MS = 20_000;

/** Another server that passes a camera on to browsers, with what it has to be told for one camera on loopback. */
interface MediaProxyKind {
  /** @returns the program @throws Error with a sentence that says why it is not available here */
  build(): Promise<string>;
  /** Its configuration file, as JSON. */
  config(ports: { http: number; media: number }, cameraUrl: string): object;
  /** How it is told its file. */
  args(file: string): string[];
  /** Where it takes an offer (application/sdp) and answers with SDP. */
  readonly endpoint: string;
  /** A page that it answers once it runs, with whatever status. */
  readonly ready: string;
}

export const go2rtc: MediaProxyKind = {
  build: () => buildGoProgram({ name: 'go2rtc', module: 'github.com/AlexxIT/go2rtc', version: 'v1.9.9' }),
  config: ({ http, media }, cameraUrl) => ({
    api: { listen: `127.0.0.1:${http}`, origin: '*' },
    rtsp: { listen: '' },
    srtp: { listen: '' },
    webrtc: { listen: `127.0.0.1:${media}`, ice_servers: [] },
    log: { level: 'error' },
    streams: { bench: cameraUrl },
  }),
  args: (file) => ['-config', file],
  endpoint: '/api/webrtc?src=bench',
  ready: '/api',
};

export const mediaMtx: MediaProxyKind = {
  build: () =>
    buildGoProgram({
      name: 'mediamtx',
      module: 'github.com/bluenviron/mediamtx',
      version: 'v1.12.3',
      // Its `go generate` writes the version, and fetches a script of the HLS page, which the bench does not ask for.
      madeFiles: { 'internal/core/VERSION': 'v1.12.3', 'internal/servers/hls/hls.min.js': '' },
    }),
  config: ({ http, media }, cameraUrl) => ({
    logLevel: 'error',
    rtsp: false,
    rtmp: false,
    hls: false,
    srt: false,
    webrtc: true,
    webrtcAddress: `127.0.0.1:${http}`,
    webrtcLocalUDPAddress: `127.0.0.1:${media}`,
    webrtcIPsFromInterfaces: false,
    webrtcAdditionalHosts: ['127.0.0.1'],
    paths: { bench: { source: cameraUrl, sourceOnDemand: true, rtspTransport: 'tcp' } },
  }),
  args: (file) => [file],
  endpoint: '/bench/whep',
  ready: '/',
};

/** Such a server with one camera, answering on loopback. */
export class MediaProxy {
  readonly #kind: MediaProxyKind;
  readonly #program: string;
  #child: ChildProcess | undefined;
  #folder = '';
  #port = 0;

  /** @param program as `kind.build` made it */
  constructor(kind: MediaProxyKind, program: string) {
    this.#kind = kind;
    this.#program = program;
  }

  get pid(): number {
    return this.#child!.pid!;
  }

  /** Takes an offer (application/sdp) and answers with SDP. */
  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}${this.#kind.endpoint}`;
  }

  async start(cameraUrl: string): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'faceplate-media-proxy-'));
    this.#port = await freeTcpPort();
    const file = join(this.#folder, 'config.json');
    const config = this.#kind.config({ http: this.#port, media: await freeUdpPort() }, cameraUrl);
    await writeFile(file, JSON.stringify(config));
    this.#child = spawn(this.#program, this.#kind.args(file), {
      cwd: this.#folder,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const deadline = performance.now() + START_LIMIT_MS;
    while (
      !(await fetch(`http://127.0.0.1:${this.#port}${this.#kind.ready}`).then(
        () => true,
        () => false,
      ))
    ) {
      if (performance.now() > deadline) throw new Error('a media proxy did not start');
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null) {
      child.kill();
      await once(child, 'exit');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
