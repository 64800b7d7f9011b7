import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EventBus } from '../../platform/eventBus.ts';
import { createLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import type { ReaderDriver } from './driver.ts';
import { ReadersService } from './service.ts';

/** A real reader: it cannot be simulated. */
class FakeReader implements ReaderDriver {
  readonly name = 'fake';
  readonly path = '/dev/fake';
  readonly simulated: boolean = false;
  read: (text: string) => void = () => {};
  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  onScan(listener: (text: string) => void): void {
    this.read = listener;
  }
}

class SimulatableReader extends FakeReader {
  simulate(text: string): void {
    this.read(text);
  }
}

/** Two readers, and all that the service says of them. */
async function started() {
  const announced: unknown[] = [];
  const said: string[] = [];
  const log = createLogger('trace', { write: (line) => said.push(line) });
  const events = new EventBus(log);
  events.onAny((name, payload) => announced.push({ [name]: payload }));
  let activities = 0;
  const readers = new ReadersService({
    readers: [
      { name: 'Door', driver: new SimulatableReader() },
      { name: 'Desk', driver: new FakeReader() },
    ],
    activity: () => activities++,
    clock: new FakeClock(),
    events,
    log,
  });
  await readers.start();
  return { readers, announced, said, activities: () => activities };
}

describe('readers service', () => {
  test('should announce what each reader reads, by its name, and take it for a use of the panel', async () => {
    const { readers, announced, activities } = await started();
    await readers.simulate({ name: 'Door', text: '04A2' });
    assert.deepEqual(announced, [{ scan: { name: 'Door', text: '04A2' } }]);
    assert.equal(activities(), 1);
    assert.deepEqual(Object.keys(readers.parts()), ['reader:Door', 'reader:Desk']);
    assert.deepEqual(readers.names, ['Door', 'Desk']);
    await readers.stop();
  });

  test('security: should cut a text that is too long, and say nothing of texts in the log', async () => {
    const { readers, announced, said } = await started();
    await readers.simulate({ name: 'Door', text: 'S3CRET'.repeat(500) });
    assert.equal((announced[0] as { scan: { text: string } }).scan.text.length, 1_024);
    assert.ok(!said.some((line) => line.includes('S3CRET')));
    await readers.stop();
  });

  test('should refuse to simulate a reader that is real, or not there', async () => {
    const { readers } = await started();
    await assert.rejects(readers.simulate({ name: 'Desk', text: '1' }), { code: 'UNSUPPORTED_HARDWARE' });
    await assert.rejects(readers.simulate({ name: 'Roof', text: '1' }), { code: 'NOT_FOUND' });
    await readers.stop();
  });
});
