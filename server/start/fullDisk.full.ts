import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { HealthState } from '../parts/health/contract.ts';
import { FaceplateProcess } from '../testing/faceplateProcess.ts';
import { skipWithoutMounts } from '../testing/mountNamespace.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { until } from '../testing/waiting.ts';

/** What happens to the disk: how it stops taking writes, and takes them again. */
const FAULTS: Readonly<
  Record<string, { says: RegExp; isMemory: boolean; stop(at: string): void; mend(at: string): void }>
> = {
  'is full': {
    says: /is full/,
    isMemory: false,
    stop: (at) => endless(() => writeFileSync(join(at, 'filler'), Buffer.alloc(64 * 1024), { flag: 'a' })),
    mend: (at) => rmSync(join(at, 'filler')),
  },
  'takes no more files': {
    says: /no more files/,
    isMemory: true,
    stop: (at) => {
      mkdirSync(join(at, 'many'));
      let count = 0;
      endless(() => writeFileSync(join(at, 'many', String(count++)), ''));
    },
    mend: (at) => rmSync(join(at, 'many'), { recursive: true }),
  },
  'is read-only': {
    says: /EROFS/,
    isMemory: true,
    stop: (at) => void execFileSync('mount', ['-o', 'remount,ro', at]),
    mend: (at) => void execFileSync('mount', ['-o', 'remount,rw', at]),
  },
};

describe('panel whose data partition', { skip: skipWithoutMounts }, () => {
  for (const [name, { says, isMemory, stop, mend }] of Object.entries(FAULTS))
    test(`${name} should show its page, lose nothing, say what is wrong, and be well once that is mended`, async () => {
      const dataDir = temporaryFolder('disk');
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m,nr_inodes=3000,mode=0711', 'none', dataDir]);
      let service = new FaceplateProcess({ kiosk: true, dataDir });
      try {
        await service.start();
        const token = await service.token();
        assert.equal((await rename(service, 'Before')).status, 200);
        await service.stop();
        stop(dataDir);

        service = new FaceplateProcess({ kiosk: true, dataDir });
        await service.launch();
        await service.line(/^faceplate ready (\S+)$/);
        await until(async () => (await health(service)).page?.state === 'shown', 'the page', {
          everyMs: 200,
        });
        assert.equal(await service.token(), token);
        assert.match((await health(service)).disk.problem ?? '', says);
        await service.line(/"msg":"health: nothing is saved, the data folder takes no writes"/);
        const refused = await rename(service, 'Lost');
        assert.deepEqual([refused.status, refused.body.code], [507, 'STORAGE_FULL']);
        assert.equal(await nameOf(service), 'Before');
        if (isMemory) await service.line(/"msg":"browser: the disk takes no writes/);

        mend(dataDir);
        await until(async () => (await health(service)).disk.problem === null, 'room', { everyMs: 200 });
        assert.equal((await rename(service, 'After')).status, 200);
        if (isMemory) await service.line(/"msg":"browser: the disk takes writes again, starting anew"/);
        await until(async () => (await health(service)).page?.state === 'shown', 'the page again', {
          everyMs: 200,
        });
        assert.equal((await service.stop()).code, 0);
        service = new FaceplateProcess({ dataDir });
        await service.start();
        assert.equal(await nameOf(service), 'After');
      } finally {
        await service.stop();
        execFileSync('umount', ['--lazy', dataDir]);
      }
    });
});

/** Repeats until the disk refuses. */
function endless(work: () => void): void {
  assert.throws(
    () => {
      for (;;) work();
    },
    { code: 'ENOSPC' },
  );
}

async function ask(service: FaceplateProcess, path: string, body?: object) {
  const response = await fetch(`${await service.url}${path}`, {
    method: body === undefined ? 'GET' : 'PATCH',
    headers: { authorization: `Bearer ${await service.token()}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const rename = (service: FaceplateProcess, name: string) =>
  ask(service, '/api/manage/settings', { 'device.name': name });

async function nameOf(service: FaceplateProcess): Promise<unknown> {
  return (await ask(service, '/api/remote/info')).body.name;
}

async function health(service: FaceplateProcess): Promise<HealthState> {
  return (await ask(service, '/api/remote/health')).body as unknown as HealthState;
}
