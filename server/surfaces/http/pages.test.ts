import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Dispatcher, type Handlers } from '../../commands/dispatch.ts';
import { silentLogger } from '../../platform/log.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { testServer } from '../testing/testServer.ts';

const log = silentLogger();
const dispatcher = new Dispatcher({} as Handlers, log, { pageMay: () => false });
let folder = '';
const server = testServer(() => dispatcher, {
  pages: {
    folderOf: (id) => (['panel', 'settings'].includes(id) ? folder : undefined),
    hasTypeScript: () => false,
    isOwn: (id) => id === 'settings',
    pictureOf: async () => undefined,
    get manage() {
      return folder;
    },
  },
});

/** Text long enough to be compressed. */
const LONG = 'let a = 1;\n'.repeat(200);

function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{
    status: number;
    headers: IncomingHttpHeaders;
    text: string;
    bytes: Buffer;
  }>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: server.port,
      method,
      path,
      headers: { host: 'panel.localhost', ...headers },
    };
    const req = request(options, (res) => {
      const { statusCode = 0, headers } = res;
      buffer(res).then(
        (bytes) => resolve({ status: statusCode, headers, text: String(bytes), bytes }),
        reject,
      );
    });
    req.on('error', reject).end();
  });
}

before(async () => {
  folder = temporaryFolder('project');
  await mkdir(join(folder, 'Assets/Img'), { recursive: true });
  for (const [name, text] of Object.entries({
    'index.html': 'home',
    'openapi.json': '{"openapi":"3.1.0"}',
    'Assets/index.html': 'assets',
    'Assets/Img/Logo.PNG': 'logo',
    'a.wasm': 'wasm',
    'part-AB12CD34.js': '1',
    'film.mp4': '0123456789',
    'segment.ts': 'G: no TypeScript',
    'with blank & 100%.txt': 'odd',
    'long.js': LONG,
    'long.png': LONG,
    'long.mp4': LONG,
    'long.woff2': LONG,
  }))
    await writeFile(join(folder, name), text);
  for (const type of ['js', 'mjs', 'json', 'woff2', 'ttf', 'svg', 'css'])
    await writeFile(join(folder, `a.${type}`), '1');
  await server.start();
});
after(async () => {
  await server.stop();
});

