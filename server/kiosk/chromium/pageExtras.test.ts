import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noBrowserExtras } from '../../platform/kioskJobs.ts';
import { noExtras } from '../pageExtras.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';

const statusOf = (url: string) =>
  `fetch(${JSON.stringify(url)}, { mode: 'no-cors', credentials: 'include' }).then(({ status, type }) => type + status)`;

describe('what the settings give to pages', () => {
  test('should run scripts and styles of an origin before its own, in its frames too, and nowhere else', async () => {
    let inject = [
      { origin: '', css: 'h1 { color: rgb(1, 2, 3) }', js: 'window.given = [document.readyState];' },
    ];
    await using kiosk = await TestKiosk.open(
      '/',
      {
        '/': `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; frame-src *"><h1>a</h1><script>window.before = window.given?.[0]</script>`,
        '/frame': `<h1>f</h1><script>document.title = String(window.given)</script>`,
      },
      { pageExtras: { ...noExtras, inject: () => inject } },
    );
    const colour = `getComputedStyle(document.querySelector('h1')).color`;
    await kiosk.untilTrue(`document.readyState === 'complete'`);
    assert.equal(await kiosk.evaluate('window.before'), undefined);
    inject = [
      { ...inject[0]!, origin: kiosk.origin('p1') },
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
  });

  test('should log in where the settings have a login: page, frame, fetch, picture and worker, each origin its own', async () => {
    let logins: { origin: string; username: string; password: string }[] = [];
    await using kiosk = await TestKiosk.open(
      '/',
      {
        '/': '<title>open</title>',
        '/private': '<title>private</title>',
        '/private.js': `postMessage('ran')`,
      },
      { pageExtras: { ...noExtras, logins: () => logins } },
    );
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
    await using plain = await TestKiosk.open('/', { '/': 'x' });
    const before = await plain.evaluate<string>('navigator.userAgent');
    await plain.host.stop();
    const browserExtras = { ...noBrowserExtras, userAgent: 'Wall/1 (lobby)' };
    await using kiosk = await TestKiosk.open('/', { '/': 'x', '/frame': 'f' }, { browserExtras });
    const wanted = `${before} Wall/1 (lobby)`;
    assert.equal(await kiosk.evaluate('navigator.userAgent'), wanted);
    const worker = `new Promise((done) => { new Worker(URL.createObjectURL(new Blob(['postMessage(navigator.userAgent)']))).onmessage = ({ data }) => done(data) })`;
    assert.equal(await kiosk.evaluate(worker), wanted);
    const devTools = await kiosk.devTools();
    await devTools.addFrame({ src: `${kiosk.origin('other')}/frame` });
    const frame = await kiosk.frameTools();
    assert.equal(await frame.evaluate('navigator.userAgent'), wanted);
    frame.close();
    devTools.close();
  });

  test('should show scrollbars only where they are wanted, and take switches of the board', async () => {
    const tall = { '/': '<body style="height:5000px">' };
    const width = 'innerWidth - document.documentElement.clientWidth';
    await using hidden = await TestKiosk.open('/', tall);
    await hidden.untilTrue(`document.readyState === 'complete'`);
    assert.equal(await hidden.evaluate(width), 0);
    await hidden.host.stop();
    const browserArguments = ['--blink-settings=minimumFontSize=40', '--force-device-scale-factor=2'];
    const browserExtras = { ...noBrowserExtras, scrollbars: true, browserArguments };
    await using shown = await TestKiosk.open('/', tall, { browserExtras });
    await shown.untilTrue(`document.readyState === 'complete'`);
    assert.ok((await shown.evaluate<number>(width)) > 0);
    assert.equal(await shown.evaluate('devicePixelRatio'), 2);
    // Ours stand beside them.
    assert.equal(await shown.evaluate('document.fullscreenEnabled'), false);
    assert.equal(await shown.evaluate('navigator.webdriver'), false);
  });
});
