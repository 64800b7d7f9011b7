import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { errnoOf } from '../../platform/errno.ts';
import { Mixer } from './mixer.ts';

const AMIXER = `Simple mixer control 'Master',0
  Capabilities: pvolume pswitch
  Limits: Playback 0 - 65536
  Front Left: Playback 26214 [40%] [on]
  Front Right: Playback 26214 [41%] [on]
`;

describe('the volume of the mixer', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'faceplate-mixer-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** A program of this name that notes its arguments and language, prints `text` and ends with `status`. */
  async function install(program: string, text: string, status: string | number = 0): Promise<void> {
    await writeFile(join(folder, `${program}.txt`), text);
    await rm(join(folder, program), { force: true });
    const source = `#!/bin/sh
printf '<%s>' ${program} "$@" "$LC_ALL" >> '${folder}/calls'
echo >> '${folder}/calls'
/bin/cat '${folder}/${program}.txt'
exit ${status}
`;
    await writeFile(join(folder, program), source, { mode: 0o755 });
  }
  const mixer = () => new Mixer({ PATH: folder });
  const calls = async () => (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');

  test('should read and set the volume of wpctl, in percent', async () => {
    await install('wpctl', 'Volume: 0.43 [MUTED]\n');
    await install('amixer', AMIXER);
    const volume = mixer();
    assert.equal(await volume.read(), 43);
    await volume.write(70);
    assert.deepEqual(await calls(), [
      '<wpctl><get-volume><@DEFAULT_AUDIO_SINK@><C>',
      '<wpctl><set-volume><@DEFAULT_AUDIO_SINK@><70%><C>',
    ]);
  });

  test('should show at most 100 percent', async () => {
    await install('wpctl', 'Volume: 1.50\n');
    assert.equal(await mixer().read(), 100);
  });

  test('should use amixer when wpctl gives no answer, and stay with it', async () => {
    await install('wpctl', 'Could not connect to PipeWire\n', 1);
    await install('amixer', AMIXER);
    const volume = mixer();
    assert.deepEqual([await volume.read(), await volume.read()], [40, 40]);
    await volume.write(0);
    assert.deepEqual(await calls(), [
      '<wpctl><get-volume><@DEFAULT_AUDIO_SINK@><C>',
      '<amixer><sget><Master><C>',
      '<amixer><sget><Master><C>',
      '<amixer><sset><Master><0%><C>',
    ]);
  });

  test('should have no volume when no program is there or none reports one', async () => {
    assert.equal(await mixer().read(), null);
    await install('wpctl', 'Volume: loud\n');
    await install('amixer', "amixer: Unable to find simple control 'Master',0\n", 1);
    assert.equal(await mixer().read(), null);
  });

  test('should report a mixer that fails as an error of the system', async () => {
    await install('wpctl', 'Volume: 0.40\n', '$(test "$1" = get-volume; echo $?)');
    const volume = mixer();
    assert.equal(await volume.read(), 40);
    await assert.rejects(volume.write(50), (error) => errnoOf(error) === 'EIO');
  });
});
