import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readGuide } from '../../server/testing/addingGuide.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { ScratchProject } from '../../server/testing/scratchProject.ts';
import type { Tree } from './layers.ts';
import { readTree } from './tree.ts';

const root = join(import.meta.dirname, '../..');
const guides = ['Add a part', 'Add a command', 'Add a setting'].map((title) =>
  readGuide(join(root, 'docs/adding.md'), title),
);
const steps = guides.flatMap((guide) => guide.steps);

/** Tests of the project that know every part, command and setting, and those that the examples bring. */
const TESTS = [
  'server/config/loadSettings.test.ts',
  'server/contract/contract.test.ts',
  'server/parts/boards/board.test.ts',
  'server/parts/boards/boardDrivers.test.ts',
  'server/pages/texts.test.ts',
  'server/parts/approval/service.test.ts',
  'server/parts/buzzer/service.test.ts',
  'server/parts/led/service.test.ts',
  'server/surfaces/bridge/bridge.test.ts',
  'server/surfaces/http/closedCommands.test.ts',
];

describe('the lists of docs/adding.md', () => {
  it('should name files that are there, and new ones that are not', () => {
    for (const { path, kind } of steps) assert.equal(existsSync(join(root, path)), kind !== 'new', path);
    for (const path of guides.flatMap((guide) => guide.furtherPaths))
      assert.ok(existsSync(join(root, path)), path);
  });

  describe('followed in a copy of the project', () => {
    let copy: ScratchProject;
    let old: Tree;

    before(async () => {
      copy = await ScratchProject.create();
      old = await readTree(copy.folder);
      for (const guide of guides) await copy.follow(guide.steps);
      assert.deepEqual((await copy.node('build/generate.ts')).code, 0);
    });
    after(() => copy[Symbol.asyncDispose]());

    it('should touch every file that they list, and no other', async () => {
      const now = await readTree(copy.folder);
      const touched = [...now.keys()].filter((file) => old.get(file) !== now.get(file));
      assert.deepEqual(touched.sort(), [...new Set(steps.map(({ path }) => path))].sort());
    });

    it('should pass the checks', async () => {
      const { code, output } = await copy.node(
        'build/check/all.ts',
        ...[
          'types tsconfig.json',
          'types server/pages',
          'import rules',
          'generated',
          'words',
          'unread',
          'links',
        ],
      );
      assert.equal(code, 0, output);
      const sources = steps.map(({ path }) => path).filter((path) => /\.(ts|json)$/.test(path));
      const biome = await copy.node('node_modules/@biomejs/biome/bin/biome', 'check', ...sources);
      assert.equal(biome.code, 0, biome.output);
    });

    it('should pass the tests that know every part, command and setting', async () => {
      const { code, output } = await copy.node('--test', ...TESTS);
      assert.equal(code, 0, output);
    });

    it('security: should give the part to callers with the token only, with its line in info and its state', async () => {
      const service = await start(copy, '--board', 'simulated');
      try {
        const play = (headers = {}) => post(service, '/api/buzzer/play', { frequency: 440 }, headers);
        const authorization = { authorization: `Bearer ${await service.token()}` };
        const answer = await play(authorization);
        assert.deepEqual(answer, { status: 200, body: { status: 'ok', state: { frequency: 440 } } });
        assert.equal((await play()).status, 401);
        assert.equal((await post(service, '/api/remote/led/flip', {}, authorization)).status, 200);
        const { parts } = await info(service);
        assert.deepEqual(parts.buzzer, { driver: 'simulated', path: null, state: 'simulated', reason: null });
        assert.match(await snapshot(service), /"buzzer":\{"frequency":440\}/);
      } finally {
        await service.stop();
      }
    });

    it('should obey the setting, and leave out the part that a board does not have', async () => {
      const service = await start(copy, '--board', 'generic-linux', '--terminal.deskOnly', 'true');
      try {
        const authorization = { authorization: `Bearer ${await service.token()}` };
        const exec = await post(service, '/api/remote/terminal/exec', { command: 'true' }, authorization);
        assert.equal(exec.status, 403);
        assert.equal((await info(service)).parts.buzzer?.state, 'absent');
        assert.doesNotMatch(await snapshot(service), /buzzer/);
      } finally {
        await service.stop();
      }
    });
  });
});

async function start(copy: ScratchProject, ...args: string[]): Promise<FaceplateProcess> {
  const service = new FaceplateProcess({ main: copy.path('server/main.ts'), args });
  await service.start();
  return service;
}

async function post(service: FaceplateProcess, path: string, body: object, headers: Record<string, string>) {
  const response = await fetch(`${await service.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}

async function info(service: FaceplateProcess) {
  const headers = { authorization: `Bearer ${await service.token()}` };
  const response = await fetch(`${await service.url}/api/remote/info`, { headers });
  return (await response.json()) as { parts: Record<string, { state: string }> };
}

/** The first event that a new listener gets. */
async function snapshot(service: FaceplateProcess): Promise<string> {
  const hangUp = new AbortController();
  const headers = { authorization: `Bearer ${await service.token()}` };
  const response = await fetch(`${await service.url}/api/remote/events`, { headers, signal: hangUp.signal });
  let heard = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    heard += chunk;
    if (heard.includes('\n\n')) break;
  }
  hangUp.abort();
  return heard;
}