describe('pages of an installed project', () => {
  it('should have the content types that browsers require', async () => {
    for (const [path, type] of Object.entries({
      '/': 'text/html; charset=utf-8',
      '/a.wasm': 'application/wasm',
      '/a.js': 'application/javascript; charset=utf-8',
      '/a.mjs': 'application/javascript; charset=utf-8',
      '/a.json': 'application/json; charset=utf-8',
      '/a.css': 'text/css; charset=utf-8',
      '/a.svg': 'image/svg+xml',
      '/a.woff2': 'font/woff2',
      '/a.ttf': 'font/ttf',
      '/film.mp4': 'video/mp4',
      '/segment.ts': 'video/mp2t',
    })) {
      const answer = await get(path);
      assert.deepEqual([answer.status, answer.headers['content-type']], [200, type], path);
    }
  });

  it('should answer HEAD like GET, without the body, and nothing else of the panel', async () => {
    for (const path of ['/', '/film.mp4', '/long.png', '/segment.ts', '/Assets', '/missing']) {
      const [asked, sent] = [await get(path, {}, 'HEAD'), await get(path)];
      assert.deepEqual([asked.status, asked.text], [sent.status, ''], path);
      for (const name of [
        'content-type',
        'content-length',
        'etag',
        'last-modified',
        'cache-control',
        'vary',
        'location',
      ])
        assert.equal(asked.headers[name], sent.headers[name], `${name} of ${path}`);
    }
    const small = await get('/long.js', { 'accept-encoding': 'gzip' }, 'HEAD');
    assert.deepEqual([small.status, small.text, small.headers.vary], [200, '', 'accept-encoding']);
    assert.equal(small.headers['content-length'], (await get('/long.js')).headers['content-length']);
    assert.equal((await get('/', { host: '127.0.0.1' }, 'HEAD')).status, 404);
  });

  it('should send films in ranges', async () => {
    const part = await get('/film.mp4', { range: 'bytes=2-4' });
    assert.deepEqual([part.status, part.text, part.headers['content-range']], [206, '234', 'bytes 2-4/10']);
  });

  it('should be cached by the browser, but checked every time', async () => {
    const { headers } = await get('/a.js');
    assert.equal(headers['cache-control'], 'no-cache');
    assert.equal((await get('/a.js', { 'if-none-match': String(headers.etag) })).status, 304);
  });

  it('should be compressed if they are text, long enough, and the browser accepts it', async () => {
    const plain = await get('/long.js');
    assert.deepEqual([plain.text, plain.headers['content-encoding']], [LONG, undefined]);
    assert.equal(plain.headers.vary, 'accept-encoding');
    const gzip = { 'accept-encoding': 'gzip, deflate, br, zstd' };
    const small = await get('/long.js', gzip);
    assert.equal(small.headers['content-encoding'], 'gzip');
    assert.equal(small.headers.vary, 'accept-encoding');
    assert.equal(String(gunzipSync(small.bytes)), LONG);
    assert.ok(small.bytes.length < LONG.length / 4);
    for (const path of ['/a.js', '/long.png', '/long.mp4', '/long.woff2']) {
      const { headers } = await get(path, gzip);
      assert.equal(headers['content-encoding'], undefined, path);
      assert.ok(Number(headers['content-length']) > 0, path);
    }
  });

  it('should have one weak ETag, compressed or not, and be sent in ranges of the file itself', async () => {
    const gzip = { 'accept-encoding': 'gzip' };
    const { etag } = (await get('/long.js')).headers;
    assert.match(String(etag), /^W\//);
    assert.equal((await get('/long.js', gzip)).headers.etag, etag);
    const again = await get('/long.js', { ...gzip, 'if-none-match': String(etag) });
    assert.deepEqual([again.status, again.bytes.length], [304, 0]);
    assert.equal(again.headers['content-encoding'], undefined);
    assert.equal(again.headers.vary, 'accept-encoding');
    const part = await get('/long.js', { ...gzip, range: 'bytes=4-8' });
    assert.deepEqual([part.status, part.text], [206, 'a = 1']);
    assert.equal(part.headers['content-encoding'], undefined);
    const foreign = await get('/long.js', { ...gzip, origin: 'http://b.local' });
    assert.equal(foreign.headers.vary, 'Origin, accept-encoding');
  });

  it('should be found by a name in another case, the exact name first', async () => {
    assert.equal((await get('/assets/IMG/logo.png')).text, 'logo');
    assert.equal((await get('/INDEX.HTML')).text, 'home');
    await writeFile(join(folder, 'Assets/Img/logo.png'), 'exact');
    assert.equal((await get('/Assets/Img/logo.png')).text, 'exact');
    await rm(join(folder, 'Assets/Img/logo.png'));
    assert.equal((await get('/assets/none.png')).status, 404);
  });

  it('should redirect a folder to its name with a slash, and find odd names', async () => {
    const folderAnswer = await get('/Assets');
    assert.deepEqual([folderAnswer.status, folderAnswer.headers.location], [301, '/Assets/']);
    assert.equal((await get('/Assets/')).text, 'assets');
    assert.equal((await get(`/${encodeURIComponent('with blank & 100%.txt')}`)).text, 'odd');
  });

  it('should show index.html at the places of a single-page app, to browsers that go there', async () => {
    const going = { 'sec-fetch-mode': 'navigate' };
    for (const path of ['/rooms', '/rooms/2', '/rooms/', '/v1.2/rooms/2?a=1.5', '/Assets/Img/']) {
      const answer = await get(path, going);
      assert.deepEqual([answer.status, answer.text], [200, 'home'], path);
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
      assert.match(String(answer.headers.vary), /sec-fetch-mode/);
      // A script, a picture or a call at the same place learns that there is nothing.
      for (const headers of [{}, { 'sec-fetch-mode': 'cors' }, { 'sec-fetch-mode': 'no-cors' }])
        assert.equal((await get(path, headers)).status, 404, path);
    }
    for (const path of ['/rooms/2.html', '/rooms/index.html', '/none.js', '/%2e%2e', '/a/%2e%2e/b', '/a%00'])
      assert.ok((await get(path, going)).status >= 400, path);
    assert.equal((await get('/Assets', going)).status, 301);
    assert.equal((await get('/assets/', going)).text, 'assets');
    assert.equal((await get('/a.js', going)).text, '1');
    assert.equal((await get('/rooms/2', going, 'HEAD')).status, 200);
    // Neither our own pages nor the panel's own addresses are such an app.
    for (const host of ['settings.localhost', '127.0.0.1', 'none.localhost'])
      assert.equal((await get('/rooms/2', { ...going, host })).status, 404, host);
  });

  it('should not leave the folder through a name in another case', async () => {
    for (const path of [
      '/ASSETS/../../etc/passwd',
      '/assets/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
      '/ASSETS//x',
      '/A%00',
    ])
      assert.ok((await get(path)).status >= 400, path);
  });

  it('security: nobody may frame a built-in page, and it may load nothing from other origins', async () => {
    const { status, headers } = await get('/', { host: 'settings.localhost' });
    assert.equal(status, 200);
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.match(
      String(headers['content-security-policy']),
      /default-src 'none'; script-src 'self';.*frame-ancestors 'none'/,
    );
    assert.equal((await get('/')).headers['x-frame-options'], undefined);
  });
});

describe('the app at /manage/', () => {
  const OWN = { host: '192.168.1.20' };
  const PERSON = { ...OWN, accept: 'text/html,application/xhtml+xml' };

  it('should lead browsers from the bare address, and nobody else', async () => {
    const { status, headers } = await get('/', PERSON);
    assert.deepEqual([status, headers.location], [302, '/manage/']);
    assert.match(String(headers.vary), /accept(,|$)/);
    assert.equal((await get('/', { ...OWN, accept: 'application/json' })).status, 404);
    for (const given of [OWN, PERSON]) {
      const bare = await get('/manage', given);
      assert.deepEqual([bare.status, bare.headers.location], [302, '/manage/']);
    }
  });

  it('should be there without a token, for ever where the name tells of the content', async () => {
    const page = await get('/manage/', PERSON);
    assert.deepEqual([page.status, page.text, page.headers['cache-control']], [200, 'home', 'no-cache']);
    const part = await get('/manage/part-AB12CD34.js', PERSON);
    assert.equal(part.headers['cache-control'], 'public, max-age=31536000, immutable');
    for (const path of ['/manage/gone.js', '/manage/../pages.ts', '/manage/%2e%2e/secret'])
      assert.ok((await get(path, PERSON)).status >= 400, path);
    assert.equal((await get('/manage/', OWN, 'POST')).status, 401);
  });

  it('should show the description of the API, and the way to it, without a token', async () => {
    const index = await get('/api', OWN);
    assert.deepEqual(JSON.parse(index.text), { openapi: '/openapi.json', manage: '/manage/' });
    assert.equal(index.status, 200);
    const description = await get('/openapi.json', OWN);
    assert.deepEqual([description.status, description.text], [200, '{"openapi":"3.1.0"}']);
    assert.match(String(description.headers['content-type']), /^application\/json/);
    for (const path of ['/api', '/openapi.json'])
      assert.equal((await get(path, OWN, 'HEAD')).status, 200, path);
    assert.equal((await get('/api')).status, 404);
    assert.equal((await get('/api/', OWN)).status, 401);
  });

  it("security: should not stand on a project's own host, nor be read or framed by others", async () => {
    assert.equal((await get('/', { accept: 'text/html' })).text, 'home');
    for (const path of ['/manage', '/manage/']) assert.equal((await get(path)).status, 404);
    const { headers } = await get('/manage/', { ...PERSON, origin: 'http://panel.localhost' });
    assert.equal(headers['access-control-allow-origin'], undefined);
    assert.equal(headers['x-frame-options'], 'DENY');
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  });
});
