import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { samplesOf, sine, strengthOf, wavFile } from '../../testing/recordedSound.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { GstreamerDecoder } from './gstreamer.ts';

const { signal } = new AbortController();
const notPlayable = { code: 'MEDIA_UNREACHABLE', message: /no sound that the panel can play/ };

describe('decoding sounds of strangers', () => {
  const folder = temporaryFolder('decode');
  const at = (name: string) => join(folder, name);
  before(() => {
    writeFileSync(at('tone.wav'), wavFile(1, sine(880), 44_100));
    const others = ['mp3', 'ogg', 'opus', 'flac', 'm4a'].map((kind) => at(`tone.${kind}`));
    execFileSync('ffmpeg', ['-v', 'error', '-i', at('tone.wav'), ...others]);
    execFileSync('ffmpeg', [
      ...['-v', 'error', '-i', at('tone.wav'), '-id3v2_version', '0', '-write_xing', '0', at('bare.mp3')],
    ]);
  });

  async function decoded(name: string): Promise<Int16Array> {
    const file = await open(at(name));
    try {
      const { format, chunks } = await new GstreamerDecoder().decode(file, signal);
      assert.deepEqual(format, { rate: 48_000, channels: 2 });
      return await samplesOf(chunks);
    } finally {
      await file.close();
    }
  }

  for (const name of ['tone.wav', 'tone.mp3', 'bare.mp3', 'tone.ogg', 'tone.opus', 'tone.flac']) {
    test(`should decode ${name}`, async () => {
      const samples = await decoded(name);
      assert.ok(Math.abs(samples.length / 96_000 - 1) < 0.1, `${samples.length / 96_000} s`);
      const left = samples.filter((_sample, index) => index % 2 === 0).subarray(4_800, 43_200);
      assert.ok(Math.abs(strengthOf(880, left, 48_000) - 0.5) < 0.08);
    });
  }

  test('should pass over tags before an MP3, also over several, and a picture in one', async () => {
    const tag = (bytes: Buffer) => {
      const { length } = bytes;
      const size = [length >> 21, length >> 14, length >> 7, length].map((part) => part & 0x7f);
      return Buffer.concat([Buffer.from('ID3\u0004\0\0'), Buffer.from(size), bytes]);
    };
    const picture = Buffer.concat([Buffer.from('APIC'), Buffer.alloc(300_000, '\u00ff\u00fb', 'latin1')]);
    const sound = readFileSync(at('bare.mp3'));
    writeFileSync(at('tagged.mp3'), Buffer.concat([tag(picture), tag(Buffer.alloc(5)), sound]));
    assert.equal((await decoded('tagged.mp3')).length, (await decoded('bare.mp3')).length);
    writeFileSync(at('tags.mp3'), Buffer.concat(Array(9).fill(tag(Buffer.alloc(5)))));
    writeFileSync(at('cut tag.mp3'), tag(picture).subarray(0, 1_000));
    for (const name of ['tags.mp3', 'cut tag.mp3']) await assert.rejects(decoded(name), notPlayable, name);
  });

  test('should decode one file several times, and from its beginning', async () => {
    const file = await open(at('tone.ogg'));
    const decoder = new GstreamerDecoder();
    const lengths = [];
    for (let i = 0; i < 3; i++)
      lengths.push((await samplesOf((await decoder.decode(file, signal)).chunks)).length);
    assert.equal(new Set(lengths).size, 1);
    await file.close();
  });

  test('should refuse what is no sound, also behind the head of one (security)', async () => {
    const wav = readFileSync(at('tone.wav'));
    writeFileSync(at('empty'), '');
    writeFileSync(at('text'), 'Not a sound at all.'.repeat(100));
    writeFileSync(at('playlist'), '#EXTM3U\nfile:///etc/passwd\nhttp://127.0.0.1:1/\n');
    writeFileSync(at('picture'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
    for (const head of ['RIFF....WAVE', 'ID3', 'OggS OpusHead', 'OggS vorbis', 'fLaC', '\u00ff\u00fb'])
      writeFileSync(
        at(`broken ${head.length}`),
        Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(5_000, 7)]),
      );
    writeFileSync(
      at('wrong format'),
      Buffer.concat([wav.subarray(0, 20), Buffer.from([99, 99]), wav.subarray(22)]),
    );
    writeFileSync(at('only a head'), wav.subarray(0, 44));
    const names = ['empty', 'text', 'playlist', 'picture', 'wrong format', 'only a head', 'tone.m4a'];
    for (const name of [...names, 'broken 12', 'broken 3', 'broken 13', 'broken 11', 'broken 4', 'broken 2'])
      await assert.rejects(decoded(name), notPlayable, name);
  });

  test('should give what there is of a file that is cut off', async () => {
    writeFileSync(at('cut.flac'), readFileSync(at('tone.flac')).subarray(0, 20_000));
    assert.ok((await decoded('cut.flac')).length > 10_000);
  });

  test('should end its process when nobody reads on, or when it is aborted (security)', async () => {
    // Hours of silence in a small file.
    execFileSync('ffmpeg', [
      ...['-v', 'error', '-f', 'lavfi', '-t', '7200', '-i', 'anullsrc=r=48000:cl=mono', at('long.flac')],
    ]);
    const file = await open(at('long.flac'));
    const { chunks } = await new GstreamerDecoder().decode(file, signal);
    for await (const _ of chunks) break;
    const caller = new AbortController();
    const second = await new GstreamerDecoder().decode(file, caller.signal);
    caller.abort();
    await samplesOf(second.chunks).catch(() => {});
    await file.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const own = execFileSync('ps', ['--ppid', String(process.pid), '-o', 'comm='], { encoding: 'utf8' });
    assert.doesNotMatch(own, /gst-launch/);
  });
});
