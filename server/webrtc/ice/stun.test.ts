import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classes, Message, methods, parseMessage } from 'werift';
import { bindingSuccess, hasIntegrity, parseBindingRequest } from './stun.ts';

/** The sample request of RFC 5769 section 2.1. */
const SAMPLE = Buffer.from(
  '000100582112a442b7e7a701bc34d686fa87dfae802200105354554e207465737420636c69656e74002400046e0001ff' +
    '80290008932ff9b151263b36000600096576746a3a68367659202020000800149aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a2' +
    '80280004e57a3bcf',
  'hex',
);
const SAMPLE_PASSWORD = 'VOkJxbRl1RmTxUk/WvJxBt';
const PASSWORD = 'a password of ours';

function request(): Message {
  return new Message(methods.BINDING, classes.REQUEST)
    .setAttribute('USERNAME', 'ours:theirs')
    .setAttribute('PRIORITY', 1)
    .setAttribute('USE-CANDIDATE', null);
}

test('should accept the sample request of RFC 5769', () => {
  const parsed = parseBindingRequest(SAMPLE);
  assert.ok(parsed !== undefined);
  assert.equal(parsed.username, 'evtj:h6vY');
  assert.equal(parsed.nominates, false);
  assert.equal(hasIntegrity(parsed, SAMPLE_PASSWORD), true);
});

test('security: should refuse a request made with another password or changed on its way', () => {
  const parsed = parseBindingRequest(SAMPLE)!;
  assert.equal(hasIntegrity(parsed, 'wrong'), false);
  const changed = Buffer.from(SAMPLE);
  changed[48] = changed[48]! ^ 1;
  assert.equal(hasIntegrity(parseBindingRequest(changed)!, SAMPLE_PASSWORD), false);
});

test('security: should not read anything after the integrity attribute', () => {
  const signed = new Message(methods.BINDING, classes.REQUEST)
    .setAttribute('USERNAME', 'ours:theirs')
    .addMessageIntegrity(Buffer.from(PASSWORD)).bytes;
  const extra = Buffer.concat([signed, Buffer.from('00250000', 'hex')]);
  extra.writeUInt16BE(extra.length - 20, 2);
  const parsed = parseBindingRequest(extra);
  assert.equal(parsed?.nominates, false);
});

test('should answer so that another implementation verifies it', () => {
  const asked = request().addMessageIntegrity(Buffer.from(PASSWORD)).addFingerprint();
  const parsed = parseBindingRequest(asked.bytes);
  assert.ok(parsed?.nominates && hasIntegrity(parsed, PASSWORD));
  const answer = parseMessage(bindingSuccess(parsed, '192.168.7.9', 51_234, PASSWORD), Buffer.from(PASSWORD));
  assert.ok(answer !== undefined, 'integrity or fingerprint is wrong');
  assert.equal(answer.messageClass, classes.RESPONSE);
  assert.equal(answer.transactionIdHex, asked.transactionIdHex);
  assert.deepEqual(answer.getAttributeValue('XOR-MAPPED-ADDRESS'), ['192.168.7.9', 51_234]);
});

test('should refuse anything but binding requests, and those cut off or without integrity', () => {
  assert.equal(parseBindingRequest(request().bytes), undefined);
  for (let length = 0; length < SAMPLE.length; length++) {
    assert.equal(parseBindingRequest(SAMPLE.subarray(0, length)), undefined, `cut at ${length}`);
  }
  const answer = new Message(methods.BINDING, classes.RESPONSE).addMessageIntegrity(Buffer.from(PASSWORD));
  assert.equal(parseBindingRequest(answer.bytes), undefined);
});
