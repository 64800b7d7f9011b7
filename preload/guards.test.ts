import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { timeToGoWrong } from '../server/testing/waiting.ts';
import { LEFT_OUT, limitConsole } from './consoleLimit.ts';
import { watchFields } from './fieldWatch.ts';
import { reportKeepAwake, watchKeepAwake } from './keepAwake.ts';
import { installKeyGuard } from './keyGuard.ts';
import { watchSettingsCall } from './settingsCall.ts';
import { installWindowGuard } from './windowGuard.ts';
import { hearWindowGuard, watchFirstPaint, watchMissingScripts } from './windowReports.ts';

type Listener = (event: object) => unknown;

/** A window of a browser, as far as the scripts of ours touch it, that remembers their listeners. */
function fakeWindow() {
  const listeners = new Map<string, Listener[]>();
  const addEventListener = (type: string, listener: Listener) =>
    void listeners.set(type, [...(listeners.get(type) ?? []), listener]);
  class Element {
    getAttribute() {
      return null;
    }
    setAttribute() {}
    removeAttribute() {}
    attachShadow() {
      return {};
    }
    requestPointerLock() {}
  }
  class HTMLElement extends Element {
    click() {}
  }
  class HTMLFormElement extends HTMLElement {
    submit() {}
  }
  const document = {
    nodeType: 9,
    baseURI: 'http://p.localhost/',
    activeElement: null,
    body: null,
    addEventListener,
    dispatchEvent: () => true,
    querySelector: () => null,
    createElement: () => new Element(),
    hasFocus: () => true,
  };
  const window = {
    name: '',
    length: 0,
    document,
    addEventListener,
    navigation: { addEventListener },
    navigator: {},
    location: { origin: 'http://p.localhost', href: 'http://p.localhost/' },
    Element,
    HTMLElement,
    HTMLFormElement,
    Event,
    FocusEvent: Event,
    DOMException,
    EventTarget: class {
      addEventListener(type: string, listener: Listener) {
        addEventListener(type, listener);
      }
    },
    MutationObserver: class {
      observe() {}
    },
    performance,
    setTimeout: () => 0,
    setInterval: () => 0,
    clearInterval: () => {},
    open: () => null,
    alert: () => {},
    confirm: () => false,
    prompt: () => null,
    print: () => {},
  };
  return { window: Object.assign(window, { top: window }), document, listeners };
}

/** What a page may dispatch, and what the browser itself sends under a type that has other fields as a rule. */
function oddEvents(type: string, document: object, window: object): object[] {
  const form = { nodeType: 1, localName: 'form', getAttribute: {}, ownerDocument: {} };
  const link = { nodeType: 1, localName: 'a', href: { baseVal: 'http://[' } };
  const targets = [null, undefined, document, window, {}, form, link, { nodeType: 3 }];
  const modifiers = { ctrlKey: true, altKey: true, metaKey: true, shiftKey: true };
  return [true, false].flatMap((isTrusted) =>
    targets.flatMap((target) =>
      [{ path: [] }, { path: [target] }, { path: [target, document, window], ...modifiers }].map(
        ({ path, ...keys }) => ({
          ...keys,
          type,
          isTrusted,
          target,
          composedPath: () => path.filter((node) => node !== null && node !== undefined),
          preventDefault() {},
          stopPropagation() {},
          stopImmediatePropagation() {},
        }),
      ),
    ),
  );
}

describe('scripts that the panel puts into a page', () => {
  const never = () => {};
  const scripts: Readonly<Record<string, (window: never) => unknown>> = {
    watchFields: (window) => watchFields(window, never),
    installKeyGuard,
    watchMissingScripts: (window) => watchMissingScripts(window, never),
    watchSettingsCall: (window) => watchSettingsCall(window, never),
    installWindowGuard: (window) => installWindowGuard(window, 'told'),
    hearWindowGuard: (window) => hearWindowGuard(window, 'told', never, () => 'answer'),
    reportKeepAwake: (window) => reportKeepAwake(window, 'told'),
    watchKeepAwake: (window) => watchKeepAwake(window, 'told', never),
  };
  for (const [name, install] of Object.entries(scripts))
    test(`should throw into no page from ${name}, whatever an event lacks`, () => {
      const { window, document, listeners } = fakeWindow();
      install(window as never);
      if (name === 'reportKeepAwake') window.Element.prototype.attachShadow();
      assert.ok(listeners.size > 0);
      for (const [type, all] of listeners)
        for (const event of oddEvents(type, document, window)) for (const listener of all) listener(event);
    });

  test('should see no field in what a page has put in the place of one', async () => {
    const { window, document } = fakeWindow();
    const told: string[] = [];
    const inPlace = [
      { nodeType: 9, isContentEditable: true },
      { isContentEditable: true, getAttribute: {} },
      {},
    ];
    for (const activeElement of inPlace) {
      watchFields(Object.assign(window, { document: { ...document, activeElement } }) as never, (json) =>
        told.push(json),
      );
      await timeToGoWrong(10);
    }
    assert.deepEqual(told, []);
  });
});

