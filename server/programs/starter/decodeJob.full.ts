import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, before, describe, test } from 'node:test';
import { GstreamerDecoder } from '../../parts/sound/gstreamer.ts';
import { asUser } from '../../platform/privileges.ts';
import { samplesOf, sine, strengthOf, wavFile } from '../../testing/recordedSound.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const PYTHON = '/usr/bin/python3';
const { signal } = new AbortController();

/** Decoding through the real starter behind a socket, as systemd runs it, as a user without rights. */
describe('decoding by the starter of the kiosk', {
  skip: !existsSync(PYTHON) && 'needs python3 (Debian package python3-gi)',
}, () => {
  const folder = temporaryFolder('decoding');
  const at = (name: string) => join(folder, name);
  let systemd: ChildProcess;

  /** @param programs a folder whose programs come before those of the system */
  async function start(programs = ''): Promise<string> {
    const path = at('starter.sock');
    rmSync(path, { force: true });
    const script = join(import.meta.dirname, 'testing/starterSocket.py');
    const main = join(import.meta.dirname, 'main.ts');
    const words = [script, path, process.execPath, '--disable-warning=ExperimentalWarning', main];
    const [program, ...args] = isRoot
      ? asUser({ uid: NOBODY, gid: NOBODY }, PYTHON, words)
      : [PYTHON, ...words];
    const env = { PATH: `${programs}:${process.env.PATH}`, HOME: folder };
    systemd = spawn(program!, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
    await once(systemd.stdout!, 'data');
    return path;
  }

  /** The decoders that this starter runs. */
  function decoders(): string[] {
    const children = (pid: string): string[] =>
      spawnSync('ps', ['--ppid', pid, '-o', 'pid='], { encoding: 'utf8' })
        .stdout.split(/\s+/)
        .filter(Boolean);
    const all = children(String(systemd.pid)).flatMap(children);
    return all.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('gst-launch'));
  }

  async function decoded(starter: string, name: string): Promise<Int16Array> {
    const file = await open(at(name));
    try {
      return await samplesOf((await new GstreamerDecoder({ starter }).decode(file, signal)).chunks);
    } finally {
      await file.close();
    }
  }

  before(() => {
    chmodSync(folder, isRoot ? 0o777 : 0o700);
    writeFileSync(at('tone.wav'), wavFile(1, sine(880)));
    execFileSync('ffmpeg', [
      ...['-v', 'error', '-f', 'lavfi', '-t', '3600', '-i', 'anullsrc=r=48000:cl=mono', at('long.flac')],
    ]);
  });
  afterEach(async () => {
    systemd.kill();
    await once(systemd, 'exit');
  });

  test('should give the samples of a sound, and of all of it where the file goes on', async () => {
    const starter = await start();
    const samples = await decoded(starter, 'tone.wav');
    assert.equal(samples.length, 96_000);
    const left = samples.filter((_sample, index) => index % 2 === 0).subarray(4_800, 43_200);
    assert.ok(Math.abs(strengthOf(880, left, 48_000) - 0.5) < 0.08);
    // The decoder ends before it has read this.
    writeFileSync(
      at('more.wav'),
      Buffer.concat([readFileSync(at('tone.wav')), Buffer.alloc(4_000_000, 'more')]),
    );
    assert.equal((await decoded(starter, 'more.wav')).length, 96_000);
  });

  test('should say that something is no sound', async () => {
    const starter = await start();
    const head = readFileSync(at('tone.wav')).subarray(0, 20);
    writeFileSync(at('broken.wav'), Buffer.concat([head, Buffer.alloc(4_000_000, 99)]));
    writeFileSync(at('text'), 'Not a sound at all.'.repeat(100));
    for (const name of ['broken.wav', 'text'])
      await assert.rejects(decoded(starter, name), { code: 'MEDIA_UNREACHABLE' }, name);
  });

  test('should end the decoder when nobody reads on, or when the call is aborted', async () => {
    const decoder = new GstreamerDecoder({ starter: await start() });
    const file = await open(at('long.flac'));
    try {
      const { chunks } = await decoder.decode(file, signal);
      assert.equal(decoders().length, 1);
      if (isRoot) {
        const status = readFileSync(`/proc/${decoders()[0]}/status`, 'utf8');
        assert.match(status, /^Uid:\t65534\t65534\t65534\t65534$/m);
        assert.match(status, /^CapEff:\t0+$/m);
      }
      for await (const _ of chunks) break;
      await until(() => decoders().length === 0, 'its end');
      const caller = new AbortController();
      const second = await decoder.decode(file, caller.signal);
      assert.equal(decoders().length, 1);
      caller.abort();
      await samplesOf(second.chunks);
      await until(() => decoders().length === 0, 'its end');
    } finally {
      await file.close();
    }
  });

  test('security: a decoder in the hands of an attacker should not be the service, nor read its token', {
    skip: !isRoot && 'needs root, to have two users',
  }, async () => {
    const dataDir = at('data');
    mkdirSync(dataDir, { mode: 0o700 });
    writeFileSync(join(dataDir, 'token'), 'the token of the owner', { mode: 0o600 });
    const programs = at('programs');
    mkdirSync(programs);
    const attack = `id -u; id -G; cat '${dataDir}/token'; ls '${dataDir}'; cat /proc/${process.pid}/environ`;
    writeFileSync(join(programs, 'gst-launch-1.0'), `#!/bin/sh\n{ ${attack}; } 2>&1\n`, { mode: 0o755 });
    chmodSync(join(programs, 'gst-launch-1.0'), 0o755);
    const file = await open(at('tone.wav'));
    const saidBy = async (decoder: GstreamerDecoder) => {
      const said: Uint8Array[] = [];
      for await (const bytes of (await decoder.decode(file, signal)).chunks) said.push(bytes);
      return Buffer.concat(said).toString();
    };
    const before = process.env.PATH;
    try {
      const kiosk = { uid: NOBODY, gid: NOBODY };
      const starter = await start(programs);
      process.env.PATH = `${programs}:${before}`;
      // As on a desk: what the other two must not be.
      const asOurselves = await saidBy(new GstreamerDecoder());
      assert.match(asOurselves, /^0\n0 ?[\d ]*\nthe token of the owner/);
      for (const decoder of [new GstreamerDecoder({ starter }), new GstreamerDecoder({ user: kiosk })]) {
        const said = await saidBy(decoder);
        assert.match(said, /^65534\n65534\n/);
        assert.doesNotMatch(said, /the token of the owner|PATH=/);
        assert.equal(said.match(/Permission denied/g)?.length, 3, said);
      }
    } finally {
      process.env.PATH = before;
      await file.close();
    }
  });
});
