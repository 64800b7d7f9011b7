import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freeTcpPort, freeUdpPort } from '../../../server/testing/freePort.ts';
import { buildGoProgram } from '../../../server/testing/goProgram.ts';

const START_LIMIT_MS = 20_000;

/** Addresses by the name that a viewer asks for. */
type Cameras = Readonly<Record<string, string>>;

/** How media comes from cameras. */
type Transport = 'tcp' | 'udp';

/** Another server that forwards a camera to browsers, with the settings that it needs for cameras on loopback. */
interface MediaProxyKind {
  /** @returns the program @throws Error with a sentence that says why it is not available here */
  build(): Promise<string>;
  /** Its configuration file, as JSON. */
  config(ports: { http: number; media: number }, cameras: Cameras, transport: Transport): object;
  /** The arguments that name its file. */
  args(file: string): string[];
  /** Where it takes an offer for a camera (application/sdp) and answers with SDP. */
  endpoint(camera: string): string;
  /** A page that it answers once it runs, with whatever status. */
  readonly ready: string;
}

export const go2rtc: MediaProxyKind = {
  build: () => buildGoProgram({ name: 'go2rtc', module: 'github.com/AlexxIT/go2rtc', version: 'v1.9.14' }),
  config: ({ http, media }, cameras, transport) => ({
    api: { listen: `127.0.0.1:${http}`, origin: '*' },
    rtsp: { listen: '' },
    srtp: { listen: '' },
    webrtc: {
      listen: `127.0.0.1:${media}`,
      candidates: [`127.0.0.1:${media}`],
      filters: { loopback: true },
      ice_servers: [],
    },
    // Its answers show which cameras it cannot play.
    log: { level: 'fatal' },
    streams: Object.fromEntries(
      Object.entries(cameras).map(([name, url]) => [name, `${url}#transport=${transport}`]),
    ),
  }),
  args: (file) => ['-config', file],
  endpoint: (camera) => `/api/webrtc?src=${camera}`,
  ready: '/api',
};

export const mediaMtx: MediaProxyKind = {
  build: () =>
    buildGoProgram({
      name: 'mediamtx',
      module: 'github.com/bluenviron/mediamtx',
      version: 'v1.20.0',
      // Its `go generate` writes the version, and fetches a script of the HLS page, which the bench does not ask for.
      madeFiles: { 'internal/core/VERSION': 'v1.20.0', 'internal/servers/hls/hls.min.js': '' },
      // Its SRT library is a fork that the proxy does not have; the library itself dials without a context. The bench asks
      // for no SRT.
      edits: [
        { path: 'go.mod', from: /^replace github.com\/datarhei\/gosrt .*$/m, to: '' },
        { path: 'internal/forward/srt/dest.go', from: 'DialWithContext(ctx, ', to: 'Dial(' },
        {
          path: 'internal/staticsources/srt/source.go',
          from: 'DialWithContext(params.Context, ',
          to: 'Dial(',
        },
      ],
    }),
  config: ({ http, media }, cameras, transport) => ({
    logDestinations: [],
    rtsp: false,
    rtmp: false,
    hls: false,
    srt: false,
    moq: false,
    webrtc: true,
    webrtcAddress: `127.0.0.1:${http}`,
    webrtcLocalUDPAddress: `127.0.0.1:${media}`,
    webrtcIPsFromInterfaces: false,
    webrtcAdditionalHosts: ['127.0.0.1'],
    paths: Object.fromEntries(
      Object.entries(cameras).map(([name, source]) => [
        name,
        { source, sourceOnDemand: true, rtspTransport: transport },
      ]),
    ),
  }),
  args: (file) => [file],
  endpoint: (camera) => `/${camera}/whep`,
  ready: '/',
};

/** Such a server, answering on loopback. */
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
  endpoint(camera: string): string {
    return `http://127.0.0.1:${this.#port}${this.#kind.endpoint(camera)}`;
  }

  async start(cameras: Cameras, transport: Transport = 'tcp'): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'faceplate-media-proxy-'));
    this.#port = await freeTcpPort();
    const file = join(this.#folder, 'config.json');
    const config = this.#kind.config({ http: this.#port, media: await freeUdpPort() }, cameras, transport);
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
