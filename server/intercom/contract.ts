import { z } from 'zod';
import type { Access } from '../contract/access.ts';
import { defineCommand } from '../contract/command.ts';
import { noParams } from '../contract/fields.ts';
import { callHistory, callPeer, doorName, panelEntry, sipStatus } from './sipContract.ts';

const reading = { scope: 'view', http: 'token', mqtt: 'allowed' } as const satisfies Access;
const calling = { scope: 'control', http: 'token', mqtt: 'allowed' } as const satisfies Access;
const errors = ['SIP_DISABLED'] as const;

/** The intercom for HTTP callers; pages have `container.sip`. */
export const intercomCommands = {
  'intercom.state': defineCommand({
    summary: 'What the intercom is doing, the other panels, the doors, and the last 100 calls.',
    access: reading,
    params: noParams,
    result: z.strictObject({
      status: sipStatus,
      panels: z.array(panelEntry).describe('reachable now'),
      doors: z.array(z.strictObject({ name: z.string() })).describe('of the setting sip.doors'),
      history: callHistory.describe('the newest first'),
      doNotDisturb: z.boolean(),
    }),
    errors,
    http: { method: 'GET', path: '/api/remote/intercom' },
  }),
  'intercom.call': defineCommand({
    summary: 'Call an IP address, or an extension of the configured registrar.',
    access: calling,
    params: z.strictObject({ peer: callPeer }),
    result: sipStatus,
    errors,
    timeoutMs: 10_000,
    http: { method: 'POST', path: '/api/remote/intercom/call' },
  }),
  'intercom.answer': defineCommand({
    summary: 'Answer the incoming call at the panel.',
    access: calling,
    params: noParams,
    result: sipStatus,
    errors,
    // As sip.answer.
    timeoutMs: 40_000,
    http: { method: 'POST', path: '/api/remote/intercom/answer' },
  }),
  'intercom.hangup': defineCommand({
    summary: 'End or refuse the call, or end the announcement.',
    access: calling,
    params: noParams,
    result: sipStatus,
    errors,
    timeoutMs: 10_000,
    http: { method: 'POST', path: '/api/remote/intercom/hangup' },
  }),
  'intercom.door': defineCommand({
    summary: 'Open a door of the setting sip.doors; without a name, the door that calls, or the only one.',
    access: { scope: 'doors', http: 'token', mqtt: 'allowed' },
    params: z.strictObject({ name: doorName.optional() }),
    result: sipStatus,
    errors,
    timeoutMs: 60_000,
    http: { method: 'POST', path: '/api/remote/intercom/door' },
  }),
  'intercom.dnd': defineCommand({
    summary: 'Do not disturb: refuse all incoming calls silently; they stand in the history as missed.',
    access: calling,
    params: z.strictObject({ on: z.boolean() }),
    result: sipStatus,
    errors,
    http: { method: 'POST', path: '/api/remote/intercom/dnd' },
  }),
};
