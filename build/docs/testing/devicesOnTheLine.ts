import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModbusLineDevice } from '../../../server/parts/testing/modbusBench.ts';
import { PtyLine, PtyPair } from '../../../server/testing/ptyLine.ts';

/** The devices of docs/recipes.md, and a board whose ports they are at. */
export class DevicesOnTheLine implements AsyncDisposable {
  /** Answers each line of text as displays of that kind do. */
  readonly display: PtyLine = new PtyLine((bytes) => {
    if (bytes.includes(0x0d)) void this.display.peerSends(Buffer.from('a 01 OK01x'));
  });
  readonly meter = new ModbusLineDevice();
  readonly #line = new PtyPair();
  /** The path of the board profile. */
  readonly board = join(tmpdir(), `faceplate-board-${process.pid}.json`);

  static async start(): Promise<DevicesOnTheLine> {
    const house = new DevicesOnTheLine();
    const { display, meter, board } = house;
    await display.plug();
    await house.#line.plug();
    await meter.start(house.#line.theirs, 1);
    meter.memory.registers.splice(0, 2, 2_304, 17);
    const serial = [
      { port: '/dev/ttyS5', path: display.path },
      { port: '/dev/ttyS9', path: house.#line.ours },
    ];
    // The motor of the blind is at the two relays.
    const gpio = {
      driver: 'simulated',
      labels: ['IO 1', 'IO 2', 'Blind up', 'Blind down'],
      interlock: [[2, 3]],
      maxOnMs: { 2: 60_000, 3: 60_000 },
      safe: { 2: 0, 3: 0 },
    };
    writeFileSync(board, JSON.stringify({ name: 'house', serial, gpio }));
    return house;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.meter.stop();
    await this.#line.close();
    await this.display.close();
    rmSync(this.board, { force: true });
  }
}
