import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { noBrowserExtras } from '../../platform/kioskJobs.ts';
import { noExtras } from '../pageExtras.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';

const statusOf = (url: string) =>
  `fetch(${JSON.stringify(url)}, { mode: 'no-cors', credentials: 'include' }).then(({ status, type }) => type + status)`;

const PAGES = {
  '/': '<title>open</title>',
  '/strict': `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; frame-src *"><h1>a</h1><script>window.before = window.given?.[0]</script>`,
  '/frame': `<h1>f</h1><script>document.title = String(window.given)</script>`,
  '/private': '<title>private</title>',
  '/private.js': `postMessage('ran')`,
  '/tall': '<body style="height:5000px">',
};

describe('what the settings give to pages', () => {
  let inject: ReturnType<typeof noExtras.inject> = [];
  let logins: ReturnType<typeof noExtras.logins> = [];
  let kiosk: TestKiosk;
  /** Its browser was started with what the settings add. */
  let added: TestKiosk;
  before(async () => {
    const pageExtras = { ...noExtras, inject: () => inject, logins: () => logins };
    const browserExtras = {
      ...noBrowserExtras,
      userAgent: 'Wall/1 (lobby)',
      scrollbars: true,
      browserArguments: ['--blink-settings=minimumFontSize=40', '--force-device-scale-factor=2'],
    };
    [kiosk, added] = await Promise.all([
      TestKiosk.open('/', PAGES, { pageExtras }),
      TestKiosk.open('/', PAGES, { browserExtras }),
    ]);
  });
  after(async () => {
    await kiosk?.[Symbol.asyncDispose]();
    await added?.[Symbol.asyncDispose]();
  });

  test('should run scripts and styles of an origin before its own, in its frames too, and nowhere else', async () => {
    const given = { css: 'h1 { color: rgb(1, 2, 3) }', js: 'window.given = [document.readyState];' };
    inject = [{ origin: '', ...given }];
    const colour = `getComputedStyle(document.querySelector('h1')).color`;
    await kiosk.show('/strict');
    assert.equal(await kiosk.evaluate('window.before'), undefined);
    inject = [
      { origin: kiosk.origin('p1'), ...given },
      { origin: kiosk.origin('p1'), css: 'h1 {', js: 'throw new Error("one");' },
      { origin: kiosk.origin('other'), css: '', js: 'window.given = "frame";' },
      { origin: kiosk.origin('p1'), css: '', js: 'window.given.push(window === this);' },
    ];
    await kiosk.host.reload();
    await kiosk.untilTrue(`window.before === 'loading'`);
    assert.deepEqual(await kiosk.evaluate('window.given'), ['loading', true]);
    assert.equal(await kiosk.evaluate(colour), 'rgb(1, 2, 3)');
    assert.equal(kiosk.host.pageState().errors, 1);

    const devTools = await kiosk.devTools();
    await devTools.addFrame({ src: `${kiosk.origin('other')}/frame` });
    const frame = await kiosk.frameTools();
    await until(async () => (await frame.evaluate('document.title')) === 'frame', 'the script in the frame');
    assert.notEqual(await frame.evaluate(colour), 'rgb(1, 2, 3)');
    frame.close();
    devTools.close();
    inject = [];
  });

  test('should log in where the settings have a login: page, frame, fetch, picture and worker, each origin its own', async () => {
    await kiosk.show('/');
    for (const path of ['/private', '/private.js']) kiosk.logins.set(path, 'anna:se:cret"x');
    kiosk.mayNavigate = () => true;
    const own = kiosk.origin('p1');
    const other = kiosk.origin('other');
    assert.equal(await kiosk.evaluate(statusOf(`${own}/private`)), 'basic401');
    kiosk.debugPort = 0;
    logins = [{ origin: own, username: 'anna', password: 'se:cret"x' }];
    await kiosk.host.navigate(`${own}/`);
    await kiosk.untilTrue(`document.title === 'open'`);
    assert.equal(await kiosk.evaluate(statusOf(`${own}/private`)), 'basic200');
    assert.equal(
      await kiosk.evaluate(
        `new Promise((done) => { new Worker('/private.js').onmessage = ({ data }) => done(data) })`,
      ),
      'ran',
    );
    await kiosk.host.navigate(`${own}/private`);
    await kiosk.untilTrue(`document.title === 'private'`);

    kiosk.debugPort = 0;
    logins = [{ origin: other, username: 'anna', password: 'se:cret"x' }];
    await kiosk.host.navigate(`${own}/`);
    await kiosk.untilTrue(`document.title === 'open'`);
    assert.equal(await kiosk.evaluate(statusOf(`${own}/private`)), 'basic401');
    const devTools = await kiosk.devTools();
    await devTools.addFrame({ src: `${other}/private` });
    const frame = await kiosk.frameTools();
    await until(async () => (await frame.evaluate('document.title')) === 'private', 'the frame');
    assert.equal(await frame.evaluate(statusOf(`${other}/private`)), 'basic200');
    // A redirect does not take the login along.
    kiosk.redirects.set('/away', `${own}/private`);
    await devTools.evaluate(statusOf(`${other}/away`));
    assert.equal(kiosk.authorizations.get('other.localhost/away'), undefined);
    assert.equal(
      await frame.evaluate(
        `fetch('${other}/away', { redirect: 'follow', mode: 'no-cors' }).then(() => 'came', () => 'failed')`,
      ),
      'came',
    );
    assert.equal(kiosk.authorizations.get('p1.localhost/private'), undefined);
    assert.notEqual(kiosk.authorizations.get('other.localhost/away'), undefined);
    frame.close();
    devTools.close();

    kiosk.debugPort = 0;
    logins = [{ origin: own, username: 'anna', password: 'wrong' }];
    await kiosk.host.navigate(`${own}/`);
    await kiosk.untilTrue(`document.title === 'open'`);
    assert.equal(await kiosk.evaluate(statusOf(`${own}/private`)), 'basic401');
    assert.doesNotMatch(kiosk.logText, /cret|wrong/);
    assert.deepEqual(kiosk.host.recoveries(), {});
  });

  test('should add its text to the name of the browser, in frames and workers too', async () => {
    const wanted = `${await kiosk.evaluate<string>('navigator.userAgent')} Wall/1 (lobby)`;
    assert.equal(await added.evaluate('navigator.userAgent'), wanted);
    const worker = `new Promise((done) => { new Worker(URL.createObjectURL(new Blob(['postMessage(navigator.userAgent)']))).onmessage = ({ data }) => done(data) })`;
    assert.equal(await added.evaluate(worker), wanted);
    const devTools = await added.devTools();
    await devTools.addFrame({ src: `${added.origin('other')}/frame` });
    const frame = await added.frameTools();
    assert.equal(await frame.evaluate('navigator.userAgent'), wanted);
    frame.close();
    devTools.close();
  });

  test('should show scrollbars only where they are wanted, and take switches of the board', async () => {
    const width = 'innerWidth - document.documentElement.clientWidth';
    await kiosk.show('/tall');
    assert.equal(await kiosk.evaluate(width), 0);
    await added.show('/tall');
    assert.ok((await added.evaluate<number>(width)) > 0);
    assert.equal(await added.evaluate('devicePixelRatio'), 2);
    // Ours stand beside them.
    assert.equal(await added.evaluate('document.fullscreenEnabled'), false);
    assert.equal(await added.evaluate('navigator.webdriver'), false);
  });
});

