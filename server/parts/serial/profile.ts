import { z } from 'zod';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import { type DriverNeeds, defineProfile, devicePath } from '../profile.ts';
import { type SerialDriver, SimulatedSerial, type SomeSettings } from './driver.ts';
import { clearModemLines, enableRs485, Tty } from './tty.ts';

/** The name callers use, such as /dev/ttyS5. */
const port = z.string().min(1).max(255).describe('the name that callers use');
const label = z.string().min(1).max(80).optional().describe('the text beside the connector');

/** How the line is set where a call says nothing. */
const line = {
  dataBits: z.int().min(5).max(8).optional().describe('unless a call says otherwise; default 8'),
  parity: z.enum(['none', 'even', 'odd']).optional().describe('unless a call says otherwise; default none'),
  stopBits: z.int().min(1).max(2).optional().describe('unless a call says otherwise; default 1'),
  flowControl: z
    .enum(['none', 'hardware', 'software'])
    .optional()
    .describe('unless a call says otherwise; default none'),
};

/** What the wires and the device at their end want of the port. */
const wires = {
  dropEcho: z
    .boolean()
    .optional()
    .describe('the line brings back what is sent, as RS-485 with an open receiver does: that is dropped'),
  dtr: z.enum(['on', 'off']).optional().describe('once the port is open; on when left out'),
  rts: z.enum(['on', 'off']).optional().describe('once the port is open; on when left out'),
};

const portRow = z.discriminatedUnion('driver', [
  z.strictObject({
    port,
    label,
    driver: z.literal('tty').default('tty'),
    path: devicePath.describe('the node that is opened'),
    rs485: z.boolean().default(false).describe('the uart switches the direction of the line by its RTS'),
    ...line,
    ...wires,
  }),
  z.strictObject({ port, label, driver: z.literal('simulated'), ...line, ...wires }),
]);

const portRows = z
  .array(portRow)
  .max(32)
  .default([])
  .superRefine((rows, context) => {
    for (const key of ['port', 'path'] as const) {
      const seen = new Set<string>();
      for (const [index, row] of rows.entries()) {
        const value = key in row ? (row as { port: string; path?: string })[key] : undefined;
        if (value === undefined) continue;
        if (seen.has(value)) {
          context.addIssue({ code: 'custom', path: [index, key], message: `${value} stands here twice` });
        }
        seen.add(value);
      }
    }
  });

/** A port by the name that callers use. */
interface SerialPort {
  readonly port: string;
  readonly driver: SerialDriver;
  /** What the profile says about the line. */
  readonly line: SomeSettings;
  readonly dropEcho: boolean;
}

/** The serial ports of a board. */
export const serialProfile = defineProfile({
  row: portRows,
  driver: (rows, needs): readonly SerialPort[] =>
    rows.map((row) => ({
      port: row.port,
      driver: portDriver(row, needs),
      line: row,
      dropEcho: row.dropEcho ?? false,
    })),
});

function portDriver(row: z.output<typeof portRow>, { deviceIo, log }: DriverNeeds): SerialDriver {
  switch (row.driver) {
    case 'simulated':
      return new SimulatedSerial();
    case 'tty':
      return new Tty(
        row.path,
        (fd) => {
          if (row.rs485) switchRs485(deviceIo, fd, row.path, log);
          lowerLines(deviceIo, fd, row, log);
        },
        deviceIo,
      );
  }
}

/** A driver that cannot switch the line is not a failure: many RS-485 transceivers switch on their own. */
function switchRs485(io: DeviceIo, fd: number, path: string, log: DriverNeeds['log']): void {
  const refused = enableRs485(io, fd);
  if (refused !== null)
    log.warn({ path, reason: refused }, 'serial: the UART does not switch the RS-485 line');
}

/** The kernel raises both lines when it opens a port. A port that has none, such as a pty, is not refused. */
function lowerLines(
  io: DeviceIo,
  fd: number,
  {
    path,
    dtr,
    rts,
  }: { readonly path: string; readonly dtr?: string | undefined; readonly rts?: string | undefined },
  log: DriverNeeds['log'],
): void {
  if (dtr !== 'off' && rts !== 'off') return;
  const refused = clearModemLines(io, fd, { dtr: dtr === 'off', rts: rts === 'off' });
  if (refused !== null) log.warn({ path, reason: refused }, 'serial: the port cannot lower DTR or RTS');
}
