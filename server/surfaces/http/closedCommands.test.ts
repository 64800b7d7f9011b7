import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Dispatcher, type Handlers } from '../../commands/dispatch.ts';
import type { Access } from '../../contract/access.ts';
import { defineCommand } from '../../contract/command.ts';
import { type CommandList, commandList } from '../../contract/commands.ts';
import { noParams, okResult } from '../../contract/fields.ts';
import { silentLogger } from '../../platform/log.ts';
import { ownerOnly, testServer } from '../testing/testServer.ts';

const TOKEN = 'test-token-0123456789';

/** The first is the access of a command that forgot to declare it. */
const accesses: Record<string, Access | undefined> = {
  forgotten: undefined,
  closed: {},
  ofThePage: { page: 'allowed' },
  withToken: { scope: 'view', http: 'token' },
  onThisMachine: { scope: 'view', http: 'loopback' },
  withoutScope: { http: 'token' },
  forAll: { http: 'open' },
};

const commands = Object.fromEntries(
  Object.entries(accesses).map(([name, access]) => [
    name,
    defineCommand({
      summary: 'A buzzer.',
      ...(access && { access }),
      params: noParams,
      result: okResult,
      http: { method: 'POST', path: `/api/buzzer/${name}`, bodyLimit: 1024 },
      page: [{ kind: 'method', object: 'container', method: name, args: [] }],
    }),
  ]),
);
const handlers = Object.fromEntries(Object.keys(commands).map((name) => [name, () => ({ status: 'ok' })]));
const dispatcher = new Dispatcher(handlers as unknown as Handlers, silentLogger(), {
  pageMay: () => false,
  commands,
});
const server = testServer(() => dispatcher, {
  guard: { identify: ownerOnly(TOKEN) },
  commands: Object.entries(commands) as unknown as CommandList,
});

before(() => server.start());
after(() => server.stop());

async function statusOf(name: string, token?: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${server.port}/api/buzzer/${name}`, {
    method: 'POST',
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  });
  await response.arrayBuffer();
  return response.status;
}

const fromPage = (name: string) =>
  dispatcher
    .dispatch(
      name as never,
      {},
      {
        surface: 'page',
        identity: { id: 'page', name: 'x', scopes: [] },
        origin: 'x',
        address: null,
        signal: AbortSignal.abort(),
      },
    )
    .then(
      () => 'OK',
      ({ code }: { code: string }) => code,
    );

describe('who may call a command', () => {
  it('security: should close a command that declares nothing to all callers from outside, even with the token', async () => {
    for (const name of ['forgotten', 'closed', 'withoutScope']) {
      assert.equal(await statusOf(name), 401);
      assert.equal(await statusOf(name, TOKEN), 403);
      assert.equal(await fromPage(name), 'FORBIDDEN');
    }
  });

  it('security: should open a command to the surfaces that it names, and to no others', async () => {
    assert.deepEqual([await statusOf('ofThePage'), await statusOf('ofThePage', TOKEN)], [401, 403]);
    assert.equal(await fromPage('ofThePage'), 'OK');
    assert.equal(await fromPage('forAll'), 'FORBIDDEN');
  });

  it('should require the token as the command declares', async () => {
    const answers = async (name: string) => [await statusOf(name), await statusOf(name, TOKEN)];
    assert.deepEqual(await answers('withToken'), [401, 200]);
    assert.deepEqual(await answers('onThisMachine'), [200, 200]);
    assert.deepEqual(await answers('forAll'), [200, 200]);
  });

  it('should find that every command of the contract says who may call it, on each surface that offers it', () => {
    for (const [name, { access, http, page }] of commandList) {
      assert.equal(access.http !== undefined, http !== undefined, name);
      assert.equal(
        access.scope !== undefined,
        access.glass === 'unlocked' || ['token', 'loopback', 'picture'].includes(access.http ?? ''),
        name,
      );
      // Without a name of its own in the page, `container.call` has it.
      if (page !== undefined) assert.notEqual(access.page, undefined, name);
      assert.ok(Object.keys(access).length > 0, name);
    }
  });
});
