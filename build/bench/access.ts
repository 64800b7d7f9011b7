import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Scope, scopes } from '../../server/contract/access.ts';
import { AccessService } from '../../server/parts/access/service.ts';
import { systemWallClock } from '../../server/platform/clock.ts';
import { silentLogger } from '../../server/platform/log.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import type { Bench } from './bench.ts';
import { requestsPerSecond } from './httpLoad.ts';

const TOKENS = 64;
const CALLS = 200_000;
const OWNER_TOKEN = 'o'.repeat(43);
const WRONG = 'w'.repeat(43);
const WARM_UP_MS = 1_000;
const MEASURE_MS = 2_000;

export const accessBench: Bench = {
  name: 'access',
  about: `whose token it is, among ${TOKENS}; and a whole request with a right and with a wrong one`,
  rows: [
    { key: 'owner', label: "the owner's token, CPU", unit: 'us' },
    { key: 'named', label: `one of ${TOKENS} tokens`, unit: 'us' },
    { key: 'added', label: 'what it costs more', unit: 'us', goal: { atMost: 2 } },
    { key: 'wrong', label: 'a wrong token', unit: 'us' },
    { key: 'rightRate', label: 'GET led/state with a token', unit: '/s' },
    { key: 'wrongRate', label: 'the same with a wrong one', unit: '/s' },
  ],
  ratios: [
    { label: 'wrong / right, whole request', of: 'rightRate', by: 'wrongRate', goal: { atMost: 2 } },
    { label: 'wrong / right, token alone', of: 'wrong', by: 'named', goal: { atMost: 2 } },
  ],
  async setUp() {
    const dataDir = await mkdtemp(join(tmpdir(), 'faceplate-bench-'));
    const access = new AccessService({
      owner: { matches: (token) => token === OWNER_TOKEN, madeAt: 0 },
      dataDir,
      clock: systemWallClock,
      onEnded: () => {},
      panelUrl: () => '',
      log: silentLogger(),
    });
    await access.start();
    const giver = { id: 'owner', name: 'owner', scopes: scopes as readonly Scope[] };
    const made = await Promise.all(
      Array.from({ length: TOKENS }, () => access.create({ name: 'bench', scopes: ['view'] }, giver)),
    );
    const micros = (token: string): number => {
      const before = process.cpuUsage();
      for (let i = 0; i < CALLS; i++) access.identify(token, '192.168.1.30');
      const { user, system } = process.cpuUsage(before);
      return (user + system) / CALLS;
    };
    const service = new FaceplateProcess({ env: { FACEPLATE_LOG_LEVEL: 'silent' } });
    await service.start();
    const request = {
      port: Number(new URL(await service.url).port),
      path: '/api/remote/led/state',
      connections: 16,
    };
    const token = await service.token();
    const rate = (ms: number) => requestsPerSecond({ ...request, token, ms });
    // From the tenth wrong token on within a minute it is 429.
    const wrongRate = (ms: number) => requestsPerSecond({ ...request, token: WRONG, ms, status: 429 });
    await rate(WARM_UP_MS);
    for (let i = 0; i < 10; i++)
      await fetch(`${await service.url}${request.path}`, { headers: { authorization: `Bearer ${WRONG}` } });
    await wrongRate(WARM_UP_MS);
    return {
      round: async () => {
        const [owner, named, wrong] = [OWNER_TOKEN, made[TOKENS / 2]!.token, WRONG].map(micros) as [
          number,
          number,
          number,
        ];
        const rates = { rightRate: await rate(MEASURE_MS), wrongRate: await wrongRate(MEASURE_MS) };
        return { owner, named, added: named - owner, wrong, ...rates };
      },
      tearDown: async () => {
        await service.stop();
        await access.stop();
        await rm(dataDir, { recursive: true });
      },
    };
  },
};
