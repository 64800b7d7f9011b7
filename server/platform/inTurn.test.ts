import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from '../testing/fakeClock.ts';
import { InTurn } from './inTurn.ts';

test('should run one piece of work at a time, in the order they came', async () => {
  const turns = new InTurn();
  const first = Promise.withResolvers<string>();
  const ran: string[] = [];
  const one = turns.run(() => first.promise);
  const two = turns.run(() => {
    ran.push('two');
    return 2;
  });
  await settled();
  assert.deepEqual(ran, []);
  first.resolve('one');
  assert.deepEqual(await Promise.all([one, two]), ['one', 2]);
});

test('security: should go on after work that failed, and reject nothing that nobody hears', async () => {
  const turns = new InTurn();
  const fail = () => {
    throw new Error('EMFILE');
  };
  await assert.rejects(turns.run(fail), /EMFILE/);
  const failures: unknown[] = [];
  await turns.follow(fail, (error) => failures.push(error));
  await turns.follow(
    () => Promise.reject(new Error('ENFILE')),
    (error) => failures.push(error),
  );
  assert.deepEqual(failures.map(String), ['Error: EMFILE', 'Error: ENFILE']);
  assert.equal(await turns.run(() => 'went on'), 'went on');
  turns.run(fail).catch(() => {});
  await turns.idle();
});
