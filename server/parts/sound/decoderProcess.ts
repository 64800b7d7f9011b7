import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import { FaceplateError } from '../../contract/errors.ts';
import { asUser } from '../../platform/privileges.ts';
import type { Pcm, PcmFormat } from './driver.ts';
import { bounded, Program, startingWith } from './program.ts';
import type { SoundKind } from './soundKinds.ts';

export const DECODED: PcmFormat = { rate: 48_000, channels: 2 };
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
