import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventOf } from './testing/fakeEmitter.ts';
import type { FakePage } from './testing/fakePage.ts';
import { TestElectronHost } from './testing/testElectronHost.ts';

const FIELD = { type: 'text', inputMode: '', enterKeyHint: '' };

/** An event of Chromium's protocol. @param frame session of the frame that it comes from */
const emit = ({ tools }: FakePage, method: string, params: object = {}, frame = ''): void =>
  tools.listeners.emit('message', eventOf(), method, params, frame);

/** What the script in the page, or in a frame of it, reports. */
const report = (page: FakePage, what: object, frame = ''): void => {
  const binding = page.tools.sent.find(
    (sent) => sent.method === 'Runtime.addBinding' && (sent.frame ?? '') === frame,
  );
  const { name } = binding!.params as { name: string };
  const params = { name, payload: JSON.stringify(what), executionContextId: 1 };
  emit(page, 'Runtime.bindingCalled', params, frame);
};
const attach = (page: FakePage, type: string, frame: string, parent = ''): void =>
  emit(
    page,
    'Target.attachedToTarget',
    { sessionId: frame, targetInfo: { type, targetId: 't', url: '' } },
    parent,
  );

describe('frames of other sites in the Electron host (over a double of Electron)', () => {
  test('should be watched once they have a document, also in one another, and get keys by their page', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.view;
    const { sent } = page.tools;
    attach(page, 'iframe', 'F1');
    attach(page, 'iframe', 'F2', 'F1');
    attach(page, 'worker', 'W1');
    const scripts = () => sent.filter(({ method, frame }) => /addScript/.test(method) && frame !== undefined);
    // A script that runs at once in a process that the frame leaves would end its load.
    assert.deepEqual(scripts(), []);
    const context = { id: 1, origin: '', name: '', uniqueId: 'c' };
    for (const part of ['F2', 'W1']) emit(page, 'Runtime.executionContextCreated', { context }, part);
    assert.deepEqual(
      scripts().map(({ frame, params }) => [frame, (params as { runImmediately?: boolean }).runImmediately]),
      [['F2', true]],
    );
    report(page, { by: 'touch' }, 'F2');
    report(page, { field: FIELD }, 'F2');
    assert.deepEqual(kiosk.focus, { field: FIELD, by: 'touch' });
    await kiosk.host.pressKey('f');
    const keys = sent.filter(({ method }) => method === 'Input.dispatchKeyEvent');
    assert.deepEqual(
      keys.map(({ params, frame }) => [(params as { type: string }).type, frame]),
      [
        ['keyDown', undefined],
        ['keyUp', undefined],
      ],
    );
    emit(page, 'Target.detachedFromTarget', { sessionId: 'F2' }, 'F1');
    assert.equal(kiosk.focus, undefined);
  });
});