describe('what tells of missing scripts', () => {
  test('should tell of scripts of the page itself, and of modules in it that miss an import', () => {
    const { window, listeners } = fakeWindow();
    const told: string[] = [];
    watchMissingScripts(window as never, (url) => told.push(url));
    const failed = (target: object, isTrusted = true) => {
      for (const listener of listeners.get('error') ?? []) listener({ isTrusted, target });
    };
    failed({ localName: 'script', src: 'http://p.localhost/a.js' });
    failed({ localName: 'script', src: 'http://p.localhost/b.js' }, false);
    failed({ localName: 'script', src: 'http://cdn/c.js' });
    failed({ localName: 'img', src: 'http://p.localhost/d.png' });
    failed({ localName: 'script', src: '', type: 'module' });
    failed({ localName: 'script', src: '', type: '' });
    assert.deepEqual(told, ['http://p.localhost/a.js', 'http://p.localhost/']);
  });
});

test('the first paint of a page should be told once', () => {
  let drawn = () => {};
  let watched: unknown;
  class PerformanceObserver {
    constructor(callback: () => void) {
      drawn = () => watched !== undefined && callback();
    }
    observe(what: object) {
      watched = what;
    }
    disconnect() {
      watched = undefined;
    }
  }
  let told = 0;
  watchFirstPaint({ PerformanceObserver }, () => told++);
  assert.deepEqual([watched, told], [{ type: 'paint', buffered: true }, 0]);
  drawn();
  drawn();
  assert.equal(told, 1);
});

const METHODS = ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir', 'dirxml', 'table'] as const;
type Write = (...values: unknown[]) => void;

function limited() {
  const written: unknown[][] = [];
  const timers: (() => void)[] = [];
  let ms = 0;
  const console = {} as Record<(typeof METHODS)[number], Write>;
  for (const name of METHODS)
    console[name] = { [name]: (...values: unknown[]) => written.push([name, ...values]) }[name]!;
  const own = { ...console };
  const setTimeout = (act: () => void) => timers.push(act);
  limitConsole({ console, performance: { now: () => ms }, setTimeout }, LEFT_OUT);
  const pass = (more: number) => {
    ms += more;
    for (const act of timers.splice(0)) act();
  };
  return { console, own, written, pass };
}

describe('the limit of a page that writes to its console', () => {
  test('should leave the first 1,000 lines of a second to the browser, and count those after 100 more', () => {
    const { console, written, pass } = limited();
    for (let i = 0; i < 5_000; i++) console.log(i);
    assert.deepEqual(
      written,
      Array.from({ length: 1_100 }, (_, i) => ['log', i]),
    );
    pass(900);
    const said = ['warn', '%c%d more entries were not written to the console.', LEFT_OUT, 3_900];
    assert.deepEqual(written.at(-1), said);
    console.warn('still');
    assert.equal(written.length, 1_101);
    pass(100);
    assert.deepEqual(written.at(-1)?.slice(2), [LEFT_OUT, 1]);
    console.error('next');
    assert.deepEqual(written.at(-1), ['error', 'next']);
  });

  test('should write the first 100 calls of a page that reads the methods many times for each', () => {
    const { console, written } = limited();
    for (let i = 0; i < 200; i++) {
      for (let j = 0; j < 20; j++) void console.debug;
      console.debug(i);
    }
    assert.ok(written.length >= 100 && written.length <= 150, String(written.length));
    assert.deepEqual(
      written,
      written.map((_, i) => ['debug', i]),
    );
  });

  test('should let a page that keeps a method of a flood write again in the next second', () => {
    const { console, written, pass } = limited();
    for (let i = 0; i < 1_000; i++) console.log(i);
    const { log } = console;
    for (let i = 0; i < 500; i++) log('kept');
    assert.equal(written.length, 1_100);
    pass(1_000);
    log('again');
    assert.deepEqual(written.at(-1), ['log', 'again']);
  });

  test('should look like the own methods of the browser, and let the page put others there', () => {
    const { console, own, written } = limited();
    assert.deepEqual({ ...console }, own);
    for (let i = 0; i < 1_000; i++) void console.table;
    assert.notEqual(console.table, own.table);
    assert.deepEqual([console.table.name, console.table.length], ['table', 0]);
    const mine = () => {};
    console.log = mine;
    assert.equal(console.log, mine);
    const child = Object.create(console) as typeof console;
    child.info = mine;
    assert.equal(child.info, mine);
    assert.notEqual(console.info, mine);
    console.info('a');
    assert.deepEqual(written, [['info', 'a']]);
  });
});