test('should keep cookies of other sites in frames of the pages that the settings name alone', async () => {
  let wanted: string[] = [];
  const pageExtras = { ...noExtras, cookieOrigins: () => ({ all: wanted, listed: wanted }) };
  const pages = {
    '/': `<script>
      const frame = document.createElement('iframe');
      frame.src = location.href.replace('p1.', 'camera.').replace('p2.', 'camera.') + 'camera';
      addEventListener('message', (event) => { seen = event.data; });
      document.documentElement.append(frame);
    </script>`,
    '/camera': `<script>
      const before = document.cookie;
      document.cookie = 'login=1; Max-Age=600';
      document.cookie = 'strict=1; SameSite=Strict';
      parent.postMessage(before + '>' + document.cookie, '*');
    </script>`,
  };
  await using kiosk = await TestKiosk.open('/', pages, { pageExtras });
  kiosk.mayNavigate = () => true;
  const seen = async (path: string) => {
    await kiosk.host.navigate(path);
    await kiosk.untilTrue(`location.href === ${JSON.stringify(path)} && typeof seen === 'string'`);
    return kiosk.evaluate<string>('seen');
  };
  const [one, other] = ['p1', 'p2'].map((name) => `${kiosk.origin(name)}/`) as [string, string];
  assert.equal(await seen(one), '>');
  // The browser starts anew for a page that is new among them.
  wanted = [kiosk.origin('p1')];
  assert.equal(await seen(one), '>login=1');
  assert.equal(await seen(other), '>');
  assert.equal(await seen(one), 'login=1>login=1');
  wanted = [kiosk.origin('p2')];
  assert.equal(await seen(other), 'login=1>login=1');
  assert.equal(await seen(one), '>');
});
