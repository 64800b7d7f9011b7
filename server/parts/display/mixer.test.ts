import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { errnoOf } from '../../platform/errno.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
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
    folder = temporaryFolder('mixer');
  });

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

  test('should read, set and mute the volume of wpctl, in percent', async () => {
    await install('wpctl', 'Volume: 0.43 [MUTED]\n');
    await install('amixer', AMIXER);
    const volume = mixer();
    assert.deepEqual(await volume.read(), { percent: 43, muted: true });
    await volume.write(70);
    await volume.mute(false);
    assert.deepEqual(await calls(), [
      '<wpctl><get-volume><@DEFAULT_AUDIO_SINK@><C>',
      '<wpctl><set-volume><@DEFAULT_AUDIO_SINK@><70%><C>',
      '<wpctl><set-mute><@DEFAULT_AUDIO_SINK@><0><C>',
    ]);
  });

  test('should show at most 100 percent', async () => {
    await install('wpctl', 'Volume: 1.50\n');
    assert.deepEqual(await mixer().read(), { percent: 100, muted: false });
  });

  test('should use amixer when wpctl gives no answer, and stay with it', async () => {
    await install('wpctl', 'Could not connect to PipeWire\n', 1);
    await install('amixer', AMIXER);
    const volume = mixer();
    const now = { percent: 40, muted: false };
    assert.deepEqual([await volume.read(), await volume.read()], [now, now]);
    await volume.write(0);
    await volume.mute(true);
    assert.deepEqual(await calls(), [
      '<wpctl><get-volume><@DEFAULT_AUDIO_SINK@><C>',
      '<amixer><sget><Master><C>',
      '<amixer><sget><Master><C>',
      '<amixer><sset><Master><0%><C>',
      '<amixer><sset><Master><mute><C>',
    ]);
  });

  test('should take another control of amixer where there is no Master, and read that it is muted', async () => {
    await install('amixer', AMIXER.replaceAll('[on]', '[off]'), '$(test "$2" = Speaker; echo $?)');
    await writeFile(
      join(folder, 'amixer'),
      (await readFile(join(folder, 'amixer'), 'utf8')).replace(
        '/bin/cat',
        `test "$2" = Master && echo "amixer: Unable to find simple control 'Master',0" >&2\n/bin/cat`,
      ),
      { mode: 0o755 },
    );
    assert.deepEqual(await mixer().read(), { percent: 40, muted: true });
    assert.deepEqual(
      (await calls()).map((call) => call.slice(0, 24)),
      ['<amixer><sget><Master><C>', '<amixer><sget><Speaker><C>'].map((call) => call.slice(0, 24)),
    );
  });

  test('should ask for no further control where there is no sound card', async () => {
    await install('amixer', '', 1);
    assert.equal(await mixer().read(), null);
    assert.equal((await calls()).length, 1);
  });

  test('should look again for a mixer that has gone', async () => {
    await install('amixer', AMIXER);
    const volume = mixer();
    assert.equal((await volume.read())?.percent, 40);
    await install('amixer', '', 1);
    assert.equal(await volume.read(), null);
    await assert.rejects(volume.write(1), (error) => errnoOf(error) === 'ENODEV');
    await install('amixer', AMIXER);
    assert.equal((await volume.read())?.percent, 40);
  });

  test('should not wait for a mixer that does not answer', async () => {
    await install('wpctl', '', '$(/bin/sleep 20; echo 0)');
    await install('amixer', AMIXER);
    const began = performance.now();
    assert.equal((await mixer().read())?.percent, 40);
    assert.ok(performance.now() - began < 10_000);
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
    assert.equal((await volume.read())?.percent, 40);
    await assert.rejects(volume.write(50), (error) => errnoOf(error) === 'EIO');
  });
});
