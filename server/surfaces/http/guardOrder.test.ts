import assert from 'node:assert/strict';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { Dispatcher, type Handlers } from '../../commands/dispatch.ts';
import type { Identity } from '../../contract/access.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { silentLogger } from '../../platform/log.ts';
import { testServer } from '../testing/testServer.ts';

const identities: Readonly<Record<string, Identity>> = {
  viewer: { id: '1', name: 'viewer', scopes: ['view'] },
  control: { id: '2', name: 'control', scopes: ['control'] },
};
const refusals: string[] = [];
let allowedHosts: string[] = [];
let isWaiting = false;
const led = { status: 'ok', state: { on: true, red: 1, green: 2, blue: 3 } };
const handlers = { 'led.on': () => led, 'led.state': () => led } as unknown as Handlers;
const dispatcher = new Dispatcher(handlers, silentLogger(), { pageMay: () => false });
const server = testServer(() => dispatcher, {
  guard: {
    allowedHosts: () => allowedHosts,
    identify: (token) => identities[token],
    mustNotWait: () => {
      if (isWaiting) throw new FaceplateError('RATE_LIMITED');
    },
    onRefused: (command, { name }) => refusals.push(`${name} ${command}`),
  },
});
before(() => server.start());
after(() => server.stop());

interface Asked {
  readonly host?: string;
  readonly origin?: string;
  readonly token?: string | null;
  readonly path?: string;
  readonly body?: string;
}

/** A call that is right but for what is given. @returns status and sentence */
async function ask(asked: Asked): Promise<{ status: number; words: string }> {
  const {
    host = '127.0.0.1',
    origin,
    token = 'control',
    path = '/api/remote/led/on',
    body = '{"on":true}',
  } = asked;
  const headers = {
    host,
    'content-type': 'application/json',
    ...(origin !== undefined && { origin }),
    ...(token !== null && { authorization: `Bearer ${token}` }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; words: string }>();
  const sent = request(
    { host: '127.0.0.1', port: server.port, method: 'POST', path, headers, agent: false },
    (got) =>
      json(got).then(
        (answer) =>
          resolve({ status: got.statusCode ?? 0, words: (answer as { error?: string }).error ?? '' }),
        reject,
      ),
  );
  sent.on('error', reject).end(body);
  return promise;
}

const wrong = {
  Host: { host: 'evil.example' },
  Origin: { origin: 'http://evil.example' },
  token: { token: 'nobody' },
  route: { path: '/api/remote/no/such' },
  scope: { token: 'viewer' },
  body: { body: '{' },
} as const satisfies Record<string, Asked>;
const answers = {
  Host: [403, /Host/],
  Origin: [403, /origin/],
  token: [401, /token/],
  route: [404, /nothing/],
  scope: [403, /"control"/],
  body: [400, /JSON/],
} as const;

describe('the order of the checks', () => {
  const order = Object.keys(wrong) as (keyof typeof wrong)[];
  for (const [index, name] of order.entries()) {
    it(`security: should answer for the ${name} whatever is wrong in the later ones`, async () => {
      const [status, words] = answers[name];
      for (const later of [undefined, ...order.slice(index + 1)]) {
        const answer = await ask({ ...(later && wrong[later]), ...wrong[name] });
        assert.equal(answer.status, status, `${name}, and ${later}: ${answer.words}`);
        assert.match(answer.words, words);
      }
    });
  }

  it('should answer a right call', async () => {
    assert.equal((await ask({})).status, 200);
  });

  it('security: should tell of a call that the token does not open, with the command', async () => {
    refusals.length = 0;
    await ask(wrong.scope);
    assert.deepEqual(refusals, ['viewer led.on']);
  });
});

describe('an address that has to wait', () => {
  it('security: should be refused where no token is needed, before its body, and told of', async () => {
    const asked = { path: '/api/pair', token: null, body: '{' } as const;
    assert.equal((await ask(asked)).status, 400);
    refusals.length = 0;
    isWaiting = true;
    assert.equal((await ask(asked)).status, 429);
    assert.deepEqual(refusals, ['nobody pairing.finish']);
    assert.equal((await ask({})).status, 200);
    isWaiting = false;
  });
});

describe('hosts and origins', () => {
  it('security: should take names of http.allowedHosts in any case, with any port, and no others', async () => {
    allowedHosts = ['Panel.lan', '*.example.org'];
    for (const [host, status] of [
      ['panel.lan', 200],
      ['PANEL.LAN:81', 200],
      ['panel.lan.', 200],
      ['a.example.org', 200],
      ['a.b.Example.ORG:8080', 200],
      ['example.org', 403],
      ['.example.org', 403],
      ['aexample.org', 403],
      ['x.panel.lan', 403],
      ['panel.lan.evil', 403],
    ] as const)
      assert.equal((await ask({ host })).status, status, host);
    allowedHosts = [];
    assert.equal((await ask({ host: 'panel.lan' })).status, 403, 'at once');
  });

  it('security: should refuse what is no host with 400', async () => {
    for (const host of ['a#b', 'user@127.0.0.1', 'a b'])
      assert.equal((await ask({ host })).status, 400, host);
  });

  it('security: should let its own Origin call with a token, and never instead of one', async () => {
    const own = { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080' };
    assert.equal((await ask(own)).status, 200);
    assert.equal((await ask({ ...own, token: null })).status, 401);
    assert.equal((await ask({ ...own, origin: 'https://127.0.0.1:8080' })).status, 403);
    assert.equal((await ask({ ...own, origin: 'http://127.0.0.1:8081' })).status, 403);
  });
});
