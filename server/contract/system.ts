import { z } from 'zod';
import { buttonEvent } from '../parts/buttons/contract.ts';
import { climateState } from '../parts/climate/contract.ts';
import { levelField, pinField } from '../parts/gpio/contract.ts';
import { irPlayed } from '../parts/ir/contract.ts';
import { scanEvent } from '../parts/readers/contract.ts';
import { mqttFacts } from '../surfaces/mqtt/contract.ts';
import { defineCommand } from './command.ts';
import { hexField, noParams, okResult } from './fields.ts';

/**
 * Why the page was brought back. `frame-crash`: a frame of another site crashed in it; `dead-page`: it showed nothing
 * although it had content, or did not start; `stray-page`: it was at an address that is not allowed; `page-unreachable`: its server was
 * down; `memory`: the browser used more memory than it may; `replaced`: an upgrade put
 * another browser on the disk.
 */
export const recoveryCauses = [
  'renderer-crash',
  'frame-crash',
  'browser-exit',
  'hung-page',
  'dead-page',
  'window-closed',
  'stray-page',
  'page-unreachable',
  'memory',
  'replaced',
] as const;

const partInfo = z.strictObject({
  driver: z.string(),
  path: z.string().nullable(),
  state: z.enum(['real', 'simulated', 'absent']),
  reason: z.string().nullable().describe('why the part is absent'),
});
export type PartInfo = z.infer<typeof partInfo>;

const hostKind = z.enum(['electron', 'chromium', 'none']);
export type HostKind = z.infer<typeof hostKind>;

const way = z.enum(['hardware', 'software', 'off']);

const graphicsFacts = z.strictObject({
  gpu: z.string().describe('the graphics processor with its driver, as the browser names it'),
  pages: way.describe('what draws pages'),
  webgl: way,
  video: way.describe('what decodes videos'),
});
export type GraphicsFacts = z.infer<typeof graphicsFacts>;

export const systemCommands = {
  'system.info': defineCommand({
    summary: 'What this panel is and what it has.',
    access: { scope: 'view', http: 'token', mqtt: 'allowed' },
    params: noParams,
    result: z.strictObject({
      name: z.string().describe('the setting device.name'),
      id: z
        .string()
        .regex(/^[0-9a-f]{12}$/)
        .describe('made once; no two panels have the same'),
      address: z.string().describe('`<ip>:<port>`; of loopback only where the panel listens nowhere else'),
      version: z.string(),
      board: z.string(),
      recoveries: z
        .record(z.string(), z.int())
        .describe('how often the kiosk page was brought back, by cause'),
      parts: z.record(z.string(), partInfo),
      host: hostKind,
      graphics: graphicsFacts
        .nullable()
        .describe('what the browser really uses; null: no browser runs, or it has not said so yet'),
      https: z
        .strictObject({
          port: z.int(),
          fingerprint: z.string().describe('SHA-256 of the certificate, upper hex with colons'),
        })
        .nullable()
        .describe('null: HTTPS is off'),
      mqtt: mqttFacts,
    }),
    http: { method: 'GET', path: '/api/remote/info' },
  }),
  'system.reboot': defineCommand({
    summary: 'Restart the panel; the answer comes before it goes down.',
    access: { scope: 'manage', http: 'token', mqtt: 'allowed' },
    params: noParams,
    result: z.strictObject({ status: z.literal('rebooting') }),
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'],
    http: { method: 'POST', path: '/api/remote/reboot' },
  }),
  'system.restart': defineCommand({
    summary: 'Restart the service alone, where somebody starts it again; the answer comes first.',
    access: { scope: 'manage', http: 'token' },
    params: noParams,
    result: z.strictObject({ status: z.literal('restarting') }),
    errors: ['UNSUPPORTED_HARDWARE'],
    http: { method: 'POST', path: '/api/remote/restart' },
  }),
  'system.simulate': defineCommand({
    summary: 'Simulate the outside world of a part: change an input, or let the serial peer send.',
    access: { scope: 'manage', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: z.discriminatedUnion('part', [
      z.strictObject({ part: z.literal('gpio'), pin: pinField, level: levelField }),
      z.strictObject({ part: z.literal('climate'), ...climateState.shape }),
      z.strictObject({ part: z.literal('proximity'), near: z.boolean().describe('somebody is near') }),
      z.strictObject({ part: z.literal('button'), ...buttonEvent.shape }),
      z.strictObject({ part: z.literal('ir'), ...irPlayed.shape }),
      z.strictObject({ part: z.literal('scan'), ...scanEvent.shape }),
      z.strictObject({ part: z.literal('serial'), port: z.string().min(1).max(255), hex: hexField }),
    ]),
    result: okResult,
    errors: ['UNSUPPORTED_HARDWARE', 'NOT_FOUND'],
    http: { method: 'POST', path: '/api/remote/simulate' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'simulate' }],
  }),
};
