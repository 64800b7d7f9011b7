import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../temporaryFolder.ts';
import { until } from '../waiting.ts';
import { type PeerProgram, startPeerProgram } from './peerProgram.ts';
import { freeSipPort } from './ports.ts';

const START_LIMIT_MS = 10_000;
const TRIES = 3;

/** An event from baresip's control connection; `type` is for example `CALL_ESTABLISHED`. */
interface BaresipEvent {
  readonly type: string;
  readonly param?: string;
  readonly peeruri?: string;
  readonly [field: string]: unknown;
}

export interface BaresipOptions {
  /**
   * Lines of its file `accounts`, the first one dials; `PORT` in them becomes its SIP port. For example
   * `<sip:visitor@127.0.0.1:PORT>;regint=0;answermode=auto;audio_codecs=pcmu`. It answers 404 to every user but its
   * own, `catchall=yes` or not; to be called without a user part, it has to be `<sip:@127.0.0.1:PORT>`.
   */
  readonly accounts: readonly string[];
  /** More modules, such as `srtp.so`. */
  readonly modules?: readonly string[];
  /** More lines of its file `config`. */
  readonly config?: readonly string[];
  /** Sends and shows its own H.264 pictures (320x240, 15 frames per second). */
  readonly video?: boolean;
}

/** A running baresip without a sound card: it sends a tone of 440 Hz and records what it receives. */
export interface Baresip {
  readonly port: number;
  readonly events: readonly BaresipEvent[];
  /** A command of its menu, such as `dial` `sip:panel@127.0.0.1:5060`, `accept`, `hangup`, `sndcode` `5`. */
  command(command: string, params?: string): Promise<string>;
  /** Resolves with the first event of this type, from the beginning on or from event number `from` on. */
  event(type: string, from?: number): Promise<BaresipEvent>;
  /** Resolves when its (only) account is registered; the event for it may come before the control connection. */
  registered(): Promise<void>;
  /** WAV files of what was heard (`dec`) or sent (`enc`); complete after `stop` or the end of the call. */
  recordings(which: 'dec' | 'enc'): Promise<string[]>;
  output(): string;
  /** Ends it; its recordings stay until `remove`. */
  stop(): Promise<void>;
  /** Ends it and deletes its folder; safe to call twice. */
  remove(): Promise<void>;
}

/** Starts baresip on free ports of 127.0.0.1. Needs Debian's baresip-core, for video also baresip-ffmpeg. */
export async function startBaresip(options: BaresipOptions): Promise<Baresip> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (attempt === TRIES) throw error;
    }
  }
}

