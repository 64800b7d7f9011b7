import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import type { Pcm, PcmFormat, SoundDecoder } from '../../services/sound/driver.ts';
import { bounded, Program, soundEnvironment } from './program.ts';

const FORMAT: PcmFormat = { rate: 48_000, channels: 2 };
/** Bytes of a file that say what it is. */
const HEAD_BYTES = 512;

interface Kind {
  /** What the first bytes of such a file hold. */
  readonly head: RegExp;
  /** The elements that decode it. */
  readonly elements: string;
  /** The plugins that have these elements. */
  readonly plugins: readonly string[];
}

/**
 * What is played. A file chooses one of these rows and nothing else: no other plugin is loaded, so that no reader of
 * playlists, pictures or networks ever sees what a stranger sent.
 */
const KINDS: readonly Kind[] = [
  { head: /^RIFF.{4}WAVE/s, elements: 'wavparse', plugins: ['wavparse'] },
  {
    head: /^ID3/,
    elements: 'id3demux ! mpegaudioparse ! mpg123audiodec',
    plugins: ['id3demux', 'audioparsers', 'mpg123'],
  },
  { head: /^OggS.*OpusHead/s, elements: 'oggdemux ! opusdec', plugins: ['ogg', 'opus'] },
  { head: /^OggS.*vorbis/s, elements: 'oggdemux ! vorbisdec', plugins: ['ogg', 'vorbis'] },
  { head: /^fLaC/, elements: 'flacparse ! flacdec', plugins: ['audioparsers', 'flac'] },
  {
    // The frame header of MPEG audio, layer 3 or 2.
    head: /^\xff[\xe2-\xe7\xf2-\xf7\xfa-\xff]/,
    elements: 'mpegaudioparse ! mpg123audiodec',
    plugins: ['audioparsers', 'mpg123'],
  },
];
const OUTPUT = [
  'audioconvert',
  'audioresample',
  `audio/x-raw,format=S16LE,rate=${FORMAT.rate},channels=${FORMAT.channels}`,
  'fdsink fd=1',
].join(' ! ');
const OUTPUT_PLUGINS = ['coreelements', 'audioconvert', 'audioresample'];

/** Where Debian and other systems keep GStreamer's plugins. */
const PLUGIN_FOLDERS = [
  `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/gstreamer-1.0`,
  '/usr/lib64/gstreamer-1.0',
  '/usr/lib/gstreamer-1.0',
];

/** Decodes with GStreamer's own program and its base and good plugins, in a bounded process for each sound. */
export class GstreamerDecoder implements SoundDecoder {
  async decode(file: FileHandle, signal: AbortSignal): Promise<Pcm> {
    const kind = await kindOf(file);
    if (kind === undefined) throw notPlayable();
    const program = new Program(...bounded('gst-launch-1.0', argumentsFor(kind)), {
      input: file.fd,
      // The plugins are named: looking through all of the system would take seconds the first time.
      env: { ...soundEnvironment(), GST_REGISTRY_DISABLE: 'yes', GST_PLUGIN_SYSTEM_PATH_1_0: '' },
      signal,
    });
    const chunks = program.output();
    const first = await chunks.next();
    if (first.done) {
      const code = await program.ended.catch(() => NOT_FOUND);
      signal.throwIfAborted();
      throw code === NOT_FOUND ? notInstalled() : notPlayable();
    }
    return { format: FORMAT, chunks: startingWith(first.value, chunks) };
  }
}

/** Exit code of prlimit when it does not find the program. */
const NOT_FOUND = 127;

function argumentsFor({ elements, plugins }: Kind): string[] {
  const folder = PLUGIN_FOLDERS.find((path) => existsSync(path));
  if (folder === undefined) throw notInstalled();
  const files = [...OUTPUT_PLUGINS, ...plugins].map((name) => join(folder, `libgst${name}.so`));
  // Opening /dev/stdin opens the file anew, from its beginning, whatever its name was.
  const pipeline = `filesrc location=/dev/stdin ! ${elements} ! ${OUTPUT}`.split(' ');
  return ['-q', `--gst-plugin-load=${files.join(',')}`, ...pipeline];
}

async function kindOf(file: FileHandle): Promise<Kind | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const head = buffer.toString('latin1', 0, bytesRead);
  return KINDS.find((kind) => kind.head.test(head));
}

async function* startingWith<T>(first: T, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

function notPlayable(): FaceplateError {
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
