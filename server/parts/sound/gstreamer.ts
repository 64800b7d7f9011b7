import { accessSync, constants, existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FaceplateError } from '../../contract/errors.ts';
import { askKiosk, checkAnswer } from '../../platform/kioskJobs.ts';
import { asUser } from '../../platform/privileges.ts';
import type { Pcm, PcmFormat, SoundDecoder } from './driver.ts';
import { bounded, Program, patiently, startingWith } from './program.ts';
import { findSound, type SoundInFile, type SoundKind } from './soundKinds.ts';

const READ_BYTES = 65_536;
/** How long the starter may take: its own start, and what it lets the decoder have for the first samples. */
const ANSWER_MS = 20_000;

interface DecoderIdentity {
  /** The socket of the starter of the kiosk, where there is one. */
  readonly starter?: string | undefined;
  /** The kiosk's user, where we may become it. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

/**
 * Decodes with GStreamer, in a process for each sound: as the kiosk's user, by the starter or by ourselves, so that a
 * hole in a decoder is not the service. On a desk without either it is our own user's.
 */
export class GstreamerDecoder implements SoundDecoder {
  readonly #identity: DecoderIdentity;

  constructor(identity: DecoderIdentity = {}) {
    this.#identity = identity;
  }

  async decode(file: FileHandle, signal: AbortSignal): Promise<Pcm> {
    const sound = await findSound(file);
    if (sound === undefined) throw notPlayable();
    const { starter, user } = this.#identity;
    if (starter !== undefined) return decodeAsKiosk(starter, sound, bytesOf(file, sound), signal);
    const feed = (input: NodeJS.WritableStream) =>
      // A decoder that has enough reads no further.
      void pipeline(bytesOf(file, sound), input).catch(() => undefined);
    return decodeHere(sound.kind, feed, { user, signal });
  }
}

/** The sound's bytes. The file stays open: it may be decoded again. */
async function* bytesOf(file: FileHandle, { start, size }: SoundInFile): AsyncGenerator<Buffer> {
  for (let left = size; left > 0; ) {
    const wanted = Math.min(left, READ_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, start + size - left);
    if (bytesRead === 0) return;
    left -= bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The starter answers when the first samples come; they follow on the connection, whose end also ends the decoder. */
async function decodeAsKiosk(
  starter: string,
  { kind, size }: SoundInFile,
  bytes: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<Pcm> {
  const options = {
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    body: Readable.from(bytes, { objectMode: false }),
  };
  const { answer, socket } = await askKiosk(starter, { job: 'decode', kind, size }, options);
  const hangUp = () => socket.destroy();
  socket.on('error', () => undefined);
  try {
    checkAnswer(answer);
    signal.throwIfAborted();
  } catch (error) {
    hangUp();
    throw error;
  }
  signal.addEventListener('abort', hangUp, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', hangUp));
  return { format: DECODED, chunks: patiently(socket, hangUp) };
}

const DECODED: PcmFormat = { rate: 48_000, channels: 2 };
const PROGRAM = 'gst-launch-1.0';

/**
 * What is played. A file chooses one of these rows and nothing else: no other plugin is loaded, so that no reader of
 * playlists, pictures or networks ever sees what a stranger sent.
 */
const KINDS: Readonly<Record<SoundKind, { elements: string; plugins: readonly string[] }>> = {
  wav: { elements: 'wavparse', plugins: ['wavparse'] },
  opus: { elements: 'oggdemux ! opusdec', plugins: ['ogg', 'opus'] },
  vorbis: { elements: 'oggdemux ! vorbisdec', plugins: ['ogg', 'vorbis'] },
  flac: { elements: 'flacparse ! flacdec', plugins: ['audioparsers', 'flac'] },
  mpeg: { elements: 'mpegaudioparse ! mpg123audiodec', plugins: ['audioparsers', 'mpg123'] },
};
const OUTPUT = [
  'audioconvert',
  'audioresample',
  `audio/x-raw,format=S16LE,rate=${DECODED.rate},channels=${DECODED.channels}`,
  'fdsink fd=1',
].join(' ! ');
const OUTPUT_PLUGINS = ['coreelements', 'audioconvert', 'audioresample'];

/** Where Debian and other systems keep GStreamer's plugins. */
const PLUGIN_FOLDERS = [
  `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/gstreamer-1.0`,
  '/usr/lib64/gstreamer-1.0',
  '/usr/lib/gstreamer-1.0',
];

interface DecoderOptions {
  /** Whom the decoder runs as; without one, as we do. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly signal: AbortSignal;
}

/**
 * Decodes a sound with GStreamer's own program in a bounded process of its own, which gets the bytes by a pipe and
 * opens no file of anybody.
 * @param feed writes the sound into the process and ends its input
 * @throws FaceplateError MEDIA_UNREACHABLE when it is no sound, UNSUPPORTED_HARDWARE without the program
 */
export async function decodeHere(
  kind: SoundKind,
  feed: (input: Writable) => void,
  { user, signal }: DecoderOptions,
): Promise<Pcm> {
  const env = decoderEnvironment();
  const command = bounded(PROGRAM, argumentsFor(kind, env.PATH));
  const [program, ...args] = user ? asUser(user, ...command) : [command[0], ...command[1]];
  const decoder = new Program(program!, args, { input: 'pipe', env, signal });
  // After an error gst-launch may still wait for the first samples.
  decoder.messages.on('data', () => {
    if (/^ERROR: /m.test(decoder.said)) decoder.kill();
  });
  feed(decoder.input);
  const chunks = decoder.output();
  const first = await chunks.next();
  if (first.done) {
    signal.throwIfAborted();
    throw notPlayable();
  }
  return { format: DECODED, chunks: startingWith(first.value, chunks) };
}

/** It needs nothing of ours. */
function decoderEnvironment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    LC_ALL: 'C',
    // The plugins are named: looking through all of the system would take seconds the first time.
    GST_REGISTRY_DISABLE: 'yes',
    GST_PLUGIN_SYSTEM_PATH_1_0: '',
  };
}

function argumentsFor(kind: SoundKind, path = ''): string[] {
  const folder = PLUGIN_FOLDERS.find((each) => existsSync(each));
  if (folder === undefined || !path.split(delimiter).some(hasProgram)) throw notInstalled();
  const { elements, plugins } = KINDS[kind];
  const files = [...OUTPUT_PLUGINS, ...plugins].map((name) => join(folder, `libgst${name}.so`));
  const pipeline = `fdsrc fd=0 ! ${elements} ! ${OUTPUT}`.split(' ');
  return ['-q', `--gst-plugin-load=${files.join(',')}`, ...pipeline];
}

function hasProgram(folder: string): boolean {
  try {
    accessSync(join(folder, PROGRAM), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What is answered for a file of another kind. */
export function notPlayable(): FaceplateError {
  return new FaceplateError(
    'MEDIA_UNREACHABLE',
    'This is no sound that the panel can play: WAV, MP3, Ogg (Vorbis or Opus) or FLAC.',
  );
}

function notInstalled(): FaceplateError {
  return new FaceplateError(
    'UNSUPPORTED_HARDWARE',
    'Sounds of addresses need GStreamer: install the Debian packages gstreamer1.0-tools and gstreamer1.0-plugins-good.',
  );
}