async function startOnce(options: BaresipOptions): Promise<Baresip> {
  const [port, controlPort, rtpPort] = [await freeSipPort(), await freeSipPort(), await freeSipPort()];
  const folder = temporaryFolder('baresip');
  const recordings = join(folder, 'snd');
  await mkdir(recordings);
  const accounts = options.accounts.map((line) => `${line.replaceAll('PORT', String(port))}\n`).join('');
  await writeFile(join(folder, 'accounts'), accounts);
  await writeFile(join(folder, 'contacts'), '');
  await writeFile(join(folder, 'config'), configOf(options, { port, controlPort, rtpPort, recordings }));
  const program = await startPeerProgram('baresip', ['-f', folder], folder);
  const remove = async (): Promise<void> => {
    await program.stop();
  };
  try {
    const control = await BaresipControl.open(controlPort, program);
    return {
      port,
      events: control.events,
      command: (command, params) => control.command(command, params),
      event: (type, from) => control.event(type, from),
      registered: () => until(() => /200 OK .*\[\d+ bindings?\]/.test(program.output()), 'the registration'),
      recordings: async (which) =>
        (await readdir(recordings))
          .filter((name) => name.endsWith(`-${which}.wav`))
          .map((name) => join(recordings, name)),
      output: () => program.output(),
      stop: async () => {
        control.close();
        await program.stop();
      },
      remove: async () => {
        control.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

interface Places {
  readonly port: number;
  readonly controlPort: number;
  readonly rtpPort: number;
  readonly recordings: string;
}

function configOf(options: BaresipOptions, { port, controlPort, rtpPort, recordings }: Places): string {
  const modules = ['g711.so', 'g722.so', 'opus.so', 'ausine.so', 'aubridge.so', 'sndfile.so'];
  if (options.video === true) modules.push('avcodec.so', 'fakevideo.so');
  const lines = [
    'poll_method epoll',
    // Binds TCP too, and TLS on the next port.
    `sip_listen 127.0.0.1:${port}`,
    'call_max_calls 8',
    'audio_player aubridge,sink',
    'audio_source ausine,440',
    'audio_alert aubridge,alert',
    // ausine knows only this rate and two channels; with others, an answer fails without a message.
    'ausrc_srate 48000',
    'ausrc_channels 2',
    'auplay_srate 8000',
    'auplay_channels 1',
    'ausrc_format s16',
    'auplay_format s16',
    'auenc_format s16',
    'audec_format s16',
    'video_source fakevideo,dummy',
    'video_display fakevideo,dummy',
    'video_size 320x240',
    'video_bitrate 256000',
    'video_fps 15',
    `rtp_ports ${rtpPort}-${rtpPort + 9}`,
    'jitter_buffer_delay 5-10',
    'net_interface 127.0.0.1',
    'module_path /usr/lib/baresip/modules',
    ...[...modules, ...(options.modules ?? [])].map((name) => `module ${name}`),
    'module_tmp uuid.so',
    'module_tmp account.so',
    'module_app menu.so',
    'module_app ctrl_tcp.so',
    `ctrl_tcp_listen 127.0.0.1:${controlPort}`,
    `snd_path ${recordings}`,
    ...(options.config ?? []),
  ];
  return `${lines.join('\n')}\n`;
}

interface Waiting {
  readonly resolve: (data: string) => void;
  readonly reject: (error: Error) => void;
}

/** The control connection (module ctrl_tcp): JSON in netstrings, `<length>:<JSON>,`. */
class BaresipControl {
  readonly events: BaresipEvent[] = [];
  readonly #socket: Socket;
  readonly #program: PeerProgram;
  readonly #waiting = new Map<string, Waiting>();
  #received = Buffer.alloc(0);
  #tokens = 0;

  private constructor(socket: Socket, program: PeerProgram) {
    this.#socket = socket;
    this.#program = program;
    socket.on('data', (data: Buffer) => this.#read(data));
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('baresip has ended'));
      this.#waiting.clear();
    });
  }

  static async open(port: number, program: PeerProgram): Promise<BaresipControl> {
    const deadline = Date.now() + START_LIMIT_MS;
    for (;;) {
      const socket = connect(port, '127.0.0.1');
      try {
        await once(socket, 'connect');
        return new BaresipControl(socket, program);
      } catch {
        if (program.hasExited() || Date.now() > deadline)
          throw new Error(`baresip did not start: ${program.output()}`);
        await sleep(20);
      }
    }
  }

  command(command: string, params = ''): Promise<string> {
    const token = String(++this.#tokens);
    const json = JSON.stringify({ command, params, token });
    this.#socket.write(`${Buffer.byteLength(json)}:${json},`);
    return new Promise((resolve, reject) => this.#waiting.set(token, { resolve, reject }));
  }

  async event(type: string, from = 0): Promise<BaresipEvent> {
    const find = (): BaresipEvent | undefined => this.events.slice(from).find((event) => event.type === type);
    await until(() => find() !== undefined, `baresip's ${type}`).catch((error: Error) => {
      const seen = this.events.map((event) => `${event.type} ${event.param ?? ''}`).join(', ');
      throw new Error(`${error.message}; events: ${seen}; output: ${this.#program.output().slice(-2_000)}`);
    });
    return find()!;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(data: Buffer): void {
    this.#received = Buffer.concat([this.#received, data]);
    for (;;) {
      const colon = this.#received.indexOf(':');
      if (colon < 0) return;
      const end = colon + 1 + Number(this.#received.toString('latin1', 0, colon));
      if (this.#received.length <= end) return;
      const message: unknown = JSON.parse(this.#received.toString('utf8', colon + 1, end));
      this.#received = this.#received.subarray(end + 1);
      this.#take(message as BaresipEvent & { token?: string; ok?: boolean; data?: string });
    }
  }

  #take(message: BaresipEvent & { token?: string; ok?: boolean; data?: string }): void {
    if (message.event === true) {
      this.events.push(message);
      return;
    }
    const waiting = this.#waiting.get(message.token ?? '');
    this.#waiting.delete(message.token ?? '');
    if (message.ok === false) waiting?.reject(new Error(`baresip refused: ${message.data ?? ''}`));
    else waiting?.resolve(message.data ?? '');
  }
}
