import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TestProjects, upload } from '../../parts/testing/testProjects.ts';
import { letPass } from '../../testing/waiting.ts';
import { zipFile } from '../../testing/zipFile.ts';
import { DiskSpace } from './diskSpace.ts';

const MIB = 1024 ** 2;
const RESERVE = 64 * MIB;
const page = (text: string) => zipFile([{ name: 'index.html', content: text }]);
const full = { code: 'STORAGE_FULL' };

/** A disk that counts what is written to it, and how often its free space is read. */
function disk(freeMib: number) {
  const state = { free: freeMib * MIB, looks: 0 };
  const space = new DiskSpace(async () => {
    state.looks++;
    return state.free;
  });
  const write = async (claim: Awaited<ReturnType<DiskSpace['claim']>>, mib: number) => {
    for (let i = 0; i < mib; i++) {
      await claim.take(MIB);
      state.free -= MIB;
    }
  };
  return { state, space, write };
}

describe('space on the disk', () => {
  it('security: should promise no byte twice to uploads that come at once', async () => {
    const { space, state, write } = disk(64 + 100);
    const claims = await Promise.allSettled([60, 60, 40].map((mib) => space.claim(mib * MIB)));
    assert.deepEqual(
      claims.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    const [first, , third] = claims.map((claim) => (claim.status === 'fulfilled' ? claim.value : undefined));
    // The bytes of the first move from its promise to the disk: the space of the other stays the same.
    await write(first!, 60);
    await assert.rejects(space.claim(1), full);
    await write(third!, 40);
    assert.equal(state.free, RESERVE);
    for (const claim of [first!, third!]) claim.release();
    await assert.rejects(space.claim(1), full);
    assert.ok(await space.claim(0));
  });

  it('should give back space that was promised and never used', async () => {
    const { space, write } = disk(64 + 100);
    const claim = await space.claim(100 * MIB);
    await write(claim, 30);
    claim.release();
    claim.release();
    assert.ok(await space.claim(70 * MIB));
  });

  it('security: should take a file of unknown size in steps of 16 MiB, and end it at the reserve', async () => {
    const { space, state, write } = disk(64 + 50);
    const claim = await space.claim(undefined);
    await assert.rejects(write(claim, 1_000), full);
    assert.ok(state.free >= RESERVE && state.free <= RESERVE + 16 * MIB, String(state.free / MIB));
  });

  it('security: should check again every 16 MiB, because others write too', async () => {
    const { space, state, write } = disk(64 + 200);
    const claim = await space.claim(100 * MIB);
    await write(claim, 48);
    assert.equal(state.looks, 1 + 3);
    state.free = RESERVE + 40 * MIB;
    await assert.rejects(write(claim, 52), full);
    assert.equal(state.looks, 1 + 4);
  });

  it('security: should refuse an installation that no longer fits beside one that is arriving', async () => {
    const free = RESERVE + 20 * MIB;
    await using projects = await TestProjects.make({ freeBytes: async () => free });
    const caller = new AbortController();
    const { promise: arriving, resolve: arrives } = Promise.withResolvers<void>();
    const slow = {
      size: 19 * MIB,
      bytes: (async function* () {
        arrives();
        for (;;) {
          await letPass(5);
          yield Buffer.from('PK');
        }
      })(),
    };
    const first = projects.service.install({ name: 'a', archive: slow }, { signal: caller.signal });
    const ended = assert.rejects(first);
    await arriving;
    const second = { size: 2 * MIB, bytes: upload(page('b')).bytes };
    const { signal } = new AbortController();
    await assert.rejects(projects.service.install({ name: 'b', archive: second }, { signal }), full);
    caller.abort();
    await ended;
    await projects.install('b', page('b'));
  });
});
