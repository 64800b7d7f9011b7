/**
 * One row for each large piece of the web platform: the page does it here and in plain Chromium, and both must give what
 * the standard says. `node build/testing/wpt.ts` tests all of it; this is the part that every run can afford.
 */
interface Row {
  readonly what: string;
  readonly result: unknown;
  readonly task: () => unknown;
}

export const platformRows: readonly Row[] = [
  {
    what: 'addresses',
    result: ['http://xn--mnchen-3ya.example:8080/b?q=%C3%A4#f', '/a%20b/d', '1,2', true],
    task: () => [
      new URL('../b?q=ä#f', 'HTTP://MÜNCHEN.example:8080/a/').href,
      new URL('a b/./c/../d', 'http://x/').pathname,
      new URLSearchParams('a=1&a=2').getAll('a').join(),
      URL.canParse('x:y'),
    ],
  },
  {
    what: 'texts in other encodings, also in pieces',
    result: ['日本', 'é', '\ud83d\ude00', '\ufffd'],
    task: () => {
      const inPieces = new TextDecoder();
      const bytes = (...numbers: number[]) => new Uint8Array(numbers);
      return [
        new TextDecoder('shift_jis').decode(bytes(0x93, 0xfa, 0x96, 0x7b)),
        new TextDecoder('windows-1252').decode(bytes(0xe9)),
        inPieces.decode(bytes(0xf0, 0x9f), { stream: true }) + inPieces.decode(bytes(0x98, 0x80)),
        new TextDecoder().decode(bytes(0xff)),
      ];
    },
  },
  {
    what: 'changes of the document and their observers',
    result: { heard: ['childList 1', 'attributes 0'], text: 'two', matches: ['b'] },
    task: async () => {
      const heard: string[] = [];
      const observer = new MutationObserver((records) => {
        for (const { type, addedNodes } of records) heard.push(`${type} ${addedNodes.length}`);
      });
      observer.observe(document.body, { childList: true, attributes: true });
      document.body.append('one two');
      document.body.title = 'x';
      await Promise.resolve();
      observer.disconnect();
      const range = document.createRange();
      range.setStart(document.body.lastChild!, 4);
      range.setEnd(document.body.lastChild!, 7);
      getSelection()!.addRange(range);
      document.body.insertAdjacentHTML('beforeend', '<p id="a"></p><p id="b"><i></i></p>');
      const matches = [...document.querySelectorAll('p:has(> i):not(#a)')].map(({ id }) => id);
      return { heard, text: String(getSelection()), matches };
    },
  },
  {
    what: 'elements of its own, with a shadow',
    result: ['made', 'in', 'attribute y', 'slot 1', 'out'],
    task: async () => {
      const heard: string[] = [];
      class Own extends HTMLElement {
        static observedAttributes = ['x'];
        constructor() {
          super();
          heard.push('made');
          this.attachShadow({ mode: 'open' }).innerHTML = '<slot></slot>';
          const slot = this.shadowRoot!.querySelector('slot')!;
          slot.onslotchange = () => heard.push(`slot ${slot.assignedElements().length}`);
        }
        connectedCallback() {
          heard.push('in');
        }
        disconnectedCallback() {
          heard.push('out');
        }
        attributeChangedCallback(_name: string, _old: string, value: string) {
          heard.push(`attribute ${value}`);
        }
      }
      customElements.define('own-element', Own);
      const own = document.createElement('own-element');
      document.body.append(own);
      own.setAttribute('x', 'y');
      own.append(document.createElement('b'));
      await new Promise((resolve) => setTimeout(resolve));
      own.remove();
      return heard;
    },
  },
  {
    what: 'what it stores: database, storage, cookies, caches',
    result: [['a', 'c'], 'AbortError', 'kept', 'k=v', 'cached', true],
    task: async () => {
      const done = <T>(request: IDBRequest<T>) =>
        new Promise<T>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      indexedDB.deleteDatabase('rows');
      const opening = indexedDB.open('rows', 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore('s', { keyPath: 'k' });
      const database = await done(opening);
      const store = database.transaction('s', 'readwrite').objectStore('s');
      for (const k of ['a', 'b', 'c']) await done(store.put({ k }));
      await done(store.delete('b'));
      const undone = database.transaction('s', 'readwrite');
      const put = undone.objectStore('s').put({ k: 'd' });
      undone.abort();
      const error = await done(put).catch(({ name }) => name);
      const keys = await done(database.transaction('s').objectStore('s').getAllKeys());
      localStorage.setItem('k', 'kept');
      await cookieStore.set('k', 'v');
      const cache = await caches.open('rows');
      await cache.put('/cached', new Response('cached'));
      return [
        keys,
        error,
        localStorage.getItem('k'),
        document.cookie,
        await (await caches.match('/cached'))!.text(),
        await navigator.locks.request('rows', (lock) => lock?.mode === 'exclusive'),
      ];
    },
  },
  {
    what: 'streams, also packed ones',
    result: ['A,B', 'some text', 'cancelled'],
    task: async () => {
      const source = new ReadableStream<string>({
        start: (controller) => {
          controller.enqueue('a');
          controller.enqueue('b');
          controller.close();
        },
      });
      const upper = new TransformStream<string, string>({
        transform: (chunk, controller) => controller.enqueue(chunk.toUpperCase()),
      });
      const chunks: string[] = [];
      for await (const chunk of source.pipeThrough(upper) as unknown as AsyncIterable<string>)
        chunks.push(chunk);
      const packed = new Blob(['some text']).stream().pipeThrough(new CompressionStream('gzip'));
      const text = await new Response(packed.pipeThrough(new DecompressionStream('gzip'))).text();
      const reasons: string[] = [];
      await new ReadableStream({ cancel: (reason) => void reasons.push(reason) }).cancel('cancelled');
      return [chunks.join(), text, ...reasons];
    },
  },
  {
    what: 'cryptography',
    result: ['secret', true, 'ba7816bf'],
    task: async () => {
      const { subtle } = crypto;
      const bytes = (text: string) => new TextEncoder().encode(text);
      const aes = await subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
      const way = { name: 'AES-GCM', iv: crypto.getRandomValues(new Uint8Array(12)) };
      const sealed = await subtle.encrypt(way, aes, bytes('secret'));
      const pair = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
      const sign = { name: 'ECDSA', hash: 'SHA-256' };
      const signature = await subtle.sign(sign, pair.privateKey, bytes('x'));
      const hash = new Uint8Array(await subtle.digest('SHA-256', bytes('abc')));
      return [
        new TextDecoder().decode(await subtle.decrypt(way, aes, sealed)),
        await subtle.verify(sign, pair.publicKey, signature, bytes('x')),
        [...hash.slice(0, 4)].map((byte) => byte.toString(16)).join(''),
      ];
    },
  },
  {
    what: 'requests: bodies, redirects, aborts, their timing',
    result: ['text', 404, 'AbortError', ['fetch', true], 'POST a=1'],
    task: async () => {
      const answer = await fetch('/file?1');
      const aborter = new AbortController();
      const aborted = fetch('/file?2', { signal: aborter.signal }).catch(({ name }) => name);
      aborter.abort();
      const timed = (list: PerformanceObserverEntryList) =>
        list.getEntriesByName(new URL('/file?1', location.href).href)[0] as PerformanceResourceTiming;
      const entry = new Promise<PerformanceResourceTiming>((resolve) =>
        new PerformanceObserver((list) => timed(list) && resolve(timed(list))).observe({
          type: 'resource',
          buffered: true,
        }),
      );
      const request = new Request('/x', { method: 'POST', body: new URLSearchParams({ a: '1' }) });
      return [
        await answer.text(),
        (await fetch('/nothing')).status,
        await aborted,
        await entry.then(({ initiatorType, responseStart, startTime }) => [
          initiatorType,
          responseStart >= startTime,
        ]),
        `${request.method} ${await request.text()}`,
      ];
    },
  },
  {
    what: 'frames without an address of their own',
    result: ['srcdoc', 'written', 'data', 'blob'],
    task: async () => {
      const said = (attributes: Partial<HTMLIFrameElement>) =>
        new Promise((resolve) => {
          addEventListener('message', ({ data }) => resolve(data), { once: true });
          document.body.append(Object.assign(document.createElement('iframe'), attributes));
        });
      const page = (word: string) => `<script>parent.postMessage('${word}', '*')\x3c/script>`;
      const results = [await said({ srcdoc: page('srcdoc') })];
      const empty = document.body.appendChild(document.createElement('iframe'));
      empty.contentDocument!.write('<p>written');
      results.push(empty.contentDocument!.querySelector('p')!.textContent);
      results.push(await said({ src: `data:text/html,${page('data')}` }));
      results.push(await said({ src: URL.createObjectURL(new Blob([page('blob')], { type: 'text/html' })) }));
      return results;
    },
  },
  {
    what: 'messages and copies',
    result: [{ map: 1, same: true }, 'through the port', 'to all', 0],
    task: async () => {
      const circle: { self?: unknown; map: Map<string, number> } = { map: new Map([['a', 1]]) };
      circle.self = circle;
      const copy = structuredClone(circle);
      const next = (target: EventTarget) =>
        new Promise<unknown>((resolve) => {
          target.addEventListener('message', (event) => resolve((event as MessageEvent).data), {
            once: true,
          });
        });
      const { port1, port2 } = new MessageChannel();
      const throughPort = next(port2);
      port2.start();
      port1.postMessage('through the port');
      const [ear, mouth] = [new BroadcastChannel('rows'), new BroadcastChannel('rows')];
      const toAll = next(ear);
      mouth.postMessage('to all');
      const buffer = new ArrayBuffer(8);
      structuredClone(buffer, { transfer: [buffer] });
      return [
        { map: copy.map.get('a'), same: copy.self === copy },
        await throughPort,
        await toAll,
        buffer.byteLength,
      ];
    },
  },
  {
    what: 'pictures, sound and style',
    result: {
      canvas: [255, 0, 0, 255],
      box: [1, 2, 3, 4],
      peak: 0.5,
      color: 'rgb(0, 0, 255)',
      columns: '10px 20px',
    },
    task: async () => {
      const context = document.createElement('canvas').getContext('2d')!;
      context.fillStyle = 'red';
      context.fillRect(0, 0, 10, 10);
      const svg = '<svg><rect x="1" y="2" width="3" height="4"/></svg>';
      document.body.innerHTML = `${svg}<p></p><div style="display:grid;grid-template-columns:10px 20px"></div>`;
      const { x, y, width, height } = document.querySelector('rect')!.getBBox();
      const sound = new OfflineAudioContext(1, 100, 8_000);
      const constant = new ConstantSourceNode(sound, { offset: 0.5 });
      constant.connect(sound.destination);
      constant.start();
      const heard = (await sound.startRendering()).getChannelData(0);
      const sheet = new CSSStyleSheet();
      sheet.insertRule('@supports (display: grid) { p { color: blue } }');
      document.adoptedStyleSheets = [sheet];
      return {
        canvas: [...context.getImageData(5, 5, 1, 1).data],
        box: [x, y, width, height],
        peak: Math.max(...heard),
        color: getComputedStyle(document.querySelector('p')!).color,
        columns: getComputedStyle(document.querySelector('div')!).gridTemplateColumns,
      };
    },
  },
  {
    what: 'its history and its dialogs',
    result: ['?b', { n: 1 }, '#c', 'yes', true],
    task: async () => {
      const event = (name: string, target: EventTarget = window) =>
        new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));
      history.replaceState({ n: 1 }, '', '?a');
      history.pushState({ n: 2 }, '', '?b');
      const { search } = location;
      const popped = event('popstate');
      history.back();
      await popped;
      const { state } = history;
      const changed = event('hashchange');
      location.hash = 'c';
      await changed;
      document.body.innerHTML =
        '<dialog><form method="dialog"><button value="yes"></button></form></dialog><p popover></p>';
      const dialog = document.querySelector('dialog')!;
      dialog.showModal();
      const closed = event('close', dialog);
      document.querySelector('button')!.click();
      await closed;
      const popover = document.querySelector('p')!;
      popover.showPopover();
      return [search, state, location.hash, dialog.returnValue, popover.matches(':popover-open')];
    },
  },
  {
    what: 'compiled code and time that it need not wait for',
    result: [5, 'idle', 'seen', 'sized', 'measured 1'],
    task: async () => {
      // (func (export "f") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add)
      const code = 'AGFzbQEAAAABBwFgAn9/AX8DAgEABwUBAWYAAAoJAQcAIAAgAWoL';
      const bytes = Uint8Array.from(atob(code), (character) => character.charCodeAt(0));
      const { instance } = await WebAssembly.instantiate(bytes);
      const idle = new Promise((resolve) => requestIdleCallback(() => resolve('idle')));
      const seen = new Promise((resolve) =>
        new IntersectionObserver(([entry]) => entry!.isIntersecting && resolve('seen')).observe(
          document.body,
        ),
      );
      const sized = new Promise((resolve) =>
        new ResizeObserver(() => resolve('sized')).observe(document.body),
      );
      performance.mark('a');
      performance.measure('m', 'a');
      return [
        (instance.exports.f as (a: number, b: number) => number)(2, 3),
        await idle,
        await seen,
        await sized,
        `measured ${performance.getEntriesByName('m').length}`,
      ];
    },
  },
];
