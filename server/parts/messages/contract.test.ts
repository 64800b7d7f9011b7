import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { messageCommands, messageParams } from './contract.ts';

const fails = (given: object): boolean => !messageParams.safeParse({ text: 'Hello', ...given }).success;

describe('params of a message', () => {
  test('should have the defaults of the contract', () => {
    const { level, style, seconds } = messageParams.parse({ text: 'Hello' });
    assert.deepEqual({ level, style, seconds }, { level: 'info', style: 'banner', seconds: 10 });
  });

  test('should count 2,000 characters of any script', () => {
    for (const one of ['a', 'ß', 'ש', '字', '😀']) {
      assert.ok(!fails({ text: one.repeat(2_000) }), one);
      assert.ok(fails({ text: one.repeat(2_001) }), one);
    }
    assert.ok(fails({ text: '' }));
  });

  test('security: should bound every field', () => {
    const long = 'x'.repeat(5_000);
    for (const field of ['text', 'title', 'id', 'image', 'sound']) assert.ok(fails({ [field]: long }), field);
    assert.ok(fails({ id: '' }));
    assert.ok(fails({ seconds: 86_401 }));
    assert.ok(fails({ seconds: -1 }));
    assert.ok(fails({ buttons: Array.from({ length: 5 }, (_, n) => ({ id: `${n}`, label: 'x' })) }));
    assert.ok(fails({ buttons: [{ id: 'a', label: long }] }));
    assert.ok(fails({ buttons: [{ id: long, label: 'a' }] }));
    assert.ok(fails({ unknown: 1 }));
  });

  test('security: should leave the ids of the panel itself to the panel, for showing and removing', () => {
    for (const id of ['faceplate.', 'faceplate.stick', 'faceplate.update', 'faceplate.provisioning'])
      for (const params of [messageParams, messageCommands['message.remove'].params]) {
        const { error } = params.safeParse(params === messageParams ? { text: 'Hello', id } : { id });
        assert.deepEqual(error?.issues[0]?.path, ['id'], id);
      }
    assert.ok(!fails({ id: 'faceplate' }));
    assert.ok(!fails({ id: 'my.faceplate.' }));
  });

  test('should refuse two buttons of one id, and pictures that are not on the web', () => {
    const twice = [
      { id: 'a', label: 'Yes' },
      { id: 'a', label: 'No' },
    ];
    assert.ok(fails({ buttons: twice }));
    assert.ok(!fails({ buttons: [] }));
    for (const image of ['data:image/gif;base64,R0', 'file:///etc/passwd', 'javascript:alert(1)', 'x.png'])
      assert.ok(fails({ image }), image);
    assert.ok(!fails({ image: 'http://camera.local/door.jpg' }));
  });
});
