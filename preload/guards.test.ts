import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { timeToGoWrong } from '../server/testing/waiting.ts';
import { watchFields } from './fieldWatch.ts';
import { reportKeepAwake, watchKeepAwake } from './keepAwake.ts';
import { installKeyGuard } from './keyGuard.ts';
import { watchMissingScripts } from './missingScripts.ts';
import { watchSettingsCall } from './settingsCall.ts';
import { installWindowGuard } from './windowGuard.ts';
import { hearWindowGuard } from './windowReports.ts';

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
