import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { openSound, type SoundPlaces, soundAddress } from './files.ts';

const { signal } = new AbortController();

describe('files and addresses of sounds', () => {
  const root = temporaryFolder('sound-files');
  const places: SoundPlaces = {
    origin: () => 'http://lobby.localhost:7411',
    folder: () => join(root, 'lobby'),
    closedPorts: () => [7411],
  };
  before(() => {
    mkdirSync(join(root, 'lobby/sounds'), { recursive: true });
    writeFileSync(join(root, 'lobby/sounds/gong one.wav'), 'gong');
    writeFileSync(join(root, 'secret'), 'secret');
    symlinkSync(join(root, 'secret'), join(root, 'lobby/link.wav'));
    execFileSync('mkfifo', [join(root, 'lobby/pipe.wav')]);
  });

  async function read(url: string): Promise<string> {
    const file = await openSound(soundAddress(url, places), places, signal);
    const text = await file.readFile('utf8');
    await file.close();
    return text;
  }

  test('should open a file of the active project, by its address or relative to it', async () => {
    for (const url of [
      'sounds/gong one.wav',
      '/sounds/gong%20one.wav',
      'http://lobby.localhost:7411/sounds/gong%20one.wav?v=1',
    ])
      assert.equal(await read(url), 'gong');
  });

  test('should open nothing outside the project (security)', async () => {
    for (const url of [
      '../secret',
      '..%2fsecret',
      '%2e%2e/secret',
      'sounds/..%2f..%2fsecret',
      '/%00',
      'link.wav',
      'pipe.wav',
      'sounds',
      '/',
      'nothing.wav',
      '%ff',
    ])
      await assert.rejects(read(url), { code: 'MEDIA_UNREACHABLE' }, url);
    for (const url of ['file:///etc/passwd', 'data:audio/wav;base64,AA', 'http://', 'rtsp://x/'])
      assert.throws(() => soundAddress(url, places), { code: 'INVALID_REQUEST', field: 'url' });
    await assert.rejects(read('http://127.0.0.1:7411/api/remote/info'), { code: 'MEDIA_UNREACHABLE' });
  });

  test('should keep no copy of what it fetched, and refuse more than 10 MiB (security)', async () => {
    const server = createServer((request, response) => {
      response.end(request.url === '/long' ? Buffer.alloc(10 * 2 ** 20 + 1) : 'fetched');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const file = await openSound(new URL(`${origin}/short`), places, signal);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(99), 0, 99, 0);
    assert.equal(buffer.toString('utf8', 0, bytesRead), 'fetched');
    assert.deepEqual(
      readdirSync(tmpdir()).filter((name) => name.startsWith('faceplate-sound-') && !name.includes('files')),
      [],
    );
    await file.close();
    await assert.rejects(read(`${origin}/long`), { code: 'MEDIA_UNREACHABLE', message: /10 MiB/ });
    server.close();
  });
});
